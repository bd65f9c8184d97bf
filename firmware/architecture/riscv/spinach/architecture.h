/* Operations that C cannot express, in the instructions of RISC-V. Included by intrinsics.h. */
#ifndef SPINACH_ARCHITECTURE_H
#define SPINACH_ARCHITECTURE_H

#include <stdbool.h>
#include <stdint.h>

/* Completes all earlier loads and stores of this core before any later one. */
static inline void memory_barrier(void)
{
    __asm__ volatile("fence rw, rw" ::: "memory");
}

/* One load-linked word. The reservation ends at the next store to the word by anyone. */
static inline uint32_t load_linked(const volatile uint32_t *address)
{
    uint32_t value;
    __asm__ volatile("lr.w %0, %1" : "=r"(value) : "A"(*address));
    return value;
}

/* Stores `value` if the reservation still holds; returns whether it did. */
static inline bool store_conditional(volatile uint32_t *address, uint32_t value)
{
    uint32_t failed;
    __asm__ volatile("sc.w %0, %2, %1" : "=&r"(failed), "+A"(*address) : "r"(value) : "memory");
    return failed == 0;
}

/* A whole load-linked sequence in one asm statement: the compiler must not put a load or store between. */
static inline uint32_t compare_swap_sequence(volatile uint32_t *address, uint32_t expected, uint32_t desired)
{
    uint32_t found;
    uint32_t failed;
    __asm__ volatile(
        "1:\tlr.w %0, %2\n\t"
        "bne %0, %3, 2f\n\t"
        "sc.w %1, %4, %2\n\t"
        "bnez %1, 1b\n"
        "2:"
        : "=&r"(found), "=&r"(failed), "+A"(*address)
        : "r"(expected), "r"(desired)
        : "memory");
    return found;
}

static inline uint32_t fetch_add_sequence(volatile uint32_t *address, uint32_t amount)
{
    uint32_t found;
    __asm__ volatile("amoadd.w %0, %2, %1" : "=r"(found), "+A"(*address) : "r"(amount) : "memory");
    return found;
}

static inline uint32_t exchange_sequence(volatile uint32_t *address, uint32_t desired)
{
    uint32_t found;
    __asm__ volatile("amoswap.w %0, %2, %1" : "=r"(found), "+A"(*address) : "r"(desired) : "memory");
    return found;
}

#ifndef SPINACH_LINUX

/* `set` and `update` are encoded in custom-0, which the architecture leaves to the implementer. */
static inline void set_instruction(volatile uint32_t *array, uint32_t index)
{
    __asm__ volatile(".insn r 0x0b, 0, 0, x0, %0, %1" ::"r"(index), "r"(array) : "memory");
}

static inline uint32_t update_instruction(volatile uint32_t *array, uint32_t first)
{
    uint32_t last;
    __asm__ volatile(".insn r 0x0b, 1, 0, %0, %1, %2" : "=r"(last) : "r"(first), "r"(array) : "memory");
    return last;
}

/* The number of this core, from 0. */
static inline uint32_t core_number(void)
{
    uint32_t number;
    __asm__("csrr %0, mhartid" : "=r"(number));
    return number;
}

/* The core's free-running count register: cycles. */
static inline uint32_t cycle_count(void)
{
    uint32_t count;
    __asm__ volatile("csrr %0, mcycle" : "=r"(count));
    return count;
}

/* Ends this core's work with a SPINACH_STOP_ code, which `ebreak` takes from register a0. */
#define stop_core(code)                                                          \
    do {                                                                         \
        register uint32_t stop_code __asm__("a0") = (code);                      \
        __asm__ volatile("ebreak" ::"r"(stop_code) : "memory");                  \
        for (;;) {                                                               \
        }                                                                        \
    } while (0)
#endif

#endif
