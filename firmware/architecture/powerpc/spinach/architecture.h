/* Operations that C cannot express, in the instructions of PowerPC. Included by intrinsics.h. */
#ifndef SPINACH_ARCHITECTURE_H
#define SPINACH_ARCHITECTURE_H

#include <stdbool.h>
#include <stdint.h>

/* Completes all earlier loads and stores of this core before any later one. */
static inline void memory_barrier(void)
{
    __asm__ volatile("sync" ::: "memory");
}

/* One load-linked word. The reservation ends at the next store to the word by anyone. */
static inline uint32_t load_linked(const volatile uint32_t *address)
{
    uint32_t value;
    __asm__ volatile("lwarx %0, 0, %1" : "=r"(value) : "r"(address), "m"(*address));
    return value;
}

/* Stores `value` if the reservation still holds; returns whether it did. */
static inline bool store_conditional(volatile uint32_t *address, uint32_t value)
{
    uint32_t conditions;
    __asm__ volatile("stwcx. %2, 0, %3\n\tmfcr %0"
                     : "=r"(conditions), "=m"(*address)
                     : "r"(value), "r"(address)
                     : "cr0", "memory");
    return conditions >> 29 & 1;
}

/* A whole load-linked sequence in one asm statement: the compiler must not put a load or store between. */
static inline uint32_t compare_swap_sequence(volatile uint32_t *address, uint32_t expected, uint32_t desired)
{
    uint32_t found;
    __asm__ volatile(
        "1:\tlwarx %0, 0, %1\n\t"
        "cmpw %0, %2\n\t"
        "bne 2f\n\t"
        "stwcx. %3, 0, %1\n\t"
        "bne 1b\n"
        "2:"
        : "=&r"(found)
        : "r"(address), "r"(expected), "r"(desired)
        : "cr0", "memory");
    return found;
}

static inline uint32_t fetch_add_sequence(volatile uint32_t *address, uint32_t amount)
{
    uint32_t found;
    uint32_t sum;
    __asm__ volatile(
        "1:\tlwarx %0, 0, %2\n\t"
        "add %1, %0, %3\n\t"
        "stwcx. %1, 0, %2\n\t"
        "bne 1b"
        : "=&r"(found), "=&r"(sum)
        : "r"(address), "r"(amount)
        : "cr0", "memory");
    return found;
}

static inline uint32_t exchange_sequence(volatile uint32_t *address, uint32_t desired)
{
    uint32_t found;
    __asm__ volatile(
        "1:\tlwarx %0, 0, %1\n\t"
        "stwcx. %2, 0, %1\n\t"
        "bne 1b"
        : "=&r"(found)
        : "r"(address), "r"(desired)
        : "cr0", "memory");
    return found;
}

#ifndef SPINACH_LINUX

/* `setbit` and `updatebits` are encoded in the primary opcode 4, where the 405 has no instruction. */
static inline void set_instruction(volatile uint32_t *array, uint32_t index)
{
    register volatile uint32_t *base __asm__("r11") = array;
    register uint32_t bit __asm__("r12") = index;
    __asm__ volatile(".long 4 << 26 | 11 << 16 | 12 << 11 | 1022 << 1" ::"r"(base), "r"(bit) : "memory");
}

static inline uint32_t update_instruction(volatile uint32_t *array, uint32_t first)
{
    register volatile uint32_t *base __asm__("r11") = array;
    register uint32_t bit __asm__("r12") = first;
    __asm__ volatile(".long 4 << 26 | 12 << 21 | 11 << 16 | 12 << 11 | 1023 << 1" : "+r"(bit) : "r"(base) : "memory");
    return bit;
}

/* The number of this core, from 0: special register 286, which the modelled cores have and the 405 has not. */
static inline uint32_t core_number(void)
{
    uint32_t number;
    __asm__("mfspr %0, 286" : "=r"(number));
    return number;
}

/* The core's free-running count register, the lower half of the time base: cycles. */
static inline uint32_t cycle_count(void)
{
    uint32_t count;
    __asm__ volatile("mfspr %0, 268" : "=r"(count));
    return count;
}

/* Ends this core's work with a SPINACH_STOP_ code, which `trap` takes from register 3. */
#define stop_core(code)                                                          \
    do {                                                                         \
        register uint32_t stop_code __asm__("r3") = (code);                      \
        __asm__ volatile("trap" ::"r"(stop_code) : "memory");                    \
        for (;;) {                                                               \
        }                                                                        \
    } while (0)
#endif

#endif
