/*
 * Start-up as a Linux user program, for running firmware tests under QEMU's user emulator. A thread represents
 * a core.
 *
 * The main thread is core 0. When its core_main returns, it writes the result block to standard output and
 * ends the process with core_main's return value; core_main of core 0 must therefore outlast the others'
 * work.
 */
#include "spinach/result.h"

    .set noreorder

#define ARGUMENT_AREA_BYTES 16

#define SYSTEM_CALL_EXIT 4001
#define SYSTEM_CALL_WRITE 4004
#define SYSTEM_CALL_CLONE 4120
#define SYSTEM_CALL_EXIT_GROUP 4246

#define CLONE_AS_THREAD 0x50f00 /* VM, FS, FILES, SIGHAND, THREAD, SYSVSEM */

    .section .start, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    lui $gp, %hi(_gp)
    addiu $gp, $gp, %lo(_gp)
    lui $s1, %hi(spinach_stack_bytes)
    addiu $s1, $s1, %lo(spinach_stack_bytes)
    lui $s2, %hi(spinach_stacks)
    addiu $s2, $s2, %lo(spinach_stacks)
    addu $s2, $s2, $s1
    addiu $sp, $s2, -ARGUMENT_AREA_BYTES
    li $s0, 1
    lui $s3, %hi(spinach_core_count)
    addiu $s3, $s3, %lo(spinach_core_count)

spawn:
    beq $s0, $s3, run
    nop
    addu $s2, $s2, $s1
    li $a0, CLONE_AS_THREAD
    addiu $a1, $s2, -ARGUMENT_AREA_BYTES
    move $a2, $zero
    move $a3, $zero
    addiu $sp, $sp, -24
    sw $zero, 16($sp)
    li $v0, SYSTEM_CALL_CLONE
    syscall
    bnez $a3, failed
    nop
    beqz $v0, thread
    nop
    addiu $sp, $sp, 24
    b spawn
    addiu $s0, $s0, 1

thread:
    jal core_main
    move $a0, $s0
    move $a0, $zero
    li $v0, SYSTEM_CALL_EXIT
    syscall

run:
    jal core_main
    move $a0, $zero
    move $s4, $v0
    li $a0, 1
    lui $a1, %hi(spinach_result)
    addiu $a1, $a1, %lo(spinach_result)
    li $a2, RESULT_BYTES
    li $v0, SYSTEM_CALL_WRITE
    syscall
    b leave
    move $a0, $s4

failed:
    li $a0, 127
leave:
    li $v0, SYSTEM_CALL_EXIT_GROUP
    syscall
    .size _start, . - _start
