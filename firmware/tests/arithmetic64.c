/* 64-bit integers: add, multiply, divide, shift and compare over corner values and random ones. */
#include "check.h"

static const uint64_t corners[] = {
    0, 1, 2, 0x7fffffff, 0x80000000u, 0xffffffffu, 0x100000000u,
    0x7fffffffffffffffu, 0x8000000000000000u, 0xffffffffffffffffu,
};

#define CORNERS (sizeof corners / sizeof corners[0])

static uint64_t digest;

static void mix(uint64_t value)
{
    digest = (digest ^ value) * 0x100000001b3u; /* the prime of the 64-bit FNV hash */
}

static void combine(uint64_t a, uint64_t b)
{
    uint32_t shift = (uint32_t)b & 63;
    mix(a + b);
    mix(a - b);
    mix(a * b);
    mix(a << shift);
    mix(a >> shift);
    mix((uint64_t)((int64_t)a >> shift));
    mix((uint64_t)(a < b) << 1 | ((int64_t)a < (int64_t)b));
    if (b == 0)
        return;
    mix(a / b);
    mix(a % b);
    check(a / b * b + a % b == a);
    if (a == 0x8000000000000000u && b == 0xffffffffffffffffu)
        return; /* the signed quotient does not fit */
    int64_t quotient = (int64_t)a / (int64_t)b;
    int64_t remainder = (int64_t)a % (int64_t)b;
    mix((uint64_t)quotient);
    mix((uint64_t)remainder);
    check((uint64_t)quotient * b + (uint64_t)remainder == a);
}

static void report_digest(void)
{
    report((uint32_t)(digest >> 32));
    report((uint32_t)digest);
}

void test(void)
{
    uint32_t state = 9;
    for (size_t i = 0; i < CORNERS; i++) {
        for (size_t j = 0; j < CORNERS; j++)
            combine(corners[i], corners[j]);
        report_digest();
    }
    for (int i = 0; i < 20; i++) {
        uint64_t a = (uint64_t)next_random(&state) << 32;
        a |= next_random(&state);
        uint64_t b = (uint64_t)next_random(&state) << 32;
        b |= next_random(&state);
        combine(a, b >> (i & 63));
    }
    report_digest();
}
