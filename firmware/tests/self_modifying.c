/* Writes instructions into memory and runs them, over and over: a decoder that remembers must notice. */
#include "check.h"

#include "spinach/code.h"

#define REGISTER_V0 2u
#define REGISTER_A0 4u
#define REGISTER_A1 5u
#define REGISTER_RA 31u

typedef uint32_t (*function_t)(uint32_t, uint32_t);

static uint32_t code[16];

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

static uint32_t call(uint32_t a, uint32_t b)
{
    instructions_written();
    return ((function_t)(uintptr_t)code)(a, b);
}

/* addu, subu, and, or, xor, nor: the same place holds another instruction each time. */
static void replace_one_instruction(void)
{
    static const uint8_t functions[] = {0x21, 0x23, 0x24, 0x25, 0x26, 0x27};
    uint32_t a = 0x12345678;
    uint32_t b = 0x0ff00ff0;
    uint32_t expected[] = {a + b, a - b, a & b, a | b, a ^ b, ~(a | b)};
    code[1] = jump_register(REGISTER_RA);
    code[2] = 0;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < sizeof functions; i++) {
            code[0] = three_registers(functions[i], REGISTER_V0, REGISTER_A0, REGISTER_A1);
            uint32_t result = call(a, b);
            check(result == expected[i]);
            if (round == 0)
                report(result);
        }
    }
}

/* Only a byte or a halfword of the instruction changes: the immediate. */
static void patch_immediate(void)
{
    code[0] = add_immediate(REGISTER_V0, REGISTER_A0, 0);
    code[1] = jump_register(REGISTER_RA);
    code[2] = 0;
    for (uint32_t value = 1; value < 300; value += 37) {
        ((volatile uint16_t *)code)[1] = (uint16_t)value;
        check(call(1000, 0) == 1000 + value);
        ((volatile uint8_t *)code)[3] = 5;
        check(call(1000, 0) == 1000 + ((value & 0xff00) | 5));
    }
}

/* The instruction in the delay slot of the return changes. */
static void patch_delay_slot(void)
{
    code[0] = add_immediate(REGISTER_V0, REGISTER_A0, 1);
    code[1] = jump_register(REGISTER_RA);
    for (int32_t value = -3; value <= 3; value++) {
        code[2] = add_immediate(REGISTER_V0, REGISTER_V0, value);
        check(call(50, 0) == (uint32_t)(51 + value));
    }
}

/* A function that grows: sum of 1 to n unrolled, compiled afresh for every n. */
static void compile_sums(void)
{
    for (int32_t n = 1; n <= 12; n++) {
        size_t length = 0;
        code[length++] = add_immediate(REGISTER_V0, 0, 0);
        for (int32_t i = 1; i <= n; i++)
            code[length++] = add_immediate(REGISTER_V0, REGISTER_V0, i);
        code[length++] = jump_register(REGISTER_RA);
        code[length++] = 0;
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
    patch_delay_slot();
    compile_sums();
}
