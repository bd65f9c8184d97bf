/* Heapsort in place. */
#include "sorts.h"

static int32_t values[SORT_COUNT];

static void sift_down(int32_t *heap, size_t node, size_t count)
{
    int32_t sinking = heap[node];
    for (size_t child = 2 * node + 1; child < count; child = 2 * node + 1) {
        if (child + 1 < count && heap[child] < heap[child + 1])
            child++;
        if (heap[child] <= sinking)
            break;
        heap[node] = heap[child];
        node = child;
    }
    heap[node] = sinking;
}

void test(void)
{
    fill(values, SORT_COUNT);
    for (size_t node = SORT_COUNT / 2; node-- > 0;)
        sift_down(values, node, SORT_COUNT);
    for (size_t count = SORT_COUNT; count-- > 1;) {
        int32_t largest = values[0];
        values[0] = values[count];
        values[count] = largest;
        sift_down(values, 0, count);
    }
    judge(values, SORT_COUNT);
}
