/* Does things at random with a device and with the memory that the device reads and writes, and prints a digest of everything that
 * was loaded, with the times at which it was. So whatever comes earlier or later than it should changes the digest.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;

#define CONFIGURATION 0x30008000UL
#define WINDOW 0x40000000UL
#define INTERRUPTS 0x0c000000UL
/* The line of device 1. */
#define SOURCE 2
/* Extension of the calls to the simulator's user. */
#define CALLS 0x0a50494eUL
/* Memory that the device reads and writes. */
#define SHARED 0x80100000UL
enum { SHARED_BYTES = 4096, TURNS = TURNS_OF_EACH };

static volatile u64 digests[4], done[4], interrupted;

static u64 call(u64 extension, u64 function, u64 first, u64 second, u64 third) {
    register u64 a0 asm("a0") = first;
    register u64 a1 asm("a1") = second;
    register u64 a2 asm("a2") = third;
    register u64 a6 asm("a6") = function;
    register u64 a7 asm("a7") = extension;
    asm volatile("ecall" : "+r"(a0), "+r"(a1) : "r"(a2), "r"(a6), "r"(a7) : "memory");
    return a0;
}

static void print_hex(u64 number) {
    for (int shift = 60; shift >= 0; shift -= 4)
        call(1, 0, (u8)"0123456789abcdef"[number >> shift & 15], 0, 0);
    call(1, 0, '\n', 0, 0);
}

static void mix(u64 hart, u64 value) {
    u64 cycle;
    asm volatile("csrr %0, time" : "=r"(cycle));
    u64 digest = (digests[hart] ^ value ^ cycle << 32) * 0x100000001b3;
    digests[hart] = digest ^ digest >> 29;
}

static u32 load(u64 address) { return *(volatile u32 *)address; }
static void store(u64 address, u32 value) { *(volatile u32 *)address = value; }

/* Hart 0 is interrupted by the device, and by its timer. */
void handle(void) {
    u64 cause;
    asm volatile("csrr %0, scause" : "=r"(cause));
    if (cause == (1UL << 63 | 5)) {
        u64 time;
        asm volatile("csrr %0, time" : "=r"(time));
        mix(0, 77);
        call(0x54494d45, 0, time + 20, 0, 0);
        return;
    }
    u32 source = load(INTERRUPTS + 0x200004);
    mix(0, cause ^ source);
    if (source == SOURCE) {
        interrupted++;
        /* The device releases its line. */
        store(WINDOW, 1);
        mix(0, load(WINDOW + 4));
    }
    store(INTERRUPTS + 0x200004, source);
}

static u64 state_of[4];
static u64 random(u64 hart) {
    u64 z = state_of[hart] += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void turn(u64 hart) {
    u64 what = random(hart), place = what >> 8 & 0xff8, value = what >> 32;
    volatile u8 *shared = (u8 *)SHARED;
    switch (what & 7) {
    case 0:
        mix(hart, load(WINDOW + 8 + place));
        break;
    case 1:
        mix(hart, *(volatile u16 *)(WINDOW + 8 + place + (value & 6)));
        break;
    case 2:
        mix(hart, *(volatile u64 *)(WINDOW + 8 + place));
        break;
    case 3:
        for (u64 count = value & 15; count--;)
            store(WINDOW + 8 + place, (u32)value++);
        break;
    case 4:
        *(volatile u64 *)(shared + place) = value;
        break;
    case 5:
        mix(hart, *(volatile u64 *)(shared + place));
        break;
    case 6:
        for (u64 count = value & 255; count--;)
            asm volatile("");
        /* A region of interest ends: a call to the simulator's user. */
        if ((value >> 8 & 7) == 0)
            mix(hart, call(CALLS, 1, 0, 0, 0));
        break;
    default:
        mix(hart, *(volatile u32 *)(CONFIGURATION + (value & 0x3c)));
        if (value & 64)
            *(volatile u8 *)(CONFIGURATION + 0x0c) = (u8)value;
    }
}

void main(u64 hart) {
    if (hart == 0) {
        store(INTERRUPTS + 4 * SOURCE, 1);
        store(INTERRUPTS + 0x2000, 1 << SOURCE);
        store(INTERRUPTS + 0x200000, 0);
        mix(0, load(CONFIGURATION));
        call(0x54494d45, 0, 20, 0, 0);
        asm volatile("csrw sie, %0\n csrsi sstatus, 2" : : "r"(1UL << 9 | 1 << 5));
        for (u64 other = 1; other < HARTS; other++)
            call(0x48534d, 0, other, 0x80200000, 0);
    }
    state_of[hart] = hart;
    for (u64 count = 0; count < TURNS; count++)
        turn(hart);
    done[hart] = 1;
    if (hart)
        return;
    for (u64 other = 1; other < HARTS; other++)
        while (!done[other])
            asm volatile("wfi");
    asm volatile("csrci sstatus, 2");
    for (u64 other = 0; other < HARTS; other++)
        print_hex(digests[other]);
    print_hex(interrupted);
    call(0x53525354, 0, 0, 0, 0);
}
