/* Copies functions to other places and runs the copies, several through the same place in turn. */
#include "check.h"

#include "spinach/code.h"

typedef uint32_t (*function_t)(const uint8_t *, uint32_t);

/* Position-independent by hand: branches only, no jumps, no calls, no addresses. */
#if defined(__riscv)
__asm__(
    ".pushsection .text.copied_code, \"ax\"\n\t"
    ".balign 4\n\t.option push\n\t.option norvc\n"
    "sum_start:\n\t"
    "li t2, 0\n"
    "1:\tbeqz a1, 2f\n\t"
    "addi a1, a1, -1\n\t"
    "lbu t0, 0(a0)\n\t"
    "addi a0, a0, 1\n\t"
    "add t2, t2, t0\n\t"
    "j 1b\n"
    "2:\tmv a0, t2\n\t"
    "ret\n"
    "sum_end:\n"
    "xor_start:\n\t"
    "li t2, 0\n"
    "1:\tbeqz a1, 2f\n\t"
    "addi a1, a1, -1\n\t"
    "lbu t0, 0(a0)\n\t"
    "addi a0, a0, 1\n\t"
    "slli t2, t2, 1\n\t"
    "xor t2, t2, t0\n\t"
    "j 1b\n"
    "2:\tmv a0, t2\n\t"
    "ret\n"
    "xor_end:\n\t"
    ".option pop\n\t"
    ".popsection");
#elif defined(__powerpc__)
__asm__(
    ".pushsection .text.copied_code, \"ax\"\n\t"
    ".balign 4\n"
    "sum_start:\n\t"
    "li 5, 0\n"
    "1:\tcmpwi 4, 0\n\t"
    "beq 2f\n\t"
    "addi 4, 4, -1\n\t"
    "lbz 6, 0(3)\n\t"
    "addi 3, 3, 1\n\t"
    "add 5, 5, 6\n\t"
    "b 1b\n"
    "2:\tmr 3, 5\n\t"
    "blr\n"
    "sum_end:\n"
    "xor_start:\n\t"
    "li 5, 0\n"
    "1:\tcmpwi 4, 0\n\t"
    "beq 2f\n\t"
    "addi 4, 4, -1\n\t"
    "lbz 6, 0(3)\n\t"
    "addi 3, 3, 1\n\t"
    "slwi 5, 5, 1\n\t"
    "xor 5, 5, 6\n\t"
    "b 1b\n"
    "2:\tmr 3, 5\n\t"
    "blr\n"
    "xor_end:\n\t"
    ".popsection");
#else
__asm__(
    ".pushsection .text.copied_code, \"ax\"\n\t"
    ".set push\n\t.set noreorder\n"
    "sum_start:\n\t"
    "move $v0, $zero\n"
    "1:\tbeqz $a1, 2f\n\t"
    "addiu $a1, $a1, -1\n\t"
    "lbu $t0, 0($a0)\n\t"
    "addiu $a0, $a0, 1\n\t"
    "b 1b\n\t"
    "addu $v0, $v0, $t0\n"
    "2:\tjr $ra\n\t"
    "nop\n"
    "sum_end:\n"
    "xor_start:\n\t"
    "move $v0, $zero\n"
    "1:\tbeqz $a1, 2f\n\t"
    "addiu $a1, $a1, -1\n\t"
    "lbu $t0, 0($a0)\n\t"
    "addiu $a0, $a0, 1\n\t"
    "sll $t1, $v0, 1\n\t"
    "b 1b\n\t"
    "xor $v0, $t1, $t0\n"
    "2:\tjr $ra\n\t"
    "nop\n"
    "xor_end:\n\t"
    ".set pop\n\t"
    ".popsection");
#endif

extern const uint32_t sum_start[], sum_end[], xor_start[], xor_end[];

static uint32_t place[3][16];

static function_t copy_to(uint32_t *to, const uint32_t *start, const uint32_t *end)
{
    for (size_t i = 0; start + i < end; i++)
        to[i] = start[i];
    instructions_written();
    return (function_t)(uintptr_t)to;
}

void test(void)
{
    static uint8_t bytes[50];
    uint32_t state = 8;
    uint32_t sum = 0;
    uint32_t mix = 0;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)next_random(&state);
        sum += bytes[i];
        mix = mix << 1 ^ bytes[i];
    }
    for (int round = 0; round < 12; round++) {
        uint32_t *here = place[round % 3];
        if (round / 2 & 1)
            check(copy_to(here, xor_start, xor_end)(bytes, sizeof bytes) == mix);
        else
            check(copy_to(here, sum_start, sum_end)(bytes, sizeof bytes) == sum);
    }
    report(sum);
    report(mix);
}
