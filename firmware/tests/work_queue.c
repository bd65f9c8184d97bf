/*
 * Even cores produce into a bounded queue, odd ones consume; slots carry sequence numbers instead of locks.
 */
#include "check.h"

#include "spinach/intrinsics.h"
#include "spinach/lock.h"

/* After D. Vyukov's bounded multi-producer multi-consumer queue. */
#define SLOTS 8u
#define ITEMS 120u /* per producer */
#define CORES_MAXIMUM 8

static struct {
    volatile uint32_t sequence;
    volatile uint32_t item;
} slots[SLOTS];

static volatile uint32_t head, tail, consumed, item_sum, taken[CORES_MAXIMUM * ITEMS];
static core_barrier_t ready, finished;

static void put(uint32_t item)
{
    for (;;) {
        uint32_t position = tail;
        int32_t distance = (int32_t)(slots[position % SLOTS].sequence - position);
        if (distance == 0 && atomic_compare_swap(&tail, position, position + 1) == position) {
            slots[position % SLOTS].item = item;
            memory_barrier();
            slots[position % SLOTS].sequence = position + 1;
            return;
        }
        if (distance < 0)
            spin_pause();
    }
}

static bool get(uint32_t *item)
{
    uint32_t position = head;
    int32_t distance = (int32_t)(slots[position % SLOTS].sequence - (position + 1));
    if (distance != 0 || atomic_compare_swap(&head, position, position + 1) != position)
        return false;
    memory_barrier();
    *item = slots[position % SLOTS].item;
    memory_barrier();
    slots[position % SLOTS].sequence = position + SLOTS;
    return true;
}

void test(void)
{
    uint32_t me = core_number();
    uint32_t total = core_count() / 2 * ITEMS;
    if (me == 0) {
        for (uint32_t slot = 0; slot < SLOTS; slot++)
            slots[slot].sequence = slot;
    }
    core_barrier_wait(&ready);
    if (me % 2 == 0) {
        for (uint32_t i = 0; i < ITEMS; i++)
            put(me / 2 * ITEMS + i);
    } else {
        uint32_t item;
        while (consumed < total) {
            if (!get(&item)) {
                spin_pause();
                continue;
            }
            atomic_fetch_add(&taken[item], 1);
            atomic_fetch_add(&item_sum, item);
            atomic_fetch_add(&consumed, 1);
        }
    }
    core_barrier_wait(&finished);
    if (me == 0) {
        for (uint32_t i = 0; i < total; i++)
            check(taken[i] == 1);
        report(consumed);
        report(item_sum);
        report(head);
        report(tail);
    }
}
