/*
 * Branches, delay slots, branch-likely annulment, links and HI/LO as the instruction set defines them, in
 * assembly.
 */
#include "check.h"

/* Runs one branch, taken or not, and returns 1 if taken + 2 if the delay slot ran. */
#define BRANCH(text, a, b)                                                                            \
    ({                                                                                                \
        uint32_t seen = 1;                                                                            \
        __asm__ volatile(".set push\n\t.set mips2\n\t.set noreorder\n\t" text                         \
                         ", 1f\n\taddiu %0, %0, 2\n\taddiu %0, %0, -1\n1:\n\t.set pop"                \
                         : "+&r"(seen)                                                                \
                         : "r"(a), "r"(b));                                                           \
        seen;                                                                                         \
    })

static const int32_t values[] = {0, 1, -1, 2147483647, -2147483647 - 1};

#define VALUES (sizeof values / sizeof values[0])

/* Ordinary branches run the delay slot always; likely ones only when taken. */
static uint32_t one_operand(int32_t a)
{
    uint32_t seen = 0;
    seen = seen << 2 | BRANCH("bltz %1", a, 0);
    seen = seen << 2 | BRANCH("bgez %1", a, 0);
    seen = seen << 2 | BRANCH("blez %1", a, 0);
    seen = seen << 2 | BRANCH("bgtz %1", a, 0);
    seen = seen << 2 | BRANCH("bltzl %1", a, 0);
    seen = seen << 2 | BRANCH("bgezl %1", a, 0);
    seen = seen << 2 | BRANCH("blezl %1", a, 0);
    seen = seen << 2 | BRANCH("bgtzl %1", a, 0);
    return seen;
}

static uint32_t expected_one_operand(int32_t a)
{
    bool taken[] = {a < 0, a >= 0, a <= 0, a > 0};
    uint32_t seen = 0;
    for (int i = 0; i < 4; i++)
        seen = seen << 2 | (taken[i] ? 3 : 2);
    for (int i = 0; i < 4; i++)
        seen = seen << 2 | (taken[i] ? 3 : 0);
    return seen;
}

static void two_operands(void)
{
    for (size_t i = 0; i < VALUES; i++) {
        for (size_t j = 0; j < VALUES; j++) {
            bool equal = i == j;
            check(BRANCH("beq %1, %2", values[i], values[j]) == (equal ? 3 : 2));
            check(BRANCH("bne %1, %2", values[i], values[j]) == (equal ? 2 : 3));
            check(BRANCH("beql %1, %2", values[i], values[j]) == (equal ? 3 : 0));
            check(BRANCH("bnel %1, %2", values[i], values[j]) == (equal ? 0 : 3));
        }
    }
}

/* `bgezal` links whether taken or not; the link is the address after the delay slot. */
static uint32_t link_distance(int32_t a)
{
    uint32_t link;
    uint32_t here;
    __asm__ volatile(
        ".set push\n\t.set mips2\n\t.set noreorder\n\t"
        "lui %1, %%hi(1f)\n\t"
        "addiu %1, %1, %%lo(1f)\n"
        "1:\tbgezal %2, 2f\n\t"
        "nop\n\t"
        "nop\n"
        "2:\tmove %0, $ra\n\t.set pop"
        : "=&r"(link), "=&r"(here)
        : "r"(a)
        : "$31");
    return link - here;
}

/* The delay slot of `jalr` sees the new link. */
static uint32_t link_seen_in_delay_slot(void)
{
    uint32_t distance;
    uint32_t target;
    __asm__ volatile(
        ".set push\n\t.set mips2\n\t.set noreorder\n\t"
        "lui %1, %%hi(1f)\n\t"
        "addiu %1, %1, %%lo(1f)\n\t"
        "jalr $ra, %1\n\t"
        "subu %0, %1, $ra\n"
        "1:\t.set pop"
        : "=&r"(distance), "=&r"(target)
        :
        : "$31");
    return distance;
}

/* HI and LO are separate registers: moves reach them, and a product replaces both. */
static uint32_t hi_lo(uint32_t a, uint32_t b)
{
    uint32_t hi, lo, kept_hi, kept_lo;
    __asm__ volatile(
        ".set push\n\t.set mips2\n\t.set noreorder\n\t"
        "multu %4, %5\n\tmfhi %0\n\tmflo %1\n\tnop\n\tnop\n\t"
        "mthi %4\n\tmtlo %5\n\tmfhi %2\n\tmflo %3\n\t.set pop"
        : "=&r"(hi), "=&r"(lo), "=&r"(kept_hi), "=&r"(kept_lo)
        : "r"(a), "r"(b)
        : "hi", "lo");
    check(kept_hi == a && kept_lo == b);
    return hi ^ lo;
}

void test(void)
{
    for (size_t i = 0; i < VALUES; i++) {
        check(one_operand(values[i]) == expected_one_operand(values[i]));
        report(one_operand(values[i]));
        check(link_distance(values[i]) == 8);
        report(hi_lo((uint32_t)values[i], 0x87654321u));
    }
    two_operands();
    check(link_seen_in_delay_slot() == 0);
}
