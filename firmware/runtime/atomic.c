#include "spinach/intrinsics.h"

/*
 * Whole load-linked sequences in one asm statement: a compiler may spill between two statements, and a store
 * between `ll` and `sc` may end the reservation for ever.
 */

uint32_t atomic_compare_swap(volatile uint32_t *address, uint32_t expected, uint32_t desired)
{
    uint32_t found;
    uint32_t attempt;
    __asm__ volatile(
        ".set push\n\t.set mips2\n\t.set noreorder\n"
        "1:\tll %0, %2\n\t"
        "bne %0, %3, 2f\n\t"
        "move %1, %4\n\t"
        "sc %1, %2\n\t"
        "beqz %1, 1b\n\t"
        "nop\n"
        "2:\n\t.set pop"
        : "=&r"(found), "=&r"(attempt), "+m"(*address)
        : "r"(expected), "r"(desired)
        : "memory");
    return found;
}

uint32_t atomic_fetch_add(volatile uint32_t *address, uint32_t amount)
{
    uint32_t found;
    uint32_t attempt;
    __asm__ volatile(
        ".set push\n\t.set mips2\n\t.set noreorder\n"
        "1:\tll %0, %2\n\t"
        "addu %1, %0, %3\n\t"
        "sc %1, %2\n\t"
        "beqz %1, 1b\n\t"
        "nop\n\t.set pop"
        : "=&r"(found), "=&r"(attempt), "+m"(*address)
        : "r"(amount)
        : "memory");
    return found;
}

uint32_t atomic_exchange(volatile uint32_t *address, uint32_t desired)
{
    uint32_t found;
    uint32_t attempt;
    __asm__ volatile(
        ".set push\n\t.set mips2\n\t.set noreorder\n"
        "1:\tll %0, %2\n\t"
        "move %1, %3\n\t"
        "sc %1, %2\n\t"
        "beqz %1, 1b\n\t"
        "nop\n\t.set pop"
        : "=&r"(found), "=&r"(attempt), "+m"(*address)
        : "r"(desired)
        : "memory");
    return found;
}
