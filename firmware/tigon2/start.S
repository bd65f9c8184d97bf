/*
 * Entry points of the cores: core A at _start, by the host; core B at start_b, by core A. Each runs its part of main.c in SRAM, and then
 * the loop of dispatch.S in its scratch pad for good.
 *
 * Registers that compiled code leaves alone, from here on: gp, the address of the hardware's registers; k1, the events that the core
 * attends to. Compiled code keeps s0, the address of the loop, and s2, that of its table.
 */
#define STACK_END 0xc01000 /* as in tigon2/state.h */

    .set noreorder
    .set noat

    .section .start, "ax", @progbits
    .globl _start
_start:
    lui $gp, 0xc000
    move $k1, $zero
    lui $sp, %hi(STACK_END - 16)
    jal main_a
    ori $sp, $sp, %lo(STACK_END - 16)
    lui $s0, %hi(loop_a)
    addiu $s0, $s0, %lo(loop_a)
    lui $s2, %hi(table_a)
    jr $s0
    addiu $s2, $s2, %lo(table_a)

#ifdef TIGON2_RELEASED_STYLE
    .globl start_b
start_b:
    lui $gp, 0xc000
    lui $sp, %hi(STACK_END - 16)
    jal main_b
    ori $sp, $sp, %lo(STACK_END - 16)
#endif

#ifdef TIGON2_PARALLEL
    .globl start_b
start_b:
    lui $gp, 0xc000
    move $k1, $zero
    lui $sp, %hi(STACK_END - 16)
    jal main_b
    ori $sp, $sp, %lo(STACK_END - 16)
    lui $s0, %hi(loop_b)
    addiu $s0, $s0, %lo(loop_b)
    lui $s2, %hi(table_b)
    jr $s0
    addiu $s2, $s2, %lo(table_b)
#endif
