/*
 * Start-up on a modelled core. Every core begins at _start, the first address of the image.
 *
 * Each core gets its own stack. Core 0 clears .bss while the others wait. Then each core below
 * spinach_core_count calls core_main(core number) and stops with SPINACH_STOP_DONE, or SPINACH_STOP_FAILED
 * if core_main returned other than 0. Cores from spinach_core_count up stop at once. The image must be
 * loaded afresh before it is started again: the gate that the cores wait at lies in .data.
 *
 * Exceptions go to _start + 0x180, the R4000's offset of the general vector: the core's exception base is the
 * address of _start. The vector leaves Cause, EPC and BadVAddr in spinach_exception_record, four words per core,
 * and stops the core with SPINACH_STOP_EXCEPTION.
 */
#include "spinach/coprocessor0.h"
#include "spinach/stop.h"

/* The preprocessor must not see the name joined to the dollar sign. */
#define REGISTER_(number) $##number
#define REGISTER(number) REGISTER_(number)
#define ARGUMENT_AREA_BYTES 16 /* o32: a caller owns room for four register arguments */

    .set noreorder
    .set noat

    .section .start, "ax", @progbits
    .globl _start
_start:
    lui $k0, %hi(start_core)
    addiu $k0, $k0, %lo(start_core)
    jr $k0
    nop

    .org 0x180
    .globl exception_vector
    .type exception_vector, @function
exception_vector:
    mfc0 $k0, REGISTER(SPINACH_COP0_CORE_NUMBER)
    nop
    sll $k0, $k0, 4
    lui $k1, %hi(spinach_exception_record)
    addu $k1, $k1, $k0
    addiu $k1, $k1, %lo(spinach_exception_record)
    mfc0 $k0, REGISTER(SPINACH_COP0_CAUSE)
    nop
    sw $k0, 0($k1)
    mfc0 $k0, REGISTER(SPINACH_COP0_EXCEPTION_PC)
    nop
    sw $k0, 4($k1)
    mfc0 $k0, REGISTER(SPINACH_COP0_BAD_ADDRESS)
    nop
    sw $k0, 8($k1)
    break SPINACH_STOP_EXCEPTION
1:  b 1b
    nop
    .size exception_vector, . - exception_vector

    .section .text.start_core, "ax", @progbits
    .globl start_core
    .type start_core, @function
start_core:
    mtc0 $zero, REGISTER(SPINACH_COP0_STATUS) /* leave the reset state and its boot vectors */
    mfc0 $s0, REGISTER(SPINACH_COP0_CORE_NUMBER)
    lui $t0, %hi(spinach_core_count)
    addiu $t0, $t0, %lo(spinach_core_count)
    sltu $t0, $s0, $t0
    beqz $t0, stop
    move $v0, $zero

    lui $gp, %hi(_gp)
    addiu $gp, $gp, %lo(_gp)
    lui $sp, %hi(spinach_stacks)
    addiu $sp, $sp, %lo(spinach_stacks)
    lui $t0, %hi(spinach_stack_bytes)
    addiu $t0, $t0, %lo(spinach_stack_bytes)
    addiu $t1, $s0, 1
    multu $t0, $t1
    mflo $t0
    addu $sp, $sp, $t0
    addiu $sp, $sp, -ARGUMENT_AREA_BYTES

    lui $t2, %hi(gate)
    addiu $t2, $t2, %lo(gate)
    beqz $s0, clear
    nop
wait:
    lw $t0, 0($t2)
    nop
    beqz $t0, wait
    nop
    b run
    nop

clear:
    lui $t0, %hi(spinach_bss_start)
    addiu $t0, $t0, %lo(spinach_bss_start)
    lui $t1, %hi(spinach_bss_end)
    addiu $t1, $t1, %lo(spinach_bss_end)
1:  beq $t0, $t1, 2f
    nop
    sw $zero, 0($t0)
    b 1b
    addiu $t0, $t0, 4
2:  sync
    li $t0, 1
    sw $t0, 0($t2)

run:
    jal core_main
    move $a0, $s0
stop:
    bnez $v0, 1f
    nop
    break SPINACH_STOP_DONE
    b stop
    nop
1:  break SPINACH_STOP_FAILED
    b 1b
    nop
    .size start_core, . - start_core

    .section .data.start_gate, "aw", @progbits
    .balign 4
gate:
    .word 0
