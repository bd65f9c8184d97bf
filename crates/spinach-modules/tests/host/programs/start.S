/* Start, of each hart with its own stack, and the handler of interrupts. */
    .section .text.start, "ax"
    .globl _start
_start:
    la sp, stacks
    addi t0, a0, 1
    slli t0, t0, 13
    add sp, sp, t0
    la t0, trap
    csrw stvec, t0
    call main
1:  wfi
    j 1b

    .align 2
trap:
    addi sp, sp, -144
    .irp n, 1,5,6,7,10,11,12,13,14,15,16,17
    sd x\n, 8*\n(sp)
    .endr
    sd t3, 0(sp)
    sd t4, 16(sp)
    sd t5, 24(sp)
    sd t6, 32(sp)
    call handle
    .irp n, 1,5,6,7,10,11,12,13,14,15,16,17
    ld x\n, 8*\n(sp)
    .endr
    ld t3, 0(sp)
    ld t4, 16(sp)
    ld t5, 24(sp)
    ld t6, 32(sp)
    addi sp, sp, 144
    sret

    .bss
    .align 4
stacks:
    .space 65536
