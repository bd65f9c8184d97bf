/* Cores compute a prefix sum together, in phases that a barrier separates. */
#include "check.h"

#include "spinach/intrinsics.h"
#include "spinach/lock.h"

#define COUNT 96u

static volatile uint32_t values[2][COUNT];
static core_barrier_t barrier;

void test(void)
{
    uint32_t me = core_number();
    uint32_t cores = core_count();
    uint32_t state = 71;
    uint32_t from = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t value = next_random(&state) & 0xffff;
        if (i % cores == me)
            values[0][i] = value;
    }
    core_barrier_wait(&barrier);
    for (uint32_t step = 1; step < COUNT; step *= 2, from ^= 1) {
        for (uint32_t i = me; i < COUNT; i += cores)
            values[!from][i] = values[from][i] + (i >= step ? values[from][i - step] : 0);
        core_barrier_wait(&barrier);
    }
    state = 71;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        sum += next_random(&state) & 0xffff;
        check(values[from][i] == sum);
    }
    if (me == 0)
        report(sum);
}
