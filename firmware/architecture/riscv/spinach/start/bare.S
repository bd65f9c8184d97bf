/*
 * Start-up on a modelled core of RISC-V, as on others: every core begins at _start, the first address of the image.
 *
 * Each core gets its own stack. Core 0 clears .bss while the others wait. Then each core below
 * spinach_core_count calls core_main(core number) and stops with SPINACH_STOP_DONE, or SPINACH_STOP_FAILED
 * if core_main returned other than 0. Cores from spinach_core_count up stop at once. The image must be
 * loaded afresh before it is started again: the gate that the cores wait at lies in .data.
 *
 * At _start + 0x180 is a handler of exceptions. It leaves mcause, mepc and mtval in spinach_exception_record, four words per
 * core, and stops the core with SPINACH_STOP_EXCEPTION. `ebreak` takes the code from a0.
 */
#include "spinach/stop.h"

    .option norvc

    .section .start, "ax", @progbits
    .globl _start
_start:
    lui t0, %hi(start_core)
    jr %lo(start_core)(t0)

    .org 0x180
    .globl exception_vector
    .type exception_vector, @function
exception_vector:
    csrr t0, mhartid
    slli t0, t0, 4
    lui t1, %hi(spinach_exception_record)
    addi t1, t1, %lo(spinach_exception_record)
    add t1, t1, t0
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
    csrr s0, mhartid
    lui t0, %hi(spinach_core_count)
    addi t0, t0, %lo(spinach_core_count)
    li a0, 0
    bgeu s0, t0, stop

    lui sp, %hi(spinach_stacks)
    addi sp, sp, %lo(spinach_stacks)
    lui t0, %hi(spinach_stack_bytes)
    addi t0, t0, %lo(spinach_stack_bytes)
    addi t1, s0, 1
    mul t0, t0, t1
    add sp, sp, t0

    lui t2, %hi(gate)
    addi t2, t2, %lo(gate)
    beqz s0, clear
wait:
    lw t0, 0(t2)
    beqz t0, wait
    j run

clear:
    lui t0, %hi(spinach_bss_start)
    addi t0, t0, %lo(spinach_bss_start)
    lui t1, %hi(spinach_bss_end)
    addi t1, t1, %lo(spinach_bss_end)
1:  beq t0, t1, 2f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 1b
2:  fence rw, rw
    li t0, 1
    sw t0, 0(t2)

run:
    mv a0, s0
    call core_main
    snez a0, a0
stop:
    ebreak
    j stop
    .size start_core, . - start_core

    .section .data.start_gate, "aw", @progbits
    .balign 4
gate:
    .word 0
