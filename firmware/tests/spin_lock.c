/* Cores contend for one spin lock; what it protects must never be seen half done. */
#include "check.h"

#include "spinach/intrinsics.h"
#include "spinach/lock.h"

#define ROUNDS 100

static spin_lock_t lock;
static volatile uint32_t first, second, owner, taken_by[6];
static core_barrier_t finished;

void test(void)
{
    uint32_t me = core_number();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (round % 4 == 3) {
            while (!spin_lock_try(&lock))
                spin_pause();
        } else {
            spin_lock_take(&lock);
        }
        check(owner == 0);
        owner = me + 1;
        uint32_t before = first;
        check(second == 3 * before);
        first = before + 1;
        second = 3 * before + 3;
        taken_by[me] = taken_by[me] + 1;
        check(owner == me + 1);
        owner = 0;
        spin_lock_release(&lock);
    }
    core_barrier_wait(&finished);
    if (me == 0) {
        report(first);
        report(second);
        for (uint32_t core = 0; core < core_count(); core++)
            report(taken_by[core]);
    }
}
