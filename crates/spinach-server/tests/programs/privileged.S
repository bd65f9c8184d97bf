/* Start, the handler of traps, the ways to user mode and back, and the instructions that are tried there. */
    .option norelax
    .section .text.start, "ax"
    .globl _start
_start:
    la sp, stack_end
    la t0, handler_stack_end
    csrw sscratch, t0
    la t0, trap_entry
    csrw stvec, t0
    csrw sie, zero
    call main
1:  j 1b

    .text
    .macro caller_saved what
    \what ra, 0(sp)
    \what t0, 8(sp)
    \what t1, 16(sp)
    \what t2, 24(sp)
    \what a0, 32(sp)
    \what a1, 40(sp)
    \what a2, 48(sp)
    \what a3, 56(sp)
    \what a4, 64(sp)
    \what a5, 72(sp)
    \what a6, 80(sp)
    \what a7, 88(sp)
    \what t3, 96(sp)
    \what t4, 104(sp)
    \what t5, 112(sp)
    \what t6, 120(sp)
    .endm

/* One entry for exceptions and, where the vector is direct, for interrupts. */
    .align 8
    .globl trap_entry
trap_entry:
    csrrw sp, sscratch, sp
    addi sp, sp, -128
    caller_saved sd
    li a2, 0
handle_it:
    csrr a0, sepc
    mv a1, sp
    call handle
    csrw sepc, a0
    caller_saved ld
    addi sp, sp, 128
    csrrw sp, sscratch, sp
    sret

/* Sixteen entries, each of which says its number to `handle`. */
    .align 8
    .globl vectored_entry
vectored_entry:
    .option push
    .option norvc
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    j vectored_\n
    .endr
    .option pop
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
vectored_\n:
    csrrw sp, sscratch, sp
    addi sp, sp, -128
    caller_saved sd
    li a2, 1 + \n
    j handle_it
    .endr

/* u64 in_user(u64 pc, u64 a0, u64 a1): executes there in user mode until a trap, which gives back a0. */
    .globl in_user
in_user:
    addi sp, sp, -112
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11
    sd s\n, 8*\n(sp)
    .endr
    sd ra, 96(sp)
    la t0, saved_stack
    sd sp, (t0)
    csrw sepc, a0
    li t0, 0x100
    csrc sstatus, t0
    mv a0, a1
    mv a1, a2
    sret

/* Continuation of a trap of user mode, in supervisor mode. */
    .globl out_of_user
out_of_user:
    la t0, saved_stack
    ld sp, (t0)
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11
    ld s\n, 8*\n(sp)
    .endr
    ld ra, 96(sp)
    addi sp, sp, 112
    ret

/* Instructions to try, one function each: void or u64 name(u64 a0, u64 a1). In user mode they end with a call. */
    .macro tried name
    .globl \name
\name:
    .endm
    .macro in_supervisor
    .text
    .align 2
    .endm

    in_supervisor
tried s_load8;  ld a0, (a0); ret
tried s_load4;  lwu a0, (a0); ret
tried s_load2;  lhu a0, (a0); ret
tried s_store8; sd a1, (a0); ret
tried s_store4; sw a1, (a0); ret
tried s_atomic; amoadd.d a0, a1, (a0); ret
tried s_reserve; lr.d a0, (a0); ret
tried s_conditional; sc.d a0, a1, (a0); ret
tried s_reserve_and_store
    lr.d t0, (a0)
    sc.d a0, a1, (a0)
    ret
/* Reserves at a0 and stores to a1. */
tried s_reserve_elsewhere
    lr.d t0, (a0)
    sc.d a0, t0, (a1)
    ret
tried s_jump;   jr a0
tried s_break;  .4byte 0x00100073; ret
tried s_short_break; .2byte 0x9002; ret
tried s_zeros;  .2byte 0; ret
tried s_ones;   .4byte 0xffffffff; ret
tried s_machine_register; csrr a0, mstatus; ret
tried s_no_register; csrr a0, 0x8ff; ret
tried s_write_counter; csrw cycle, zero; ret
tried s_set_counter; csrs cycle, a0; ret
tried s_read_counter; csrrs a0, cycle, zero; ret
tried s_float;  fadd.d fa0, fa0, fa0; ret
tried s_float_register; csrr a0, fcsr; ret
tried s_float_load; fld fa0, (a0); ret
tried s_machine_return; .4byte 0x30200073; ret
tried s_instructions
    csrr t0, instret
    .rept 10
    nop
    .endr
    csrr a0, instret
    sub a0, a0, t0
    ret

    .section .user, "ax"
    .align 2
tried u_call;   ecall
tried u_load8;  ld a0, (a0); ecall
tried u_store8; sd a1, (a0); ecall
tried u_jump;   jr a0
tried u_time;   csrr a0, time; ecall
tried u_cycle;  csrr a0, cycle; ecall
tried u_status; csrr a0, sstatus; ecall
tried u_return; sret
tried u_wait;   wfi; ecall
tried u_fence;  sfence.vma; ecall
tried u_spin;   j u_spin
tried u_break;  .4byte 0x00100073

    .bss
    .align 4
saved_stack: .skip 8
    .align 4
    .skip 4096
handler_stack_end:
    .skip 16384
stack_end:
