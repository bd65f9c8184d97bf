/* What the modelled cores answer by themselves, as a Linux user program answers it. */
#include <stdint.h>

#include "spinach/intrinsics.h"

#define SYSTEM_CALL_SCHED_YIELD 4162

extern uint8_t spinach_stacks[];
extern uint8_t spinach_stack_bytes[]; /* the address is the value */

/* A thread is known by the stack it runs on. */
uint32_t core_number(void)
{
    uintptr_t offset = (uintptr_t)__builtin_frame_address(0) - (uintptr_t)spinach_stacks;
    return offset / (uintptr_t)spinach_stack_bytes;
}

void spin_pause(void)
{
    register uint32_t number __asm__("$2") = SYSTEM_CALL_SCHED_YIELD;
    register uint32_t error __asm__("$7");
    __asm__ volatile("syscall"
                     : "+r"(number), "=r"(error)
                     :
                     : "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24", "$25", "hi", "lo", "memory");
}
