/* Mutual exclusion and rendezvous between cores, built on load-linked and store-conditional. */
#ifndef SPINACH_LOCK_H
#define SPINACH_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "spinach/intrinsics.h"

/* Free when 0. A lock in zeroed memory is ready for use. */
typedef struct {
    volatile uint32_t held;
} spin_lock_t;

/* Takes the lock if it is free; returns whether it was. What the lock protects is visible after success. */
static inline bool spin_lock_try(spin_lock_t *lock)
{
    if (atomic_compare_swap(&lock->held, 0, 1) != 0)
        return false;
    memory_barrier();
    return true;
}

/*
 * Waits for the lock. Waiting reads only, so that the holder's stores meet no contention from
 * store-conditionals.
 */
static inline void spin_lock_take(spin_lock_t *lock)
{
    while (!spin_lock_try(lock)) {
        while (lock->held)
            spin_pause();
    }
}

static inline void spin_lock_release(spin_lock_t *lock)
{
    memory_barrier();
    lock->held = 0;
}

/* First come, first served. A lock in zeroed memory is ready for use. */
typedef struct {
    volatile uint32_t next_ticket;
    volatile uint32_t now_serving;
} ticket_lock_t;

static inline void ticket_lock_take(ticket_lock_t *lock)
{
    uint32_t ticket = atomic_fetch_add(&lock->next_ticket, 1);
    while (lock->now_serving != ticket)
        spin_pause();
    memory_barrier();
}

/* Only the holder writes `now_serving`, so a plain store is enough. */
static inline void ticket_lock_release(ticket_lock_t *lock)
{
    memory_barrier();
    lock->now_serving = lock->now_serving + 1;
}

/* A rendezvous that can be used again at once. A barrier in zeroed memory is ready for use. */
typedef struct {
    volatile uint32_t arrived;
    volatile uint32_t generation;
} core_barrier_t;

/* Returns when all core_count() cores have called it. */
static inline void core_barrier_wait(core_barrier_t *barrier)
{
    uint32_t generation = barrier->generation;
    memory_barrier();
    if (atomic_fetch_add(&barrier->arrived, 1) + 1 == core_count()) {
        barrier->arrived = 0;
        memory_barrier();
        barrier->generation = generation + 1;
    } else {
        while (barrier->generation == generation)
            spin_pause();
    }
    memory_barrier();
}

#endif
