/* Times of single operations on a timed core, for the bare machine: each line has a name and hundredths of a cycle. */
typedef unsigned long u64;

enum { LINE = 64, PAGE = 4096, ROUNDS = 1000, UNROLLED = 32 };
enum { V = 1, R = 2, W = 4, X = 8, A = 64, D = 128, LEAF = V | R | W | X | A | D };
#define SV39 (8UL << 60)
#define BASE 0x80000000UL

asm(".section .text.start, \"ax\"\n"
    ".globl _start\n"
    "_start: la sp, stack_end\n"
    "csrw sie, zero\n"
    "call main\n"
    ".text\n"
    ".bss\n"
    ".align 4\n"
    ".space 65536\n"
    "stack_end:\n"
    ".text");

static u64 area[(40UL << 20) / 8] __attribute__((aligned(1 << 21)));
static u64 root[512] __attribute__((aligned(PAGE))), middle[512] __attribute__((aligned(PAGE)));
static u64 leaves[64][512] __attribute__((aligned(PAGE)));

static void call(u64 extension, u64 argument) {
    register u64 a0 asm("a0") = argument;
    register u64 a1 asm("a1") = 0;
    register u64 a6 asm("a6") = 0;
    register u64 a7 asm("a7") = extension;
    asm volatile("ecall" : "+r"(a0), "+r"(a1) : "r"(a6), "r"(a7) : "memory");
}

static void print(const char *text) {
    while (*text)
        call(1, *text++);
}

static void print_number(u64 number) {
    if (number >= 10)
        print_number(number / 10);
    call(1, '0' + number % 10);
}

static u64 now(void) {
    u64 cycles;
    asm volatile("csrr %0, cycle" : "=r"(cycles) : : "memory");
    return cycles;
}

static void report(const char *name, u64 cycles, u64 count) {
    print(name);
    print(" ");
    print_number((cycles * 100 + count / 2) / count);
    print("\n");
}

/* A loop of `groups` equal groups of instructions, the second time when everything is in the caches. */
#define REPEATED(name, per_group, ...)                                                                                      \
    do {                                                                                                                    \
        u64 took = 0;                                                                                                       \
        for (int pass = 0; pass < 2; pass++) {                                                                              \
            u64 rounds = ROUNDS, place = (u64)area;                                                                         \
            u64 began = now();                                                                                              \
            asm volatile("1: .rept 32\n" __VA_ARGS__ "\n.endr\naddi %0, %0, -1\nbnez %0, 1b"                                \
                         : "+r"(rounds), "+r"(place)                                                                        \
                         :                                                                                                  \
                         : "t0", "t1", "t2", "t3", "ft0", "ft1", "ft2", "ft3", "memory");                                   \
            took = now() - began;                                                                                           \
        }                                                                                                                   \
        report(name, took, (u64)ROUNDS * UNROLLED * (per_group));                                                           \
    } while (0)

/* A ring of pointers through `count` places; the time of a step in the second of two turns. */
static void chase(const char *name, u64 count, u64 stride) {
    u64 at = (u64)area, took = 0;
    for (u64 number = 0; number < count; number++)
        *(u64 *)(at + number * stride) = at + (number + 1) % count * stride;
    for (int turn = 0; turn < 2; turn++) {
        u64 began = now();
        for (u64 step = 0; step < count; step++)
            at = *(volatile u64 *)at;
        took = now() - began;
    }
    report(name, took, count);
}

/* Copies, reads or writes by words, four at a time; hundredths of a cycle for each 8 bytes. */
enum transfer { COPIES, READS, WRITES };
static void transfer(const char *name, enum transfer what, u64 bytes) {
    u64 took = 0;
    for (int turn = 0; turn < 2; turn++) {
        volatile u64 *from = area, *to = area + bytes / 8;
        u64 began = now();
        for (u64 word = 0; word < bytes / 8; word += 4) {
            u64 a = 0, b = 0, c = 0, d = 0;
            if (what != WRITES)
                a = from[word], b = from[word + 1], c = from[word + 2], d = from[word + 3];
            if (what != READS)
                to[word] = a, to[word + 1] = b, to[word + 2] = c, to[word + 3] = d;
        }
        took = now() - began;
    }
    report(name, took, bytes / 8);
}

/* Branches that no predictor knows, and the same loop whose branch always goes one way. */
static void branches(void) {
    u64 took[2];
    for (int is_random = 0; is_random < 2; is_random++) {
        u64 state = 88172645463325252, sum = 0, mask = is_random ? 1 : 0;
        u64 began = now();
        for (int turn = 0; turn < 20000; turn++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            if (state & mask)
                asm volatile("addi %0, %0, 1" : "+r"(sum));
        }
        took[is_random] = now() - began;
    }
    /* Half of them are mispredicted. */
    report("mispredicted-branch", took[1] - took[0], 10000);
}

static void set_tables(u64 tables) {
    asm volatile("csrw satp, %0\nsfence.vma" : : "r"(tables ? SV39 | tables >> 12 : 0) : "memory");
}

static void pages(void) {
    enum { COUNT = 512 };
    root[BASE >> 30] = BASE >> 2 | LEAF;
    set_tables((u64)root);
    chase("chase-512-pages-in-one-gigapage", COUNT, PAGE + LINE);
    for (u64 large = 0; large < 64; large++) {
        middle[large] = (u64)leaves[large] >> 2 | V;
        for (u64 page = 0; page < 512; page++)
            leaves[large][page] = (BASE + (large << 21) + (page << 12)) >> 2 | LEAF;
    }
    root[BASE >> 30] = (u64)middle >> 2 | V;
    set_tables((u64)root);
    chase("chase-512-small-pages", COUNT, PAGE + LINE);
    set_tables(0);
    chase("chase-512-pages-untranslated", COUNT, PAGE + LINE);
}

void main(void) {
    asm volatile("csrs sstatus, %0" : : "r"(0x6000UL));
    REPEATED("dependent-additions", 1, "addi t0, t0, 1");
    REPEATED("independent-additions", 4, "addi t0, x0, 1\naddi t1, x0, 1\naddi t2, x0, 1\naddi t3, x0, 1");
    REPEATED("dependent-multiplications", 1, "mul t0, t0, t0");
    REPEATED("independent-multiplications", 4, "mul t0, x0, x0\nmul t1, x0, x0\nmul t2, x0, x0\nmul t3, x0, x0");
    REPEATED("divisions", 1, "div t0, x0, x0");
    REPEATED("dependent-float-additions", 1, "fadd.d ft0, ft0, ft0");
    REPEATED("independent-float-additions", 2, "fadd.d ft0, ft2, ft3\nfadd.d ft1, ft2, ft3");
    REPEATED("independent-loads", 4, "ld t0, 0(%1)\nld t1, 8(%1)\nld t2, 16(%1)\nld t3, 24(%1)");
    REPEATED("independent-stores", 4, "sd t0, 0(%1)\nsd t1, 8(%1)\nsd t2, 16(%1)\nsd t3, 24(%1)");
    REPEATED("load-after-store", 1, "sd t0, 0(%1)\nld t0, 0(%1)");
    REPEATED("taken-branches", 1, "j 2f\nnop\n2:");
    branches();
    chase("chase-first-level", (64 << 10) / LINE, LINE);
    chase("chase-second-level", (1 << 20) / LINE, LINE);
    chase("chase-memory", (32UL << 20) / LINE, LINE);
    transfer("read-first-level", READS, 32 << 10);
    transfer("read-second-level", READS, 1 << 20);
    transfer("read-memory", READS, 16 << 20);
    transfer("write-memory", WRITES, 16 << 20);
    transfer("copy-first-level", COPIES, 32 << 10);
    transfer("copy-second-level", COPIES, 1 << 20);
    transfer("copy-memory", COPIES, 16 << 20);
    pages();
    call(0x53525354, 0);
}
