/* Fetch-add, compare-swap and exchange by several cores at once: nothing is lost, nothing is seen twice. */
#include "check.h"

#include "spinach/intrinsics.h"
#include "spinach/lock.h"

#define ROUNDS 150
#define CORES_MAXIMUM 8

static volatile uint32_t counter, largest, token = 1, token_sum;
static volatile uint8_t seen[ROUNDS * CORES_MAXIMUM];
static core_barrier_t finished;

static void raise_largest(uint32_t value)
{
    uint32_t found = largest;
    while (found < value) {
        uint32_t before = atomic_compare_swap(&largest, found, value);
        if (before == found)
            break;
        found = before;
    }
}

void test(void)
{
    uint32_t me = core_number();
    uint32_t state = 100 + me;
    uint32_t previous = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t mine = atomic_fetch_add(&counter, 1);
        check(round == 0 || mine > previous);
        previous = mine;
        check(seen[mine] == 0);
        seen[mine] = 1;
        raise_largest(next_random(&state) >> 8);
        /* The word handed out by an exchange has one owner: every value put in comes out once. */
        atomic_fetch_add(&token_sum, atomic_exchange(&token, (me + 1) * 1000 + round));
    }
    core_barrier_wait(&finished);
    if (me == 0) {
        report(counter);
        report(largest);
        report(token_sum + token);
        for (uint32_t i = 0; i < counter; i++)
            check(seen[i] == 1);
    }
}
