#include "spinach/intrinsics.h"

uint32_t atomic_compare_swap(volatile uint32_t *address, uint32_t expected, uint32_t desired)
{
    return compare_swap_sequence(address, expected, desired);
}

uint32_t atomic_fetch_add(volatile uint32_t *address, uint32_t amount)
{
    return fetch_add_sequence(address, amount);
}

uint32_t atomic_exchange(volatile uint32_t *address, uint32_t desired)
{
    return exchange_sequence(address, desired);
}
