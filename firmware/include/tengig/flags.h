/*
 * Flags between one step of processing that finishes elements in any order and the next, which takes them in order.
 *
 * `first` and `index` are positions in a ring of 256 elements. Taking needs the taker's lock; setting needs none.
 */
#ifndef TENGIG_FLAGS_H
#define TENGIG_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "spinach/bit_array.h"
#include "spinach/intrinsics.h"
#include "spinach/lock.h"
#include "tengig/state.h"

#define FLAG_POSITION(counter) ((counter) & 255u)

#if defined(TENGIG_BIT_ARRAYS) || defined(TENGIG_LOCKED_FLAGS)

static inline bool flag_is_set(const done_flags_t *flags, uint32_t counter)
{
    uint32_t position = FLAG_POSITION(counter);
    return flags->words[position / 32] >> (position % 32) & 1;
}

#endif

#if defined(TENGIG_LOCKED_FLAGS)

/* In software, a lock protects each change of the bits ("basic lock-based synchronization", HPCA 2005, section 6.3). */
static inline void flag_set(done_flags_t *flags, uint32_t counter)
{
    uint32_t position = FLAG_POSITION(counter);
    spin_lock_take(&flags->lock);
    flags->words[position / 32] |= 1u << (position % 32);
    spin_lock_release(&flags->lock);
}

/* Clears the flags that are set from `counter` on, within one word, and returns how many. */
static inline uint32_t flags_take(done_flags_t *flags, uint32_t counter)
{
    uint32_t first = FLAG_POSITION(counter), position = first;
    spin_lock_take(&flags->lock);
    uint32_t word = flags->words[first / 32];
    do {
        if (!(word >> (position % 32) & 1))
            break;
        word &= ~(1u << (position % 32));
        position++;
    } while (position % 32);
    flags->words[first / 32] = word;
    spin_lock_release(&flags->lock);
    return position - first;
}

#elif defined(TENGIG_BIT_ARRAYS)

static inline void flag_set(done_flags_t *flags, uint32_t counter)
{
    bit_array_set(flags->words, FLAG_POSITION(counter));
}

/* Clears the flags that are set from `counter` on and returns how many; perhaps not all of them. */
static inline uint32_t flags_take(done_flags_t *flags, uint32_t counter)
{
    uint32_t position = FLAG_POSITION(counter);
    return bit_array_update(flags->words, position) + 1 - position;
}

#else

static inline void flag_set(done_flags_t *flags, uint32_t counter)
{
    compiler_barrier(); /* what the element holds is stored before its flag */
    flags->flags[FLAG_POSITION(counter)] = 1;
}

static inline bool flag_is_set(const done_flags_t *flags, uint32_t counter)
{
    return flags->flags[FLAG_POSITION(counter)];
}

#define FLAGS_TAKEN_AT_ONCE 32

static inline uint32_t flags_take(done_flags_t *flags, uint32_t counter)
{
    uint32_t count = 0;
    while (count < FLAGS_TAKEN_AT_ONCE && flag_is_set(flags, counter + count)) {
        flags->flags[FLAG_POSITION(counter + count)] = 0;
        count++;
    }
    compiler_barrier(); /* and is loaded after it */
    return count;
}

#endif
#endif
