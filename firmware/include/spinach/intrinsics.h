/*
 * Operations of the modelled cores that C has no words for.
 *
 * Compiled with SPINACH_LINUX defined, the same interface serves a Linux user program: one thread stands for
 * a core, and the bit-array instructions, which ordinary MIPS processors do not have, become load-linked
 * sequences.
 */
#ifndef SPINACH_INTRINSICS_H
#define SPINACH_INTRINSICS_H

#include <stdbool.h>
#include <stdint.h>

#include "spinach/coprocessor0.h"

#define SPINACH_STRINGIFY_(text) #text
#define SPINACH_STRINGIFY(text) SPINACH_STRINGIFY_(text)

/* Completes all earlier loads and stores of this core before any later one. */
static inline void memory_barrier(void)
{
    __asm__ volatile(".set push\n\t.set mips2\n\tsync\n\t.set pop" ::: "memory");
}

/* Keeps the compiler from moving memory accesses across this point; costs no instruction. */
static inline void compiler_barrier(void)
{
    __asm__ volatile("" ::: "memory");
}

/* One load-linked word. The reservation ends at the next store to the word by anyone. */
static inline uint32_t load_linked(const volatile uint32_t *address)
{
    uint32_t value;
    __asm__ volatile(".set push\n\t.set mips2\n\tll %0, %1\n\t.set pop" : "=r"(value) : "m"(*address));
    return value;
}

/* Stores `value` if the reservation still holds; returns whether it did. */
static inline bool store_conditional(volatile uint32_t *address, uint32_t value)
{
    __asm__ volatile(".set push\n\t.set mips2\n\tsc %0, %1\n\t.set pop"
                     : "+r"(value), "+m"(*address)
                     :
                     : "memory");
    return value != 0;
}

/* Replaces *address by `desired` if it equals `expected`; returns the word found. No ordering is implied. */
uint32_t atomic_compare_swap(volatile uint32_t *address, uint32_t expected, uint32_t desired);

/* Adds `amount` to *address; returns the word before the addition. No ordering is implied. */
uint32_t atomic_fetch_add(volatile uint32_t *address, uint32_t amount);

/* Replaces *address by `desired`; returns the word before. No ordering is implied. */
uint32_t atomic_exchange(volatile uint32_t *address, uint32_t desired);

/* The number of cores that the image is linked for (`cores` in firmware.toml), at least 1. */
static inline uint32_t core_count(void)
{
    extern uint8_t spinach_core_count[]; /* the address is the value */
    return (uint32_t)(uintptr_t)spinach_core_count;
}

#ifdef SPINACH_LINUX

uint32_t core_number(void);
void spin_pause(void);

#else

/* The number of this core, from 0. */
static inline uint32_t core_number(void)
{
    uint32_t number;
    __asm__("mfc0 %0, $" SPINACH_STRINGIFY(SPINACH_COP0_CORE_NUMBER) : "=r"(number));
    return number;
}

/* Say that this core waits for another. A modelled core has nothing better to do. */
static inline void spin_pause(void)
{
    compiler_barrier();
}

/* The core's free-running count register. */
static inline uint32_t cycle_count(void)
{
    uint32_t count;
    __asm__ volatile("mfc0 %0, $" SPINACH_STRINGIFY(SPINACH_COP0_COUNT) : "=r"(count));
    return count;
}

/* Ends this core's work with a SPINACH_STOP_ code, which must be a constant. */
#define stop_core(code)                                                     \
    do {                                                                    \
        __asm__ volatile("break " SPINACH_STRINGIFY(code) ::: "memory");    \
        for (;;) {                                                          \
        }                                                                   \
    } while (0)
#endif

#endif
