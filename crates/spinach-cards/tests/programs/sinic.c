/* Two servers without an operating system send packets to each other through SINIC, by its registers only, and verify each byte. */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;

enum { PACKETS = 200, BYTES_MAXIMUM = 1514 };
static volatile u8 *const SPACE = (u8 *)0x30008000; /* Of device 1. */
static volatile u8 *const CARD = (u8 *)0x40000000;
static u8 sent[2][BYTES_MAXIMUM], received[BYTES_MAXIMUM];

static void word(u32 at, u32 value) {
    *(volatile u32 *)(CARD + at) = value;
}

static u64 load(u32 at) {
    return *(volatile u64 *)(CARD + at);
}

static void store(u32 at, u64 value) {
    *(volatile u64 *)(CARD + at) = value;
}

static void call(u64 extension, u64 argument) {
    register u64 a0 __asm__("a0") = argument;
    register u64 a7 __asm__("a7") = extension;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "a1", "memory");
}

/* Stops the simulator, if its user takes calls: the end of a region of interest. */
static void stop(void) {
    register u64 a0 __asm__("a0");
    register u64 a6 __asm__("a6") = 1, a7 __asm__("a7") = 0x0a50494e;
    __asm__ volatile("ecall" : "=r"(a0) : "r"(a6), "r"(a7) : "a1", "memory");
}

static void print(const char *text) {
    while (*text)
        call(1, *text++);
}

static void number(u64 value) {
    char digits[24], *end = digits + sizeof digits - 1;
    *end = 0;
    do
        *--end = '0' + value % 10;
    while (value /= 10);
    print(end);
    print("\n");
}

static void fail(const char *what, u64 value) {
    print(what);
    print(" ");
    number(value);
    call(8, 0);
}

static u32 length(u32 packet) {
    return 60 + packet * 37 % (BYTES_MAXIMUM - 59);
}

static u8 content(u64 from, u32 packet, u32 byte) {
    return byte < 12 ? 0xff : from * 101 + packet * 7 + byte * 13;
}

/* In two pieces; what is sent next is prepared while the last piece is copied. */
static void send(u64 self, u32 packet) {
    u8 *bytes = sent[packet & 1];
    u32 count = length(packet);
    for (u32 byte = 0; byte < count; byte++)
        bytes[byte] = content(self, packet, byte);
    load(0x68);
    store(0x58, (u64)bytes | 20UL << 40 | 1UL << 63);
    if ((load(0x68) & 0xc00fffff) != (1 << 30 | 20))
        fail("a piece went wrong", load(0x60));
    store(0x58, (u64)(bytes + 20) | (u64)(count - 20) << 40);
}

static void receive(u64 other, u32 packet) {
    store(0x40, (u64)received | (u64)BYTES_MAXIMUM << 40);
    u64 done = load(0x50);
    while (done & 1UL << 31)
        done = load(0x50);
    if ((done & 0xfffff) != length(packet))
        fail("a packet has a wrong length", done);
    for (u32 byte = 0; byte < length(packet); byte++)
        if (received[byte] != content(other, packet, byte))
            fail("a packet has a wrong byte", byte);
}

/* Until both cards receive: a packet that comes sooner is lost. */
static void wait_for_both(void) {
    enum { TICKS = 200 }; /* 20 us from the start of the servers. */
    u64 time;
    do
        __asm__ volatile("rdtime %0" : "=r"(time));
    while (time < TICKS);
}

void main(void) {
    *(volatile u32 *)(SPACE + 0x10) = (u32)(u64)CARD;
    *(volatile unsigned short *)(SPACE + 4) = 6;
    u64 self = load(0x70), other = self ^ 3;
    word(0, 3);
    wait_for_both();
    for (u32 packet = 0; packet < PACKETS; packet++) {
        send(self, packet);
        /* The other may be far ahead; its packets wait in the queue. */
        if (packet % 50 == 0)
            stop();
        if (packet % 3 == 2)
            for (u32 back = packet - 2; back <= packet; back++)
                receive(other, back);
    }
    for (u32 packet = PACKETS - PACKETS % 3; packet < PACKETS; packet++)
        receive(other, packet);
    /* A burst fills the queue, in which the loads wait for room. */
    for (u32 burst = 0; burst < 40; burst++) {
        store(0x58, (u64)sent[0] | (u64)BYTES_MAXIMUM << 40);
        if (load(0x68) & 1UL << 31)
            fail("a load did not wait", burst);
    }
    print("all received\n");
    call(8, 0);
}
