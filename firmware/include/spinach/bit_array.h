/*
 * The atomic bit array: the read-modify-write instructions `set` and `update` ("An Efficient Programmable 10
 * Gigabit Ethernet Network Interface Card", HPCA 2005, section 4), with which cores that finish frames out
 * of order commit them in order without a lock.
 *
 * Bit n of an array is bit n mod 32, from the least significant, of its word n div 32.
 *
 * In-order commit over a circular array of SIZE bits (a power of two, at least 32), by one core at a time:
 *
 *     uint32_t last = bit_array_update(done, first);
 *     uint32_t count = last + 1 - first;            // first .. last are done and now ours to commit
 *     first = (last + 1) & (SIZE - 1);
 */
#ifndef SPINACH_BIT_ARRAY_H
#define SPINACH_BIT_ARRAY_H

#include <stdint.h>

#include "spinach/intrinsics.h"

#ifdef SPINACH_LINUX

void bit_array_set(volatile uint32_t *array, uint32_t index);
uint32_t bit_array_update(volatile uint32_t *array, uint32_t first);

#else

/* Sets bit `index`. */
static inline void bit_array_set(volatile uint32_t *array, uint32_t index)
{
    set_instruction(array, index);
}

/*
 * Looks only at the word that holds bit `first`. Clears the run of ones that begins there and returns the
 * index of the last bit cleared, or `first - 1` if bit `first` is zero.
 */
static inline uint32_t bit_array_update(volatile uint32_t *array, uint32_t first)
{
    return update_instruction(array, first);
}

#endif
#endif
