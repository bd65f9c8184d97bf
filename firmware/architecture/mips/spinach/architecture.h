/* Operations that C cannot express, in the instructions of MIPS. Included by intrinsics.h. */
#ifndef SPINACH_ARCHITECTURE_H
#define SPINACH_ARCHITECTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "spinach/coprocessor0.h"

/* Completes all earlier loads and stores of this core before any later one. */
static inline void memory_barrier(void)
{
    __asm__ volatile(".set push\n\t.set mips2\n\tsync\n\t.set pop" ::: "memory");
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

/*
 * Whole load-linked sequences in one asm statement: a compiler may spill between two statements, and a store
 * between `ll` and `sc` may end the reservation for ever.
 */

static inline uint32_t compare_swap_sequence(volatile uint32_t *address, uint32_t expected, uint32_t desired)
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

static inline uint32_t fetch_add_sequence(volatile uint32_t *address, uint32_t amount)
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

static inline uint32_t exchange_sequence(volatile uint32_t *address, uint32_t desired)
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

#ifndef SPINACH_LINUX

/*
 * Assemblers do not know the two instructions. The text below finds the number of the register that the
 * compiler chose for an operand and assembles the word from its fields; an operand that is no register is an
 * error.
 */
#define SPINACH_ASM_REGISTER_NUMBER(symbol, operand)                                           \
    ".set " symbol ", -1\n\t"                                                                  \
    ".irp number,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,30,31\n\t" \
    ".ifc $\\number," operand "\n\t.set " symbol ", \\number\n\t.endif\n\t"                      \
    ".endr\n\t"                                                                                \
    ".ifc $fp," operand "\n\t.set " symbol ", 30\n\t.endif\n\t"                                  \
    ".ifc $ra," operand "\n\t.set " symbol ", 31\n\t.endif\n\t"                                  \
    ".if " symbol " < 0\n\t.error \"not a register: " operand "\"\n\t.endif\n\t"

static inline void set_instruction(volatile uint32_t *array, uint32_t index)
{
    __asm__ volatile(
        SPINACH_ASM_REGISTER_NUMBER("spinach_rs", "%0")
        SPINACH_ASM_REGISTER_NUMBER("spinach_rt", "%1")
        ".word 0x70000010 | spinach_rs << 21 | spinach_rt << 16"
        ::"r"(index), "r"(array)
        : "memory");
}

static inline uint32_t update_instruction(volatile uint32_t *array, uint32_t first)
{
    uint32_t last;
    __asm__ volatile(
        SPINACH_ASM_REGISTER_NUMBER("spinach_rd", "%0")
        SPINACH_ASM_REGISTER_NUMBER("spinach_rs", "%1")
        SPINACH_ASM_REGISTER_NUMBER("spinach_rt", "%2")
        ".word 0x70000011 | spinach_rs << 21 | spinach_rt << 16 | spinach_rd << 11"
        : "=r"(last)
        : "r"(first), "r"(array)
        : "memory");
    return last;
}

/* The number of this core, from 0. */
static inline uint32_t core_number(void)
{
    uint32_t number;
    __asm__("mfc0 %0, $" SPINACH_STRINGIFY(SPINACH_COP0_CORE_NUMBER) : "=r"(number));
    return number;
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
