/* Makes random instructions, executes them in user and supervisor mode under page tables, and prints a digest of everything that
 * can be seen: registers, memory, every exception with its cause and value, bits that page walks set.
 *
 * Where an instruction has an effect that is not to be compared, or that would leave the program, it is not made: jumps other than
 * over a few instructions ahead, counters, `wfi`, `sret`, `ecall`, and instructions of extensions that are not asked for.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;

/* First round with a digest after it, and first round that also prints everything that goes into the digest. */
#ifndef DIGESTS_FROM
#define DIGESTS_FROM ROUNDS
#endif
#ifndef ALL_FROM
#define ALL_FROM ROUNDS
#endif

enum { INSTRUCTIONS = 64, PAGE = 4096, DATA_PAGES = 12 };

struct context { u64 general[32], floats[32], status; };

/* Pages of user mode and of supervisor mode, at the addresses below. */
#define CODE_OF_SUPERVISOR 0x10000000UL
#define CODE_OF_USER 0x10200000UL
#define DATA 0x10400000UL

struct context context;
static u64 root[512] __attribute__((aligned(PAGE)));
static u64 large[512] __attribute__((aligned(PAGE)));
static u64 middle[512] __attribute__((aligned(PAGE)));
static u64 leaves[3][512] __attribute__((aligned(PAGE)));
static u8 code[PAGE] __attribute__((aligned(PAGE)));
static u8 data[DATA_PAGES][PAGE] __attribute__((aligned(PAGE)));
static u64 state, digest, instructions;
static u64 code_start, code_end;
static u32 resumed;
static int round;

void resume(struct context *);

void *memset(void *to, int value, u64 count) {
    for (u8 *byte = to; count--;)
        *byte++ = (u8)value;
    return to;
}

static u64 random(void) {
    u64 z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static u64 below(u64 limit) {
    return random() % limit;
}

static void put(char character) {
    register u64 a0 asm("a0") = (u8)character;
    register u64 a7 asm("a7") = 1;
    asm volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
}

static void print(const char *text) {
    while (*text)
        put(*text++);
}

static void print_hex(u64 number) {
    for (int shift = 60; shift >= 0; shift -= 4)
        put("0123456789abcdef"[number >> shift & 15]);
}

static void mix(u64 value) {
    digest = (digest ^ value) * 0x100000001b3;
    digest ^= digest >> 29;
    if (round >= ALL_FROM) {
        print_hex(value);
        put('\n');
    }
}

/* True if execution continues. */
u64 handle(struct context *at, u64 cause, u64 value) {
    u64 pc = at->general[0];
    u32 *instruction = (u32 *)(code + (pc - code_start));
    /* To QEMU, a store-conditional to the address of all ones seems to have a reservation: there is none. It gives 1. */
    if (cause == 6 && value == ~0UL && pc >= code_start && pc < code_end && (*instruction & 0xf800007f) == 0x1800002f) {
        if (*instruction >> 7 & 31)
            at->general[*instruction >> 7 & 31] = 1;
        at->general[0] = pc + 4;
        return 1;
    }
    mix(cause);
    /* The value after a breakpoint is implementation-defined. */
    if (cause != 3)
        mix(value);
    mix(pc);
    if (pc < code_start || pc >= code_end || ++resumed > 4 * INSTRUCTIONS)
        return 0;
    if (round >= ALL_FROM) {
        print_hex(*instruction);
        print(" instruction\n");
    }
    at->general[0] = pc + ((*instruction & 3) == 3 ? 4 : 2);
    return 1;
}

static u32 make_long(void) {
    static const u8 OPCODES[] = {0x03, 0x07, 0x0f, 0x13, 0x13, 0x17, 0x1b, 0x23, 0x27, 0x2f, 0x2f, 0x33, 0x33, 0x33, 0x37,
                                 0x3b, 0x43, 0x47, 0x4b, 0x4f, 0x53, 0x53, 0x53, 0x53, 0x63, 0x73, 0x6f, 0x6b};
    for (;;) {
        u32 word = (u32)random() & ~0x7fu;
        u32 opcode = OPCODES[below(sizeof OPCODES)];
        u32 function = word >> 12 & 7;
        /* Most bits of these must be 0, or few of them mean anything. */
        if (opcode == 0x33 || opcode == 0x3b) {
            static const u8 UPPER[] = {0, 0, 0x20, 1, 1, 1};
            if (below(16))
                word = word & 0x1ffffff | (u32)UPPER[below(6)] << 25;
        } else if (opcode == 0x2f) {
            static const u8 UPPER[] = {0, 1, 2, 3, 4, 8, 12, 16, 20, 24, 28};
            if (below(16))
                word = word & 0x7ff8fff | 2u << 12 | (u32)below(2) << 12 | (u32)UPPER[below(11)] << 27;
            if (word >> 27 == 2 && below(8))
                word &= ~0x1f00000u;
            /* The result of a conditional store that is wider or narrower than the reservation is implementation-defined. QEMU compares the
               word in memory with the loaded one. */
            if ((word >> 28 == 1) && (word >> 13 & 3) == 1)
                word = word & ~0x1000u | (u32)(round & 1) << 12;
        } else if (opcode == 0x53 && below(16)) {
            static const u8 UPPER[] = {0, 1, 2, 3, 0x0b, 4, 5, 0x14, 0x18, 0x1a, 8, 0x1c, 0x1e};
            u32 upper = UPPER[below(sizeof UPPER)];
            word = word & 0x1ffffff | upper << 27 | (u32)below(2) << 25;
            if (upper == 0x0b || upper >= 0x1c)
                word &= ~0x1f00000u;
            if (upper == 0x18 || upper == 0x1a || upper == 8)
                word &= ~0x1c00000u;
            if (upper == 4 || upper == 5 || upper == 0x14 || upper >= 0x1c)
                word &= ~0x6000u;
            else if (below(2))
                word |= 0x7000;
        } else if ((opcode & 0x73) == 0x43 && below(16)) {
            word &= ~(1u << 26);
        } else if (opcode == 0x07 || opcode == 0x27) {
            /* Vectors and 16-bit numbers do not belong to this set. */
            word = word & ~0x7000u | (u32)(2 + below(2)) << 12;
        } else if (opcode == 0x13 && (function == 1 || function == 5) && below(16)) {
            word = word & 0x3ffffff | (function == 5 && below(2) ? 0x40000000 : 0);
        } else if (opcode == 0x1b && (function == 1 || function == 5) && below(16)) {
            word = word & 0x1ffffff | (function == 5 && below(2) ? 0x40000000 : 0);
        } else if (opcode == 0x0f) {
            if (function > 1)
                continue;
            word &= 0xfffffff;
        } else if (opcode == 0x63) {
            /* The target is filled in later. */
            word &= 0x1fff000;
        } else if (opcode == 0x6f) {
            word &= 0xf80;
        } else if (opcode == 0x73) {
            if (function == 0 || function == 4) {
                if (below(4) == 0)
                    return 0x00100073;
                return 0x12000073 | word & 0x1ff8000 & ~0x7000;
            }
            word = word & 0xfffff | (u32)(1 + below(3)) << 20;
        }
        return word | opcode;
    }
}

static u16 make_short(void) {
    for (;;) {
        u16 parcel = (u16)random();
        u16 quadrant = parcel & 3, function = parcel >> 13;
        int transfers = quadrant == 1 && function >= 5 || quadrant == 2 && function == 4 && (parcel & 0x7c) == 0;
        if (quadrant != 3 && !transfers)
            return parcel;
    }
}

static u64 make_value(void) {
    static const u64 NOTABLE[] = {0,
                                  1,
                                  ~0UL,
                                  1UL << 63,
                                  0x7fffffff,
                                  0xffffffff80000000,
                                  0x3ff0000000000000,
                                  0x7ff0000000000000,
                                  0xfff8000000000000,
                                  0x7ff4000000000000,
                                  0x0010000000000000,
                                  0x000fffffffffffff,
                                  0xffffffff3f800000,
                                  0xffffffff7f800000,
                                  0xffffffff7fa00000,
                                  0xffffffff00800000,
                                  0xffffffff807fffff,
                                  0xffffffff00000001,
                                  0x43e0000000000000,
                                  0xffffffff5f000000};
    switch (below(6)) {
    case 0:
        return random();
    case 1:
        return NOTABLE[below(sizeof NOTABLE / sizeof NOTABLE[0])];
    case 2: {
        /* A number whose exponent is in the middle. */
        u64 exponent = 1023 - 60 + below(120);
        return random() >> 63 << 63 | exponent << 52 | random() >> 12;
    }
    case 3:
        return 0xffffffff00000000 | random() >> 63 << 31 | (127 - 30 + below(60)) << 23 | random() >> 41;
    case 4:
        return (u64)(long)(int)random();
    default:
        return below(300);
    }
}

static u64 entry_of(const void *page, u64 bits) {
    return (u64)page >> 12 << 10 | bits;
}

static void make_tables(void) {
    enum { V = 1, R = 2, W = 4, X = 8, U = 16, A = 64, D = 128 };
    /* The program, in one page of two mebibytes. */
    root[2] = entry_of(large, V);
    large[1] = entry_of((void *)0x80200000, V | R | W | X | A | D);
    root[0] = entry_of(middle, V);
    for (int number = 0; number < 3; number++)
        middle[128 + number] = entry_of(leaves[number], V);
    leaves[0][0] = entry_of(code, V | R | X | A);
    leaves[1][0] = entry_of(code, V | X | U);
    static const u8 BITS[] = {R | W,     R | W | U, R,         R | U,         X,         X | U,
                              R | X,     W,         R | W | A, R | W | A | U, R | W | D, 0};
    for (int number = 0; number < DATA_PAGES; number++) {
        leaves[2][2 * number] = entry_of(data[number], V | BITS[number]);
        leaves[2][2 * number + 1] = entry_of(data[(number + 1) % DATA_PAGES], V | BITS[below(sizeof BITS)]);
    }
    u64 satp = 8UL << 60 | (u64)root >> 12;
    asm volatile("csrw satp, %0\n sfence.vma" : : "r"(satp) : "memory");
}

/* Makes a branch or jump lead to the beginning of one of the next instructions. */
static void aim(u8 **places, u64 number) {
    u32 word;
    __builtin_memcpy(&word, places[number], 4);
    u64 ahead = number + 1 + below(6);
    u64 distance = (u64)(places[ahead < INSTRUCTIONS ? ahead : INSTRUCTIONS] - places[number]);
    if ((word & 0x7f) == 0x63)
        word |= (distance >> 1 & 15) << 8 | (distance >> 5 & 1) << 25;
    else if ((word & 0x7f) == 0x6f)
        word |= distance >> 1 << 21;
    else
        return;
    __builtin_memcpy(places[number], &word, 4);
}

static void one_round(void) {
    u64 is_user = below(2);
    u8 *place = code + below(2) * 2;
    u8 *start = place;
    u8 *places[INSTRUCTIONS + 1];
    for (int number = 0; number < INSTRUCTIONS; number++) {
        u32 word = below(3) ? make_long() : make_short();
        u32 bytes = (word & 3) == 3 ? 4 : 2;
        __builtin_memcpy(place, &word, 4);
        places[number] = place;
        place += bytes;
    }
    places[INSTRUCTIONS] = place;
    for (int number = 0; number < INSTRUCTIONS; number++)
        aim(places, number);
    /* Means nothing: the end. */
    u8 *last = place;
    __builtin_memset(place, 0, 4);
    asm volatile("fence.i");
    code_start = is_user ? CODE_OF_USER : CODE_OF_SUPERVISOR;
    code_end = code_start + (u64)(last - code);
    for (int number = 1; number < 32; number++) {
        context.general[number] = below(2) ? DATA + below(2 * DATA_PAGES * PAGE) : make_value();
        if (below(4))
            context.general[number] &= ~7UL;
    }
    for (int number = 0; number < 32; number++)
        context.floats[number] = make_value();
    context.general[0] = code_start + (u64)(start - code);
    /* Previous privilege, floating-point state, and the memory that supervisor mode may access. */
    context.status = (is_user ? 0 : 1UL << 8) | (below(8) ? 3UL << 13 : 0) | below(4) << 18;
    u64 rounding = below(6);
    asm volatile("csrw fcsr, %0" : : "r"(rounding << 5));
    if (round >= ALL_FROM) {
        for (int number = 0; number < INSTRUCTIONS; number++) {
            u32 word;
            __builtin_memcpy(&word, places[number], 4);
            print_hex(word);
            print(" code at ");
            print_hex(code_start + (u64)(places[number] - code));
            put('\n');
        }
        for (int number = 0; number < 32; number++) {
            print_hex(context.general[number]);
            print(number ? " register\n" : " start\n");
        }
    }
    resumed = 0;
    resume(&context);
    u64 flags;
    asm volatile("csrr %0, fcsr" : "=r"(flags));
    mix(flags);
    for (int number = 1; number < 32; number++)
        mix(context.general[number]);
    for (int number = 0; number < 32; number++)
        mix(context.floats[number]);
    instructions += INSTRUCTIONS;
}

static void mix_memory(void) {
    for (int page = 0; page < DATA_PAGES; page++)
        for (int word = 0; word < PAGE; word += 8)
            mix(*(u64 *)(data[page] + word));
    for (int entry = 0; entry < 2 * DATA_PAGES; entry++)
        mix(leaves[2][entry]);
}

void main(void) {
    state = SEED;
    asm volatile("csrs sstatus, %0" : : "r"(0x6000UL));
    for (int page = 0; page < DATA_PAGES; page++)
        for (int word = 0; word < PAGE; word += 8)
            *(u64 *)(data[page] + word) = make_value();
    for (; round < ROUNDS; round++) {
        if (round % 64 == 0)
            make_tables();
        one_round();
        if (round % 64 == 63 || round >= DIGESTS_FROM) {
            mix_memory();
            print_hex(digest);
            put('\n');
        }
    }
    print("end\n");
    /* System reset extension: shut down. */
    register u64 a0 asm("a0") = 0;
    register u64 a1 asm("a1") = 0;
    register u64 a6 asm("a6") = 0;
    register u64 a7 asm("a7") = 0x53525354;
    asm volatile("ecall" : "+r"(a0), "+r"(a1) : "r"(a6), "r"(a7));
}
