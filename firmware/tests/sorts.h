/*
 * Common code of the sorting programs: the array, filled the same way every time, and the check of a sorted one.
 */
#ifndef SORTS_H
#define SORTS_H

#include "check.h"

#define SORT_COUNT 150

static inline void fill(int32_t *values, size_t count)
{
    uint32_t state = 42;
    for (size_t i = 0; i < count; i++)
        values[i] = (int32_t)next_random(&state) >> 12;
}

/* Checks the order and reports a position-dependent sum and a few elements. */
static inline void judge(const int32_t *values, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        check(i == 0 || values[i - 1] <= values[i]);
        sum = sum * 31 + (uint32_t)values[i];
    }
    report(sum);
    for (size_t i = 0; i < count; i += 50)
        report((uint32_t)values[i]);
}

#endif
