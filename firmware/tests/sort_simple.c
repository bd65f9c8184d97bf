/* Insertion sort, Shell's sort and a radix sort must agree. */
#include "sorts.h"

static int32_t by_insertion[SORT_COUNT];
static int32_t by_gaps[SORT_COUNT];
static int32_t by_digits[SORT_COUNT];
static int32_t scratch[SORT_COUNT];

static void insertion_sort(int32_t *values, size_t count, size_t gap)
{
    for (size_t i = gap; i < count; i++) {
        int32_t moving = values[i];
        size_t place = i;
        for (; place >= gap && values[place - gap] > moving; place -= gap)
            values[place] = values[place - gap];
        values[place] = moving;
    }
}

static void radix_sort(int32_t *values, size_t count)
{
    static uint16_t start[257];
    for (int shift = 0; shift < 32; shift += 8) {
        uint32_t flip = shift == 24 ? 0x80 : 0; /* negative numbers first */
        for (size_t digit = 0; digit <= 256; digit++)
            start[digit] = 0;
        for (size_t i = 0; i < count; i++)
            start[(((uint32_t)values[i] >> shift & 0xff) ^ flip) + 1]++;
        for (size_t digit = 0; digit < 256; digit++)
            start[digit + 1] = (uint16_t)(start[digit + 1] + start[digit]);
        for (size_t i = 0; i < count; i++)
            scratch[start[((uint32_t)values[i] >> shift & 0xff) ^ flip]++] = values[i];
        for (size_t i = 0; i < count; i++)
            values[i] = scratch[i];
    }
}

void test(void)
{
    static const uint8_t gaps[] = {132, 57, 23, 10, 4, 1};
    fill(by_insertion, SORT_COUNT);
    fill(by_gaps, SORT_COUNT);
    fill(by_digits, SORT_COUNT);
    insertion_sort(by_insertion, SORT_COUNT, 1);
    for (size_t i = 0; i < sizeof gaps; i++)
        insertion_sort(by_gaps, SORT_COUNT, gaps[i]);
    radix_sort(by_digits, SORT_COUNT);
    for (size_t i = 0; i < SORT_COUNT; i++)
        check(by_insertion[i] == by_gaps[i] && by_gaps[i] == by_digits[i]);
    judge(by_digits, SORT_COUNT);
}
