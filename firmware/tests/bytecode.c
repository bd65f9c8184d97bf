/* An interpreter for a stack machine that dispatches through function pointers, running programs for it. */
#include "check.h"

struct machine {
    const uint8_t *program;
    uint32_t position;
    uint32_t depth;
    int32_t stack[16];
    int32_t memory[8];
    bool stopped;
};

typedef void (*operation_t)(struct machine *);

enum code { STOP, PUSH, ADD, SUBTRACT, MULTIPLY, LOAD, STORE, JUMP, JUMP_IF_ZERO, CALL, RETURN, CODES };

static uint8_t fetch(struct machine *m)
{
    return m->program[m->position++];
}

static void push(struct machine *m, int32_t value)
{
    check(m->depth < 16);
    m->stack[m->depth++] = value;
}

static int32_t pop(struct machine *m)
{
    check(m->depth > 0);
    return m->stack[--m->depth];
}

static void stop(struct machine *m)
{
    m->stopped = true;
}

static void push_constant(struct machine *m)
{
    push(m, (int8_t)fetch(m));
}

static void add(struct machine *m)
{
    int32_t b = pop(m);
    push(m, pop(m) + b);
}

static void subtract(struct machine *m)
{
    int32_t b = pop(m);
    push(m, pop(m) - b);
}

static void multiply(struct machine *m)
{
    int32_t b = pop(m);
    push(m, (int32_t)((uint32_t)pop(m) * (uint32_t)b));
}

static void load(struct machine *m)
{
    push(m, m->memory[fetch(m)]);
}

static void store(struct machine *m)
{
    m->memory[fetch(m)] = pop(m);
}

static void jump(struct machine *m)
{
    m->position = fetch(m);
}

static void jump_if_zero(struct machine *m)
{
    uint8_t target = fetch(m);
    if (pop(m) == 0)
        m->position = target;
}

static void call(struct machine *m)
{
    uint8_t target = fetch(m);
    push(m, (int32_t)m->position);
    m->position = target;
}

static void return_from_call(struct machine *m)
{
    m->position = (uint32_t)pop(m);
}

static const operation_t operations[CODES] = {
    stop, push_constant, add, subtract, multiply, load, store, jump, jump_if_zero, call, return_from_call,
};

static int32_t run(const uint8_t *program, int32_t input)
{
    struct machine machine = {.program = program, .memory = {input}};
    uint32_t steps = 0;
    while (!machine.stopped && steps++ < 10000)
        operations[fetch(&machine)](&machine);
    check(machine.stopped && machine.depth == 0);
    return machine.memory[1];
}

/* m1 = 1; while (m0) { m1 *= m0; m0 -= 1; } */
static const uint8_t factorial[] = {
    PUSH, 1, STORE, 1, LOAD, 0, JUMP_IF_ZERO, 21, LOAD, 1, LOAD, 0, MULTIPLY, STORE, 1,
    LOAD, 0, PUSH, 255, JUMP, 22, STOP, ADD, STORE, 0, JUMP, 4,
};

/* m1 = 0, m2 = 1; m0 times: (m1, m2) = (m2, m1 + m2), in a subroutine */
static const uint8_t fibonacci[] = {
    PUSH, 0, STORE, 1, PUSH, 1, STORE, 2, LOAD, 0, JUMP_IF_ZERO, 23, CALL, 24, LOAD, 0,
    PUSH, 1, SUBTRACT, STORE, 0, JUMP, 8, STOP, LOAD, 2, LOAD, 1, LOAD, 2, ADD, STORE, 2, STORE, 1, RETURN,
};

void test(void)
{
    for (int32_t n = 0; n <= 12; n += 3)
        report((uint32_t)run(factorial, n));
    for (int32_t n = 0; n <= 40; n += 10)
        report((uint32_t)run(fibonacci, n));
}
