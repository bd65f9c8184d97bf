/* Leaves nested calls at once, by saving and restoring the registers that calls preserve. */
#include "check.h"

typedef struct {
    uint32_t registers[24]; /* those that calls preserve, the stack pointer and the return address */
} place_t;

uint32_t save_place(place_t *place) __attribute__((returns_twice));
void return_to_place(const place_t *place, uint32_t value);

#if defined(__riscv)
__asm__(
    ".pushsection .text.save_place, \"ax\"\n\t"
    ".globl save_place\n\t.type save_place, @function\n"
    "save_place:\n\t"
    "sw s0, 0(a0)\n\tsw s1, 4(a0)\n\tsw s2, 8(a0)\n\tsw s3, 12(a0)\n\t"
    "sw s4, 16(a0)\n\tsw s5, 20(a0)\n\tsw s6, 24(a0)\n\tsw s7, 28(a0)\n\t"
    "sw s8, 32(a0)\n\tsw s9, 36(a0)\n\tsw s10, 40(a0)\n\tsw s11, 44(a0)\n\t"
    "sw sp, 48(a0)\n\tsw ra, 52(a0)\n\t"
    "li a0, 0\n\t"
    "ret\n\t"
    ".size save_place, . - save_place\n\t"
    ".globl return_to_place\n\t.type return_to_place, @function\n"
    "return_to_place:\n\t"
    "lw s0, 0(a0)\n\tlw s1, 4(a0)\n\tlw s2, 8(a0)\n\tlw s3, 12(a0)\n\t"
    "lw s4, 16(a0)\n\tlw s5, 20(a0)\n\tlw s6, 24(a0)\n\tlw s7, 28(a0)\n\t"
    "lw s8, 32(a0)\n\tlw s9, 36(a0)\n\tlw s10, 40(a0)\n\tlw s11, 44(a0)\n\t"
    "lw sp, 48(a0)\n\tlw ra, 52(a0)\n\t"
    "mv a0, a1\n\t"
    "ret\n\t"
    ".size return_to_place, . - return_to_place\n\t"
    ".popsection");
#elif defined(__powerpc__)
__asm__(
    ".pushsection .text.save_place, \"ax\"\n\t"
    ".globl save_place\n\t.type save_place, @function\n"
    "save_place:\n\t"
    "stw 1, 0(3)\n\tmflr 0\n\tstw 0, 4(3)\n\tmfcr 0\n\tstw 0, 8(3)\n\t"
    "stmw 13, 12(3)\n\t"
    "li 3, 0\n\t"
    "blr\n\t"
    ".size save_place, . - save_place\n\t"
    ".globl return_to_place\n\t.type return_to_place, @function\n"
    "return_to_place:\n\t"
    "lwz 1, 0(3)\n\tlwz 0, 4(3)\n\tmtlr 0\n\tlwz 0, 8(3)\n\tmtcrf 255, 0\n\t"
    "lmw 13, 12(3)\n\t"
    "mr 3, 4\n\t"
    "blr\n\t"
    ".size return_to_place, . - return_to_place\n\t"
    ".popsection");
#else
__asm__(
    ".pushsection .text.save_place, \"ax\"\n\t"
    ".set push\n\t.set noreorder\n\t"
    ".globl save_place\n\t.type save_place, @function\n"
    "save_place:\n\t"
    "sw $s0, 0($a0)\n\tsw $s1, 4($a0)\n\tsw $s2, 8($a0)\n\tsw $s3, 12($a0)\n\t"
    "sw $s4, 16($a0)\n\tsw $s5, 20($a0)\n\tsw $s6, 24($a0)\n\tsw $s7, 28($a0)\n\t"
    "sw $sp, 32($a0)\n\tsw $fp, 36($a0)\n\tsw $ra, 40($a0)\n\t"
    "jr $ra\n\t"
    "move $v0, $zero\n\t"
    ".size save_place, . - save_place\n\t"
    ".globl return_to_place\n\t.type return_to_place, @function\n"
    "return_to_place:\n\t"
    "lw $s0, 0($a0)\n\tlw $s1, 4($a0)\n\tlw $s2, 8($a0)\n\tlw $s3, 12($a0)\n\t"
    "lw $s4, 16($a0)\n\tlw $s5, 20($a0)\n\tlw $s6, 24($a0)\n\tlw $s7, 28($a0)\n\t"
    "lw $sp, 32($a0)\n\tlw $fp, 36($a0)\n\tlw $ra, 40($a0)\n\t"
    "nop\n\t"
    "jr $ra\n\t"
    "move $v0, $a1\n\t"
    ".size return_to_place, . - return_to_place\n\t"
    ".set pop\n\t"
    ".popsection");
#endif

static place_t outer;
static uint32_t deepest;

static __attribute__((noinline)) uint32_t descend(uint32_t depth, uint32_t limit)
{
    volatile uint32_t local = depth;
    deepest = depth;
    if (depth == limit) {
        return_to_place(&outer, limit + 1);
        check(false); /* it does not return here */
        return 0;
    }
    uint32_t result = descend(depth + 1, limit) + local;
    check(false); /* nor does anyone else */
    return result;
}

static uint32_t attempts(void)
{
    volatile uint32_t returns = 0;
    uint32_t value = save_place(&outer);
    if (value != 0)
        check(value == deepest + 1);
    returns = returns + 1;
    if (returns <= 5)
        descend(0, returns * 3);
    return returns;
}

struct task {
    place_t place;
    uint32_t steps;
};

void test(void)
{
    report(attempts());
    report(deepest);
    struct task task = {.steps = 0};
    volatile uint32_t rounds = 0;
    uint32_t value = save_place(&task.place);
    rounds = rounds + 1;
    check(value == rounds - 1);
    if (rounds < 10)
        return_to_place(&task.place, rounds);
    report(rounds);
}
