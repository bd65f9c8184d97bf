/* Writes instructions into memory and runs them, over and over: a decoder that remembers must notice. */
#include "check.h"

#include "spinach/code.h"

typedef uint32_t (*function_t)(uint32_t, uint32_t);

static uint32_t code[16];

#if defined(__riscv)

#define REGISTER_RESULT 10u
#define REGISTER_FIRST 10u
#define REGISTER_SECOND 11u
#define REGISTER_RETURN 1u
#define NO_OPERATION 0x13u

/* add, sub, and, or, xor */
static const uint32_t functions[] = {0x33, 0x40000033, 0x7033, 0x6033, 0x4033};

static uint32_t add_immediate(uint32_t to, uint32_t from, int32_t value)
{
    return (uint32_t)value << 20 | from << 15 | to << 7 | 0x13u;
}

static uint32_t three_registers(uint32_t function, uint32_t to, uint32_t a, uint32_t b)
{
    return b << 20 | a << 15 | to << 7 | function;
}

static uint32_t jump_register(uint32_t target)
{
    return target << 15 | 0x67u;
}

/* The upper half of add_immediate(_, REGISTER_FIRST, value). */
static uint16_t half_with_immediate(uint32_t value)
{
    return (uint16_t)(value << 4 | REGISTER_FIRST >> 1);
}

/* The immediate when its upper 8 bits have become 5. */
static uint32_t immediate_with_byte(uint32_t value)
{
    return 5u << 4 | (value & 15);
}

#elif defined(__powerpc__)

#define REGISTER_RESULT 3u
#define REGISTER_FIRST 3u
#define REGISTER_SECOND 4u
#define REGISTER_RETURN 0u /* the link register, always */
#define NO_OPERATION 0x60000000u

#define SUBTRACT_FROM 0x7c000050u

/* add, subf, and, or, xor, nor */
static const uint32_t functions[] = {0x7c000214, SUBTRACT_FROM, 0x7c000038, 0x7c000378, 0x7c000278, 0x7c0000f8};

static uint32_t add_immediate(uint32_t to, uint32_t from, int32_t value)
{
    return 0x38000000u | to << 21 | from << 16 | (uint16_t)value;
}

/* Logic has its destination in the second place, and subtraction takes from its second operand. */
static uint32_t three_registers(uint32_t function, uint32_t to, uint32_t a, uint32_t b)
{
    if (function == functions[0])
        return function | to << 21 | a << 16 | b << 11;
    if (function == SUBTRACT_FROM)
        return function | to << 21 | b << 16 | a << 11;
    return function | a << 21 | to << 16 | b << 11;
}

static uint32_t jump_register(uint32_t target)
{
    return 0x4e800020u | target;
}

static uint16_t half_with_immediate(uint32_t value)
{
    return (uint16_t)value;
}

/* The immediate when its lower byte has become 5. */
static uint32_t immediate_with_byte(uint32_t value)
{
    return (value & 0xff00) | 5;
}

#else

#define REGISTER_RESULT 2u
#define REGISTER_FIRST 4u
#define REGISTER_SECOND 5u
#define REGISTER_RETURN 31u
#define NO_OPERATION 0u

/* addu, subu, and, or, xor, nor */
static const uint32_t functions[] = {0x21, 0x23, 0x24, 0x25, 0x26, 0x27};

static uint32_t add_immediate(uint32_t to, uint32_t from, int32_t value)
{
    return 0x24000000u | from << 21 | to << 16 | (uint16_t)value;
}

static uint32_t three_registers(uint32_t function, uint32_t to, uint32_t a, uint32_t b)
{
    return a << 21 | b << 16 | to << 11 | function;
}

static uint32_t jump_register(uint32_t target)
{
    return target << 21 | 0x08u;
}

static uint16_t half_with_immediate(uint32_t value)
{
    return (uint16_t)value;
}

/* The immediate when its lower byte has become 5. */
static uint32_t immediate_with_byte(uint32_t value)
{
    return (value & 0xff00) | 5;
}

#endif

static uint32_t call(uint32_t a, uint32_t b)
{
    instructions_written();
    return ((function_t)(uintptr_t)code)(a, b);
}

/* The same place holds another instruction each time. */
static void replace_one_instruction(void)
{
    uint32_t a = 0x12345678;
    uint32_t b = 0x0ff00ff0;
    uint32_t expected[] = {a + b, a - b, a & b, a | b, a ^ b, ~(a | b)};
    code[1] = jump_register(REGISTER_RETURN);
    code[2] = NO_OPERATION;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
            code[0] = three_registers(functions[i], REGISTER_RESULT, REGISTER_FIRST, REGISTER_SECOND);
            uint32_t result = call(a, b);
            check(result == expected[i]);
            if (round == 0)
                report(result);
        }
#if defined(__riscv)
        /* There is no `nor`. */
        code[0] = three_registers(0x6033, REGISTER_RESULT, REGISTER_FIRST, REGISTER_SECOND);
        if (round == 0)
            report(~call(a, b));
#endif
    }
}

/* Only a byte or a halfword of the instruction changes: the immediate. */
static void patch_immediate(void)
{
    code[0] = add_immediate(REGISTER_RESULT, REGISTER_FIRST, 0);
    code[1] = jump_register(REGISTER_RETURN);
    code[2] = NO_OPERATION;
    for (uint32_t value = 1; value < 300; value += 37) {
        ((volatile uint16_t *)code)[1] = half_with_immediate(value);
        check(call(1000, 0) == 1000 + value);
        ((volatile uint8_t *)code)[3] = 5;
        check(call(1000, 0) == 1000 + immediate_with_byte(value));
    }
}

#if defined(__mips__)
/* The instruction in the delay slot of the return changes. */
static void patch_delay_slot(void)
{
    code[0] = add_immediate(REGISTER_RESULT, REGISTER_FIRST, 1);
    code[1] = jump_register(REGISTER_RETURN);
    for (int32_t value = -3; value <= 3; value++) {
        code[2] = add_immediate(REGISTER_RESULT, REGISTER_RESULT, value);
        check(call(50, 0) == (uint32_t)(51 + value));
    }
}
#endif

/* A function that grows: sum of 1 to n unrolled, compiled afresh for every n. */
static void compile_sums(void)
{
    for (int32_t n = 1; n <= 12; n++) {
        size_t length = 0;
        code[length++] = add_immediate(REGISTER_RESULT, 0, 0);
        for (int32_t i = 1; i <= n; i++)
            code[length++] = add_immediate(REGISTER_RESULT, REGISTER_RESULT, i);
        code[length++] = jump_register(REGISTER_RETURN);
        code[length++] = NO_OPERATION;
        uint32_t sum = call(0, 0);
        check(sum == (uint32_t)(n * (n + 1) / 2));
        if (n % 4 == 0)
            report(sum);
    }
}

void test(void)
{
    replace_one_instruction();
    patch_immediate();
#if defined(__mips__)
    patch_delay_slot();
#endif
    compile_sums();
}
