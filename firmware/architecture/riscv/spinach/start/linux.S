/*
 * Start-up as a Linux user program of RISC-V, for running firmware tests under QEMU's user emulator. A thread represents
 * a core.
 *
 * The main thread is core 0. When its core_main returns, it writes the result block to standard output and
 * ends the process with core_main's return value; core_main of core 0 must therefore outlast the others'
 * work.
 */
#include "spinach/result.h"

#define SYSTEM_CALL_WRITE 64
#define SYSTEM_CALL_EXIT 93
#define SYSTEM_CALL_EXIT_GROUP 94
#define SYSTEM_CALL_CLONE 220

#define CLONE_AS_THREAD 0x50f00 /* VM, FS, FILES, SIGHAND, THREAD, SYSVSEM */

    .section .start, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    lui s1, %hi(spinach_stack_bytes)
    addi s1, s1, %lo(spinach_stack_bytes)
    lui s2, %hi(spinach_stacks)
    addi s2, s2, %lo(spinach_stacks)
    add s2, s2, s1
    addi sp, s2, -16
    li s0, 1
    lui s3, %hi(spinach_core_count)
    addi s3, s3, %lo(spinach_core_count)

spawn:
    beq s0, s3, run
    add s2, s2, s1
    li a0, CLONE_AS_THREAD
    addi a1, s2, -16
    li a2, 0
    li a3, 0
    li a4, 0
    li a7, SYSTEM_CALL_CLONE
    ecall
    bltz a0, failed
    beqz a0, thread
    addi s0, s0, 1
    j spawn

thread:
    mv a0, s0
    call core_main
    li a0, 0
    li a7, SYSTEM_CALL_EXIT
    ecall

run:
    li a0, 0
    call core_main
    mv s4, a0
    li a0, 1
    lui a1, %hi(spinach_result)
    addi a1, a1, %lo(spinach_result)
    li a2, RESULT_BYTES
    li a7, SYSTEM_CALL_WRITE
    ecall
    mv a0, s4
    j leave

failed:
    li a0, 127
leave:
    li a7, SYSTEM_CALL_EXIT_GROUP
    ecall
    .size _start, . - _start
