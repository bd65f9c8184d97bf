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
#include "tengig/state.h"

#define FLAG_POSITION(counter) ((counter) & 255u)

#ifdef TENGIG_BIT_ARRAYS

static inline void flag_set(done_flags_t *flags, uint32_t counter)
{
    bit_array_set(flags->words, FLAG_POSITION(counter));
}

static inline bool flag_is_set(const done_flags_t *flags, uint32_t counter)
{
    uint32_t position = FLAG_POSITION(counter);
    return flags->words[position / 32] >> (position % 32) & 1;
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
