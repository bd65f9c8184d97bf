/*
 * Start-up on a modelled core of PowerPC, as on others: every core begins at _start, the first address of the image.
 *
 * Each core gets its own stack. Core 0 clears .bss while the others wait. Then each core below
 * spinach_core_count calls core_main(core number) and stops with SPINACH_STOP_DONE, or SPINACH_STOP_FAILED
 * if core_main returned other than 0. Cores from spinach_core_count up stop at once. Before the image is
 * started again, it must be loaded afresh, or one core clears start_gate, at which the others wait.
 *
 * Firmware may have a function start_caches, which each core calls first of all, without a stack. It may change r10 to r12 only.
 *
 * At _start + 0x180 is a handler of exceptions, for all of them until firmware writes EVPR. It leaves ESR, SRR0 and DEAR in
 * spinach_exception_record, four words per core, and stops the core with SPINACH_STOP_EXCEPTION. After a machine check, which
 * bit 0 of ESR or an address in SRR2 tells, the address is that in SRR2. `trap` takes the code from r3.
 *
 * At _start + 0x100 is the vector of critical interrupts. Firmware may have a function critical_interrupt; without it they are exceptions.
 */
#include "spinach/stop.h"

#define SPR_SRR0 26
#define SPR_CORE_NUMBER 286
#define SPR_ESR 980
#define SPR_DEAR 981
#define SPR_SRR2 990

    .section .start, "ax", @progbits
    .globl _start
_start:
    lis 12, start_core@ha
    addi 12, 12, start_core@l
    mtctr 12
    bctr

    .org 0x100
    b critical_interrupt

    .org 0x180
    .weak critical_interrupt
critical_interrupt:
    .globl exception_vector
    .type exception_vector, @function
exception_vector:
    mfspr 12, SPR_CORE_NUMBER
    slwi 12, 12, 4
    lis 11, spinach_exception_record@ha
    addi 11, 11, spinach_exception_record@l
    add 11, 11, 12
    mfspr 12, SPR_ESR
    stw 12, 0(11)
    mfspr 12, SPR_SRR2
    cmpwi 12, 0
    bne 1f
    mfspr 12, SPR_SRR0
1:  stw 12, 4(11)
    mfspr 12, SPR_DEAR
    stw 12, 8(11)
    dcbst 0, 11
    li 3, SPINACH_STOP_EXCEPTION
2:  trap
    b 2b
    .size exception_vector, . - exception_vector

    .section .text.start_core, "ax", @progbits
    .globl start_core
    .type start_core, @function
start_core:
    mfspr 31, SPR_CORE_NUMBER
    lis 12, spinach_core_count@ha
    addi 12, 12, spinach_core_count@l
    li 3, SPINACH_STOP_DONE
    cmplw 31, 12
    bge stop

    .weak start_caches
    lis 12, start_caches@ha
    addi 12, 12, start_caches@l
    cmpwi 12, 0
    beq 1f
    mtctr 12
    bctrl
1:
    lis 1, spinach_stacks@ha
    addi 1, 1, spinach_stacks@l
    lis 12, spinach_stack_bytes@ha
    addi 12, 12, spinach_stack_bytes@l
    addi 11, 31, 1
    mullw 12, 12, 11
    add 1, 1, 12
    addi 1, 1, -16 /* the caller's back chain and room for a return address */
    li 0, 0
    stw 0, 0(1)

    lis 10, start_gate@ha
    addi 10, 10, start_gate@l
    cmpwi 31, 0
    beq clear
wait:
    dcbf 0, 10 /* data caches know nothing of each other; nor does lwarx look into some of them */
    lwarx 12, 0, 10
    cmpwi 12, 0
    beq wait
    isync
    b run

clear:
    lis 12, spinach_bss_start@ha
    addi 12, 12, spinach_bss_start@l
    lis 11, spinach_bss_end@ha
    addi 11, 11, spinach_bss_end@l
1:  cmplw 12, 11
    beq 2f
    stw 0, 0(12)
    dcbf 0, 12 /* other cores read the memory */
    addi 12, 12, 4
    b 1b
2:  sync
    li 12, 1
3:  lwarx 11, 0, 10
    stwcx. 12, 0, 10 /* past the data cache, as the others read it */
    bne 3b

run:
    mr 3, 31
    bl core_main
    cmpwi 3, 0
    beq stop
    li 3, SPINACH_STOP_FAILED
stop:
    trap
    b stop
    .size start_core, . - start_core

    .section .data.start_gate, "aw", @progbits
    .balign 4
    .globl start_gate
start_gate:
    .long 0
