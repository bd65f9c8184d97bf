/* Fixed-point numbers: 16.16 products and quotients, CORDIC sine, a running average and a low-pass filter. */
#include "check.h"

#define ONE 65536

static int32_t multiply(int32_t a, int32_t b)
{
    return (int32_t)(((int64_t)a * b + ONE / 2) >> 16);
}

static int32_t divide(int32_t a, int32_t b)
{
    return (int32_t)(((int64_t)a << 16) / b);
}

/* atan(2^-i) in units of 2^-28. */
static const int32_t angles[] = {
    210828714, 124459457, 65760959, 33381290, 16755422, 8385879, 4193963, 2097109,
    1048571,   524287,    262144,   131072,   65536,    32768,   16384,   8192,
};

static void rotate(int32_t angle, int32_t *cosine, int32_t *sine)
{
    int32_t x = 163008219; /* 0.607252935, the inverse of CORDIC's gain, in units of 2^-28 */
    int32_t y = 0;
    for (int i = 0; i < 16; i++) {
        int32_t dx = x >> i;
        int32_t dy = y >> i;
        if (angle >= 0) {
            x -= dy;
            y += dx;
            angle -= angles[i];
        } else {
            x += dy;
            y -= dx;
            angle += angles[i];
        }
    }
    *cosine = x >> 12;
    *sine = y >> 12;
}

static int32_t square_root(int32_t value)
{
    int32_t root = value > ONE ? value : ONE;
    for (int i = 0; i < 24; i++) {
        int32_t better = (root + divide(value, root)) / 2;
        if (better >= root)
            break;
        root = better;
    }
    return root;
}

void test(void)
{
    for (int32_t angle = -300000000; angle <= 300000000; angle += 60000000) {
        int32_t cosine, sine;
        rotate(angle, &cosine, &sine);
        int32_t circle = multiply(cosine, cosine) + multiply(sine, sine);
        check(circle > ONE - 16 && circle < ONE + 16);
        report((uint32_t)sine);
    }
    for (int32_t value = ONE / 2; value < 1000 * ONE; value = value * 3 / 2 + 1) {
        int32_t root = square_root(value);
        int32_t square = multiply(root, root);
        int32_t tolerance = value >> 8;
        check(square > value - tolerance - 8 && square < value + tolerance + 8);
    }
    int32_t smooth = 0;
    uint32_t state = 37;
    for (int i = 0; i < 200; i++) {
        int32_t sample = (int32_t)next_random(&state) >> 4;
        smooth += (sample - smooth) >> 3;
    }
    report((uint32_t)smooth);
    report((uint32_t)divide(-7 * ONE, 3 * ONE));
}
