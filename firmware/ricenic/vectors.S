/*
 * The vectors of exceptions, from EVPR on: the start of the code. This section lies behind that of the start code, at 0x200. Faults go
 * on to the handler of the start code, which stops the core.
 */
#define SPR_SRR0 26

#define VECTOR(offset) .org (offset) - 0x200

    .section .start, "ax", @progbits
    .balign 0x200
    b exception_vector /* machine check */
    VECTOR(0x300)
    b exception_vector
    VECTOR(0x400)
    b exception_vector
    VECTOR(0x500)
    b external_interrupt
    VECTOR(0x600)
    b exception_vector /* alignment */
    VECTOR(0x700)
    b exception_vector /* program */
    VECTOR(0xc00)
    b exception_vector /* system call */
    VECTOR(0x1000)
    b timer_interrupt
    VECTOR(0x1010)
    b exception_vector /* fixed interval */
    VECTOR(0x1020)
    b exception_vector /* watchdog */

/* Registers that a handler in C may change are saved on the stack of the firmware. */
    .macro call_handler function
    stwu 1, -80(1)
    stw 0, 8(1)
    stw 3, 12(1)
    stw 4, 16(1)
    stw 5, 20(1)
    stw 6, 24(1)
    stw 7, 28(1)
    stw 8, 32(1)
    stw 9, 36(1)
    stw 10, 40(1)
    stw 11, 44(1)
    stw 12, 48(1)
    mflr 3
    stw 3, 52(1)
    mfctr 3
    stw 3, 56(1)
    mfxer 3
    stw 3, 60(1)
    mfcr 3
    stw 3, 64(1)
    mfspr 3, SPR_SRR0
    bl \function
    lwz 3, 52(1)
    mtlr 3
    lwz 3, 56(1)
    mtctr 3
    lwz 3, 60(1)
    mtxer 3
    lwz 3, 64(1)
    mtcr 3
    lwz 0, 8(1)
    lwz 3, 12(1)
    lwz 4, 16(1)
    lwz 5, 20(1)
    lwz 6, 24(1)
    lwz 7, 28(1)
    lwz 8, 32(1)
    lwz 9, 36(1)
    lwz 10, 40(1)
    lwz 11, 44(1)
    lwz 12, 48(1)
    addi 1, 1, 80
    rfi
    .endm

    .section .text.external_interrupt, "ax", @progbits
    .type external_interrupt, @function
external_interrupt:
    call_handler serve_interrupt
    .size external_interrupt, . - external_interrupt

    .section .text.timer_interrupt, "ax", @progbits
    .type timer_interrupt, @function
timer_interrupt:
    call_handler serve_timer
    .size timer_interrupt, . - timer_interrupt
