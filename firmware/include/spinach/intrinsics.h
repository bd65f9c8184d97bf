/*
 * Operations of the modelled cores that C has no words for.
 *
 * Compiled with SPINACH_LINUX defined, the same interface serves a Linux user program: one thread represents
 * a core, and the bit-array instructions, which ordinary processors do not have, become load-linked
 * sequences.
 */
#ifndef SPINACH_INTRINSICS_H
#define SPINACH_INTRINSICS_H

#include <stdbool.h>
#include <stdint.h>

#define SPINACH_STRINGIFY_(text) #text
#define SPINACH_STRINGIFY(text) SPINACH_STRINGIFY_(text)

/*
 * memory_barrier, load_linked, store_conditional; core_number, cycle_count and stop_core of a modelled core: the one
 * in firmware/architecture that the build chooses.
 */
#include "spinach/architecture.h"

/* Keeps the compiler from moving memory accesses across this point; costs no instruction. */
static inline void compiler_barrier(void)
{
    __asm__ volatile("" ::: "memory");
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

/* Say that this core waits for another. A modelled core has nothing better to do. */
static inline void spin_pause(void)
{
    compiler_barrier();
}

#endif

#endif
