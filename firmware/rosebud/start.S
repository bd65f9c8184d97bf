/*
 * Start-up of a core of Rosebud: the stack, .bss, then core_main.
 *
 * The second instruction is where interrupts and exceptions go. An exception leaves mcause, mepc and mtval in
 * spinach_exception_record, and stops the core with SPINACH_STOP_EXCEPTION. `ebreak` takes the code from a0.
 */
#include "spinach/stop.h"

    .option norvc

    .section .start, "ax", @progbits
    .globl _start
_start:
    j start_core
    .globl exception_vector
    .type exception_vector, @function
exception_vector:
    lui t1, %hi(spinach_exception_record)
    addi t1, t1, %lo(spinach_exception_record)
    csrr t0, mcause
    sw t0, 0(t1)
    csrr t0, mepc
    sw t0, 4(t1)
    csrr t0, mtval
    sw t0, 8(t1)
    li a0, SPINACH_STOP_EXCEPTION
1:  ebreak
    j 1b
    .size exception_vector, . - exception_vector

    .section .text.start_core, "ax", @progbits
    .globl start_core
    .type start_core, @function
start_core:
    lui sp, %hi(spinach_stacks)
    addi sp, sp, %lo(spinach_stacks)
    lui t0, %hi(spinach_stack_bytes)
    addi t0, t0, %lo(spinach_stack_bytes)
    add sp, sp, t0

    lui t0, %hi(spinach_bss_start)
    addi t0, t0, %lo(spinach_bss_start)
    lui t1, %hi(spinach_bss_end)
    addi t1, t1, %lo(spinach_bss_end)
    j 2f
1:  sw zero, 0(t0)
    addi t0, t0, 4
2:  blt t0, t1, 1b

    call core_main
    snez a0, a0
stop:
    ebreak
    j stop
    .size start_core, . - start_core
