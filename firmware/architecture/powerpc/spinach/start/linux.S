/*
 * Start-up as a Linux user program of PowerPC, for running firmware tests under QEMU's user emulator. A thread represents
 * a core.
 *
 * The main thread is core 0. When its core_main returns, it writes the result block to standard output and
 * ends the process with core_main's return value; core_main of core 0 must therefore outlast the others'
 * work.
 */
#include "spinach/result.h"

#define SYSTEM_CALL_EXIT 1
#define SYSTEM_CALL_WRITE 4
#define SYSTEM_CALL_CLONE 120
#define SYSTEM_CALL_EXIT_GROUP 234

#define CLONE_AS_THREAD 0x50f00 /* VM, FS, FILES, SIGHAND, THREAD, SYSVSEM */

    .section .start, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    lis 30, spinach_stack_bytes@ha
    addi 30, 30, spinach_stack_bytes@l
    lis 29, spinach_stacks@ha
    addi 29, 29, spinach_stacks@l
    add 29, 29, 30
    addi 1, 29, -16
    li 31, 1
    lis 28, spinach_core_count@ha
    addi 28, 28, spinach_core_count@l

spawn:
    cmpw 31, 28
    beq run
    add 29, 29, 30
    lis 3, CLONE_AS_THREAD@h
    ori 3, 3, CLONE_AS_THREAD@l
    addi 4, 29, -16
    li 5, 0
    li 6, 0
    li 7, 0
    li 0, SYSTEM_CALL_CLONE
    sc
    bso failed
    cmpwi 3, 0
    beq thread
    addi 31, 31, 1
    b spawn

thread:
    mr 3, 31
    bl core_main
    li 3, 0
    li 0, SYSTEM_CALL_EXIT
    sc

run:
    li 3, 0
    bl core_main
    mr 27, 3
    li 3, 1
    lis 4, spinach_result@ha
    addi 4, 4, spinach_result@l
    li 5, RESULT_BYTES
    li 0, SYSTEM_CALL_WRITE
    sc
    mr 3, 27
    b leave

failed:
    li 3, 127
leave:
    li 0, SYSTEM_CALL_EXIT_GROUP
    sc
    .size _start, . - _start
