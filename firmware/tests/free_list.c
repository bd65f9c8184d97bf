/* Lock-free stack of buffers; a tag next to the top's index guards against a top that left and came back. */
#include "check.h"

#include "spinach/intrinsics.h"
#include "spinach/lock.h"

#define BUFFERS 16u
#define ROUNDS 120
#define NONE 0xffffu

static volatile uint32_t top; /* tag in the high half, index in the low half */
static volatile uint32_t below[BUFFERS];
static volatile uint32_t owner[BUFFERS], uses[BUFFERS];
static core_barrier_t ready, finished;

static void push(uint32_t index)
{
    uint32_t found;
    do {
        found = top;
        below[index] = found & 0xffff;
        memory_barrier();
    } while (atomic_compare_swap(&top, found, ((found & 0xffff0000u) + 0x10000) | index) != found);
}

static uint32_t pop(void)
{
    for (;;) {
        uint32_t found = top;
        uint32_t index = found & 0xffff;
        if (index == NONE)
            return NONE;
        uint32_t next = below[index];
        if (atomic_compare_swap(&top, found, ((found & 0xffff0000u) + 0x10000) | next) == found) {
            memory_barrier();
            return index;
        }
    }
}

void test(void)
{
    uint32_t me = core_number();
    uint32_t state = 7 + me;
    if (me == 0) {
        top = NONE;
        for (uint32_t index = 0; index < BUFFERS; index++)
            push(index);
    }
    core_barrier_wait(&ready);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t held[3];
        uint32_t wanted = 1 + next_random(&state) % 3;
        uint32_t count = 0;
        for (; count < wanted; count++) {
            uint32_t index = pop();
            if (index == NONE)
                break;
            check(owner[index] == 0);
            owner[index] = me + 1;
            uses[index] = uses[index] + 1;
            held[count] = index;
        }
        while (count-- > 0) {
            check(owner[held[count]] == me + 1);
            owner[held[count]] = 0;
            memory_barrier();
            push(held[count]);
        }
    }
    core_barrier_wait(&finished);
    if (me != 0)
        return;
    uint32_t left = 0;
    for (uint32_t index = pop(); index != NONE; index = pop()) {
        check(owner[index] == 0);
        left |= 1u << index;
    }
    report(left);
}
