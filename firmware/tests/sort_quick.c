/* Quicksort with the median of three, the larger part left to the loop so that the stack stays shallow. */
#include "sorts.h"

static int32_t values[SORT_COUNT];

static void swap(int32_t *a, int32_t *b)
{
    int32_t t = *a;
    *a = *b;
    *b = t;
}

static void sort(int32_t *first, int32_t *last)
{
    while (last - first > 1) {
        int32_t *middle = first + (last - first) / 2;
        if (*middle < *first)
            swap(middle, first);
        if (*last < *first)
            swap(last, first);
        if (*last < *middle)
            swap(last, middle);
        int32_t pivot = *middle;
        int32_t *left = first;
        int32_t *right = last;
        while (left <= right) {
            while (*left < pivot)
                left++;
            while (pivot < *right)
                right--;
            if (left <= right)
                swap(left++, right--);
        }
        if (right - first < last - left) {
            sort(first, right);
            first = left;
        } else {
            sort(left, last);
            last = right;
        }
    }
    if (last > first && *last < *first)
        swap(first, last);
}

void test(void)
{
    fill(values, SORT_COUNT);
    sort(values, values + SORT_COUNT - 1);
    judge(values, SORT_COUNT);
    sort(values, values + SORT_COUNT - 1); /* already sorted */
    judge(values, SORT_COUNT);
}
