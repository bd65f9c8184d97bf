/* memcpy, memmove, memset and memcmp at every alignment, length and overlap. */
#include "check.h"

void *memcpy(void *restrict, const void *restrict, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);

#define SIZE 48

static uint8_t from[SIZE] __attribute__((aligned(4)));
static uint8_t to[SIZE] __attribute__((aligned(4)));
static uint8_t model[SIZE] __attribute__((aligned(4)));

static void check_same(void)
{
    for (size_t i = 0; i < SIZE; i++)
        check(to[i] == model[i]);
}

static void check_lengths(size_t target, size_t source)
{
    for (size_t length = 0; length <= 20; length += 1 + length / 4) {
        for (size_t i = 0; i < SIZE; i++)
            to[i] = model[i] = (uint8_t)(i * 3);
        for (size_t i = 0; i < length; i++)
            model[target + i] = from[source + i];
        check(memcpy(to + target, from + source, length) == to + target);
        check_same();
        check(memcmp(to + target, from + source, length) == 0);

        for (size_t i = 0; i < length; i++)
            model[target + i] = (uint8_t)length;
        check(memset(to + target, (int)length + 0x300, length) == to + target);
        check_same();

        for (size_t i = 0; i < SIZE; i++)
            to[i] = model[i] = from[i];
        for (size_t i = 0; i < length; i++)
            model[target + i] = from[source + i];
        check(memmove(to + target, to + source, length) == to + target);
        check_same();
    }
}

void test(void)
{
    uint32_t state = 21;
    for (size_t i = 0; i < SIZE; i++)
        from[i] = (uint8_t)next_random(&state);
    static const uint8_t offsets[] = {0, 1, 3};
    for (size_t target = 0; target < sizeof offsets; target++) {
        for (size_t source = 0; source < sizeof offsets; source++)
            check_lengths(offsets[target], offsets[source]);
    }
    check(memcmp("abcd", "abce", 4) < 0);
    check(memcmp("ab\xff", "ab\x01", 3) > 0);
    report(from[0]);
}
