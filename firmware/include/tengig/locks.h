/*
 * Locks around metadata. A core that finds one held proceeds to other work: its holder is doing this work already.
 */
#ifndef TENGIG_LOCKS_H
#define TENGIG_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "spinach/lock.h"

#ifdef TENGIG_EVENT_QUEUE

/* The queue gives each kind of work that has a lock to one core at a time. */
static inline bool send_lock_try(spin_lock_t *lock) { (void)lock; return true; }
static inline bool receive_lock_try(spin_lock_t *lock) { (void)lock; return true; }
static inline void unlock(spin_lock_t *lock) { (void)lock; }

#else

bool send_lock_try(spin_lock_t *lock);
void send_lock_take(spin_lock_t *lock);
bool receive_lock_try(spin_lock_t *lock);
void receive_lock_take(spin_lock_t *lock);

static inline void unlock(spin_lock_t *lock)
{
    compiler_barrier(); /* memory is sequentially consistent, so only the compiler could move anything */
    lock->held = 0;
}

#endif

/*
 * Takes up to `most` elements from `*claimed` up to `done`, for this core alone. Returns how many, from `*start` on. Gives up
 * when another core gets in between.
 */
static inline uint32_t claim(volatile uint32_t *claimed, const volatile uint32_t *done, uint32_t most, uint32_t *start)
{
    uint32_t first = load_linked(claimed);
    uint32_t count = *done - first;
    if (count == 0)
        return 0;
    if (count > most)
        count = most;
    *start = first;
    return store_conditional(claimed, first + count) ? count : 0;
}

#endif
