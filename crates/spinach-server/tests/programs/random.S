/* Start, and the way between the program and the random instructions that it makes. A context is 32 general registers with the
   program counter in place of x0, then 32 floating-point registers, then sstatus. */
    .option norelax
    .section .text.start, "ax"
    .globl _start
_start:
    la sp, stack_end
    la t0, trap
    csrw stvec, t0
    csrw sie, zero
    call main
1:  j 1b

    .text
    .macro all_general what
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    \what x\n, 8*\n(x31)
    .endr
    .endm
    .macro all_float what
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    \what f\n, 256+8*\n(x31)
    .endr
    .endm

/* void resume(struct context *): executes from there until `finish` is called by the handler. */
    .globl resume
resume:
    addi sp, sp, -128
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11
    sd s\n, 8*\n(sp)
    .endr
    sd ra, 96(sp)
    sd gp, 104(sp)
    sd tp, 112(sp)
    la t0, saved_stack
    sd sp, (t0)
    mv x31, a0
leave:
    csrw sscratch, x31
    ld t0, (x31)
    csrw sepc, t0
    li t0, 0x6000
    csrs sstatus, t0
    all_float fld
    ld t0, 512(x31)
    csrw sstatus, t0
    all_general ld
    ld x31, 248(x31)
    sret

    .align 2
trap:
    csrrw x31, sscratch, x31
    all_general sd
    csrr t0, sscratch
    sd t0, 248(x31)
    csrr t0, sepc
    sd t0, (x31)
    csrr t0, sstatus
    sd t0, 512(x31)
    li t1, 0x6000
    csrs sstatus, t1
    all_float fsd
    /* No reservation outlives a trap. */
    la t0, dummy
    sc.w zero, zero, (t0)
    la t0, saved_stack
    ld sp, (t0)
    addi sp, sp, -64
    mv a0, x31
    csrr a1, scause
    csrr a2, stval
    call handle
    addi sp, sp, 64
    mv t1, a0
    la x31, context
    bnez t1, leave
    /* Back to who called `resume`. */
    la t0, saved_stack
    ld sp, (t0)
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11
    ld s\n, 8*\n(sp)
    .endr
    ld ra, 96(sp)
    ld gp, 104(sp)
    ld tp, 112(sp)
    addi sp, sp, 128
    ret

    .bss
    .align 4
saved_stack: .skip 8
dummy: .skip 8
    .skip 16384
stack_end:
