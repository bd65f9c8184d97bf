/* Uses the counters that firmware gives to supervisor mode, for the bare machine: each line has a name and a number. */
typedef unsigned long u64;

enum { LINE = 64, LINES = 4096, USER_ROUNDS = 1000, PERIOD = 5000 };
enum { CONFIGURE = 2, START = 3, STOP = 4 };
enum { CLEARS = 2, STARTS = 4, EXCLUDES_USER = 1 << 5, EXCLUDES_SUPERVISOR = 1 << 6, RESETS = 1 };
enum { CYCLES = 1, INSTRUCTIONS, REFERENCES, MISSES, BRANCHES, MISPREDICTIONS };
enum { LOADS = 0x10000, LOAD_MISSES, STORES, STORE_MISSES, LOAD_WALKS = 0x10019, CODE_WALKS = 0x10021, NO_EVENT = 7 };
#define ALL (0xffffUL << 3)
#define OVERFLOW (1UL << 13)

asm(".section .text.start, \"ax\"\n"
    ".globl _start\n"
    "_start: la sp, stack_end\n"
    "csrw sie, zero\n"
    "call main\n"
    ".text\n"
    /* Traps save nothing: they come where the program expects them, and the handler uses its own registers. */
    ".align 2\n"
    "trap: csrr t0, scause\n"
    "bltz t0, 1f\n"
    "la t0, resume\n"
    "ld t0, 0(t0)\n"
    "csrw sepc, t0\n"
    "li t0, 0x100\n"
    "csrs sstatus, t0\n"
    "sret\n"
    "1: csrr s2, 0xda0\n"
    "csrr s3, instret\n"
    "li t0, 0x2000\n"
    "csrc sip, t0\n"
    "addi s4, s4, 1\n"
    "sret\n"
    ".bss\n"
    ".align 4\n"
    "resume: .space 8\n"
    ".space 65536\n"
    "stack_end:\n"
    ".text");

static u64 area[LINES * LINE / 8] __attribute__((aligned(4096)));

struct answer {
    u64 error, value;
};

static struct answer call(u64 extension, u64 function, u64 base, u64 mask, u64 flags, u64 third) {
    register u64 a0 asm("a0") = base;
    register u64 a1 asm("a1") = mask;
    register u64 a2 asm("a2") = flags;
    register u64 a3 asm("a3") = third;
    register u64 a4 asm("a4") = 0;
    register u64 a6 asm("a6") = function;
    register u64 a7 asm("a7") = extension;
    asm volatile("ecall" : "+r"(a0), "+r"(a1) : "r"(a2), "r"(a3), "r"(a4), "r"(a6), "r"(a7) : "memory");
    return (struct answer){a0, a1};
}

static struct answer counters(u64 function, u64 base, u64 mask, u64 flags, u64 third) {
    return call(0x504d55, function, base, mask, flags, third);
}

static void print(const char *text) {
    while (*text)
        call(1, 0, *text++, 0, 0, 0);
}

static void print_number(u64 number) {
    if (number >= 10)
        print_number(number / 10);
    call(1, 0, '0' + number % 10, 0, 0, 0);
}

static void report(const char *name, u64 number) {
    print(name);
    print(" ");
    if ((long)number < 0) {
        print("-");
        number = -number;
    }
    print_number(number);
    print("\n");
}

#define READ(register)                                                   \
    ({                                                                   \
        u64 value_;                                                      \
        asm volatile("csrr %0, " #register : "=r"(value_) : : "memory"); \
        value_;                                                          \
    })

/* Runs a loop of two instructions in user mode, between two instructions here. */
static void spin_in_user(u64 rounds) {
    asm volatile("csrc sstatus, %1\n"
                 "la t0, 2f\n"
                 "la t1, resume\n"
                 "sd t0, 0(t1)\n"
                 "la t0, 1f\n"
                 "csrw sepc, t0\n"
                 "mv t2, %0\n"
                 "sret\n"
                 "1: addi t2, t2, -1\n"
                 "bnez t2, 1b\n"
                 "ebreak\n"
                 "2:"
                 :
                 : "r"(rounds), "r"(0x100UL)
                 : "t0", "t1", "t2", "memory");
}

static void describe(void) {
    report("number", counters(0, 0, 0, 0, 0).value);
    report("third", counters(1, 3, 0, 0, 0).value);
    report("cycle-is-not-one", counters(1, 0, 0, 0, 0).error);
    report("behind-the-last", counters(1, 19, 0, 0, 0).error);
}

static void count_modes(void) {
    static const u64 FLAGS[] = {0, EXCLUDES_SUPERVISOR, EXCLUDES_USER};
    for (int index = 0; index < 3; index++)
        counters(CONFIGURE, 3, 7, CLEARS | FLAGS[index], INSTRUCTIONS);
    counters(START, 3, 7, 0, 0);
    spin_in_user(USER_ROUNDS);
    counters(STOP, 3, 7, 0, 0);
    report("in-user", READ(hpmcounter4));
    report("in-all-modes", READ(hpmcounter3) - READ(hpmcounter4) - READ(hpmcounter5));
    report("stopped-twice", counters(STOP, 3, 1, 0, 0).error);
    report("stands", READ(hpmcounter3) - READ(hpmcounter3));
    counters(STOP, 3, 7, RESETS, 0);
}

static void count_cycles(void) {
    report("first-free", counters(CONFIGURE, 0, ALL, CLEARS | STARTS, CYCLES).value);
    report("started-twice", counters(START, 3, 1, 0, 0).error);
    u64 cycle, counted, cycle_later, counted_later;
    asm volatile("csrr %0, cycle\ncsrr %1, hpmcounter3\n"
                 "li t0, 100\n1: addi t0, t0, -1\nbnez t0, 1b\n"
                 "csrr %2, cycle\ncsrr %3, hpmcounter3"
                 : "=&r"(cycle), "=&r"(counted), "=&r"(cycle_later), "=&r"(counted_later)
                 :
                 : "t0", "memory");
    report("cycles-beyond-cycle", counted_later - counted - (cycle_later - cycle));
    counters(STOP, 3, 1, RESETS, 0);
    report("stopped", counters(START, 3, 1, 0, 0).error);
    report("unknown", counters(CONFIGURE, 0, ALL, 0, NO_EVENT).error);
    report("time", counters(CONFIGURE, 1, 1, 0, CYCLES).error);
    for (int index = 0; index < 16; index++)
        counters(CONFIGURE, 0, ALL, 0, CYCLES);
    report("none-free", counters(CONFIGURE, 0, ALL, 0, CYCLES).error);
    counters(STOP, 0, ALL, RESETS, 0);
}

static void interrupt(void) {
    register u64 overflows asm("s2") = 0;
    register u64 instructions asm("s3") = 0;
    register u64 count asm("s4") = 0;
    asm volatile("csrs sie, %0\ncsrsi sstatus, 2" : : "r"(OVERFLOW));
    counters(CONFIGURE, 0, ALL, 0, INSTRUCTIONS);
    counters(START, 3, 1, 1, -(u64)PERIOD);
    u64 begin = READ(instret);
    asm volatile("1: addi %3, %3, -1\nbnez %3, 1b"
                 : "+r"(overflows), "+r"(instructions), "+r"(count), "+r"((u64){PERIOD})
                 :
                 : "t0", "memory");
    report("overflows", overflows);
    report("interrupts", count);
    report("period", instructions - begin);
    report("beyond", READ(hpmcounter3) < 2 * PERIOD);
    counters(STOP, 3, 1, RESETS, 0);
    report("overflows-after-reset", READ(0xda0));
    asm volatile("csrci sstatus, 2");
}

static void count_misses(void) {
    static const u64 EVENTS[] = {LOADS, LOAD_MISSES, STORES, STORE_MISSES, BRANCHES, MISPREDICTIONS, REFERENCES, MISSES};
    for (int index = 0; index < 8; index++)
        counters(CONFIGURE, 0, ALL, CLEARS, EVENTS[index]);
    counters(START, 3, 0xff, 0, 0);
    u64 sum = 0;
    for (int line = 0; line < LINES; line++)
        asm volatile("ld t0, 0(%1)\nadd %0, %0, t0" : "+r"(sum) : "r"(&area[line * LINE / 8]) : "t0");
    counters(STOP, 3, 0xff, 0, 0);
    report("loads", READ(hpmcounter3));
    report("load-misses", READ(hpmcounter4));
    report("stores", READ(hpmcounter5));
    report("branches", READ(hpmcounter7));
    report("mispredictions", READ(hpmcounter8));
    report("references", READ(hpmcounter9));
    report("misses", READ(hpmcounter10));
    counters(STOP, 3, 0xff, RESETS, 0);
}

void main(void) {
    asm volatile("la t0, trap\ncsrw stvec, t0" : : : "t0");
    describe();
    count_modes();
    count_cycles();
    interrupt();
    count_misses();
    call(0x53525354, 0, 0, 0, 0, 0);
}
