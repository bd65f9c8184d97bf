/* Services that the modelled cores provide in hardware, provided here for a Linux user program. */
#include <stdint.h>

#include "spinach/bit_array.h"
#include "spinach/intrinsics.h"

extern uint8_t spinach_stacks[];
extern uint8_t spinach_stack_bytes[]; /* the address is the value */

/* A thread is known by the stack it runs on. */
uint32_t core_number(void)
{
    uintptr_t offset = (uintptr_t)__builtin_frame_address(0) - (uintptr_t)spinach_stacks;
    return offset / (uintptr_t)spinach_stack_bytes;
}

#if defined(__riscv)

#define SYSTEM_CALL_SCHED_YIELD 124

void spin_pause(void)
{
    register uint32_t number __asm__("a7") = SYSTEM_CALL_SCHED_YIELD;
    register uint32_t result __asm__("a0");
    __asm__ volatile("ecall" : "=r"(result) : "r"(number) : "memory");
}

#elif defined(__powerpc__)

#define SYSTEM_CALL_SCHED_YIELD 158

void spin_pause(void)
{
    register uint32_t number __asm__("r0") = SYSTEM_CALL_SCHED_YIELD;
    register uint32_t result __asm__("r3");
    __asm__ volatile("sc"
                     : "+r"(number), "=r"(result)
                     :
                     : "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "cr0", "ctr", "memory");
}

#else

#define SYSTEM_CALL_SCHED_YIELD 4162

void spin_pause(void)
{
    register uint32_t number __asm__("$2") = SYSTEM_CALL_SCHED_YIELD;
    register uint32_t error __asm__("$7");
    __asm__ volatile("syscall"
                     : "+r"(number), "=r"(error)
                     :
                     : "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24", "$25", "hi", "lo",
                       "memory");
}

#endif

void bit_array_set(volatile uint32_t *array, uint32_t index)
{
    volatile uint32_t *word = array + index / 32;
    uint32_t found;
    do {
        found = *word;
    } while (atomic_compare_swap(word, found, found | 1u << (index % 32)) != found);
}

uint32_t bit_array_update(volatile uint32_t *array, uint32_t first)
{
    volatile uint32_t *word = array + first / 32;
    uint32_t found;
    uint32_t left;
    uint32_t run;
    do {
        found = *word;
        left = found;
        run = 0;
        for (uint32_t bit = first % 32; bit < 32 && found >> bit & 1; bit++) {
            left &= ~(1u << bit);
            run++;
        }
    } while (atomic_compare_swap(word, found, left) != found);
    return first + run - 1;
}
