/* Cores contend for a ticket lock, which serves them in the order in which they came. */
#include "check.h"

#include "spinach/intrinsics.h"
#include "spinach/lock.h"

#define ROUNDS 60
#define CORES_MAXIMUM 8

static ticket_lock_t lock;
static core_barrier_t finished;
static volatile uint32_t served;
static volatile uint32_t history[ROUNDS * CORES_MAXIMUM];

void test(void)
{
    uint32_t me = core_number();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        ticket_lock_take(&lock);
        check(lock.now_serving == served);
        history[served] = me + 1;
        served = served + 1;
        ticket_lock_release(&lock);
    }
    core_barrier_wait(&finished);
    if (me != 0)
        return;
    uint32_t counts[CORES_MAXIMUM] = {0};
    for (uint32_t turn = 0; turn < ROUNDS * core_count(); turn++)
        counts[history[turn] - 1]++;
    for (uint32_t core = 0; core < core_count(); core++)
        report(counts[core]);
    report(lock.next_ticket);
    report(lock.now_serving);
}
