/*
 * Start-up of an RV32 core with private memories: the stack, .bss, then core_main.
 *
 * The second instruction is the entry of interrupts and exceptions. An interrupt calls `core_interrupt`, with all registers
 * saved on the stack. An exception leaves mcause, mepc and mtval in spinach_exception_record, and stops the core with
 * SPINACH_STOP_EXCEPTION, as an interrupt of an image without a handler does. `ebreak` takes the code from a0.
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
    addi sp, sp, -64
    sw t0, 0(sp)
    csrr t0, mcause
    bltz t0, interrupt
    j exception
    .size exception_vector, . - exception_vector

    .section .text.interrupt, "ax", @progbits
interrupt:
    sw ra, 4(sp)
    sw t1, 8(sp)
    sw t2, 12(sp)
    sw t3, 16(sp)
    sw t4, 20(sp)
    sw t5, 24(sp)
    sw t6, 28(sp)
    sw a0, 32(sp)
    sw a1, 36(sp)
    sw a2, 40(sp)
    sw a3, 44(sp)
    sw a4, 48(sp)
    sw a5, 52(sp)
    sw a6, 56(sp)
    sw a7, 60(sp)
    mv a0, t0
    call core_interrupt
    lw t0, 0(sp)
    lw ra, 4(sp)
    lw t1, 8(sp)
    lw t2, 12(sp)
    lw t3, 16(sp)
    lw t4, 20(sp)
    lw t5, 24(sp)
    lw t6, 28(sp)
    lw a0, 32(sp)
    lw a1, 36(sp)
    lw a2, 40(sp)
    lw a3, 44(sp)
    lw a4, 48(sp)
    lw a5, 52(sp)
    lw a6, 56(sp)
    lw a7, 60(sp)
    addi sp, sp, 64
    mret

    .weak core_interrupt
    .type core_interrupt, @function
core_interrupt:
exception:
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
    .size core_interrupt, . - core_interrupt

    .section .text.start_core, "ax", @progbits
    .globl start_core
    .type start_core, @function
    .cfi_sections .debug_frame
    .cfi_startproc
    .cfi_undefined ra /* the outermost frame, for debuggers */
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
    .cfi_endproc
    .size start_core, . - start_core
