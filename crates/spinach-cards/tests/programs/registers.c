/* Tries every bit of the register map of SINIC, in the windows of all VNICs, and prints what is not as the map says; then lets each VNIC send and
 * receive a packet, and is interrupted while a load waits.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;

enum { VNICS = 256, WINDOW = 256, PACKET_BYTES = 60 };
enum { CONFIG = 0, COMMAND = 4, STATUS = 8, MASK = 12, RX_DATA = 0x40, RX_DONE = 0x48, RX_WAIT = 0x50 };
enum { TX_DATA = 0x58, TX_DONE = 0x60, TX_WAIT = 0x68, HW_ADDR = 0x70, RX_STATUS = 0x78, END = 0x80 };
enum { RX_EN = 1, TX_EN = 2, INT_EN = 4, RESET = 1, INTR = 2, SOFT = 1 << 8 };
#define COMPLETE (1UL << 30)
#define BUSY (1UL << 31)
#define EMPTY (1UL << 28)
#define NOT_HIGH (1UL << 26)
#define LOW (1UL << 28)
static volatile u8 *const SPACE = (u8 *)0x30008000; /* Of device 1. */
static volatile u8 *const CARD = (u8 *)0x40000000;
static volatile u8 *const INTERRUPTS = (u8 *)0x0c000000;
enum { SOURCE = 2 };

static u8 packets[VNICS][64] __attribute__((aligned(64)));
static u8 long_packet[8192] __attribute__((aligned(64)));
static volatile u64 interrupted_at;

static void call(u64 extension, u64 argument) {
    register u64 a0 __asm__("a0") = argument;
    register u64 a6 __asm__("a6") = 0;
    register u64 a7 __asm__("a7") = extension;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a6), "r"(a7) : "a1", "memory");
}

static void print(const char *text) {
    while (*text)
        call(1, *text++);
}

static void hex(u64 value) {
    print(" ");
    int shift = 60;
    while (shift && !(value >> shift))
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        call(1, "0123456789abcdef"[value >> shift & 15]);
}

static u64 checked;

static void expect(const char *what, u64 where, u64 found, u64 expected) {
    checked++;
    if (found == expected)
        return;
    print(what);
    hex(where);
    hex(found);
    hex(expected);
    print(" WRONG\n");
}

static u32 word(u64 at) { return *(volatile u32 *)(CARD + at); }
static void set_word(u64 at, u32 value) { *(volatile u32 *)(CARD + at) = value; }
static u64 wide(u64 at) { return *(volatile u64 *)(CARD + at); }
static void set_wide(u64 at, u64 value) { *(volatile u64 *)(CARD + at) = value; }

static int is_pending(void) { return *(volatile u32 *)(INTERRUPTS + 0x1000) >> SOURCE & 1; }

static void reset(void) { set_word(COMMAND, RESET); }

/* From 0x10 on: what software cannot change. */
static const u32 FIXED[] = {1514, 16384, 64, 256, VNICS, 10, 524288, 524288, 131072, 131072, 393216, 393216};

static void fixed_registers(u64 window) {
    for (u64 number = 0; number < sizeof FIXED / sizeof FIXED[0]; number++) {
        u64 at = window + 0x10 + 4 * number;
        expect("fixed", at, word(at), FIXED[number]);
        set_word(at, ~word(at));
        expect("fixed after a store", at, word(at), FIXED[number]);
    }
    expect("command", window, word(window + COMMAND), 0);
    expect("address", window, wide(window + HW_ADDR), 0x020000000001);
    set_wide(window + HW_ADDR, 0);
    expect("address after a store", window, wide(window + HW_ADDR), 0x020000000001);
    expect("status of reception", window, wide(window + RX_STATUS), 0xffff);
    set_wide(window + RX_STATUS, 0);
    expect("rx data", window, wide(window + RX_DATA), 0);
    expect("tx data", window, wide(window + TX_DATA), 0);
    set_wide(window + RX_DONE, ~0UL);
    set_wide(window + RX_WAIT, ~0UL);
    set_wide(window + TX_DONE, ~0UL);
    set_wide(window + TX_WAIT, ~0UL);
    expect("rx done", window, wide(window + RX_DONE), EMPTY | NOT_HIGH);
    expect("rx wait", window, wide(window + RX_WAIT), EMPTY | NOT_HIGH);
    expect("tx done", window, wide(window + TX_DONE), LOW);
    expect("tx wait", window, wide(window + TX_WAIT), LOW);
}

static void bits_of_shared_registers(u64 window) {
    for (int bit = 0; bit < 32; bit++) {
        u32 one = 1u << bit;
        set_word(window + CONFIG, one);
        expect("config", window + bit, word(CONFIG), one & 0x1f1f);
        set_word(window + CONFIG, 0);
        set_word(window + MASK, one);
        expect("mask", window + bit, word(window + MASK), one & 0x1ff);
        /* Of the bits of Command two do something. */
        set_word(window + COMMAND, one);
        expect("mask after command", window + bit, word(MASK), bit ? one & 0x1ff : 0x189);
        expect("status after command", window + bit, word(window + STATUS), bit == 1 ? SOFT : 0);
        expect("status after it was read", window + bit, word(STATUS), 0);
    }
    /* Both ways to defer: one holds. */
    set_word(window + CONFIG, 3u << 11);
    expect("config with both deferrals", window, word(CONFIG), 1u << 12);
    /* Causes are cleared by ones. */
    for (int bit = 0; bit < 32; bit++) {
        set_word(COMMAND, INTR);
        set_word(window + STATUS, 1u << bit);
        expect("status after ones", window + bit, word(STATUS), bit == 8 ? 0 : SOFT);
    }
    reset();
    expect("config after a reset", window, word(CONFIG), 0);
    expect("mask after a reset", window, word(MASK), 0x189);
}

static void refused(u64 window) {
    expect("wide load of a word", window, wide(window + CONFIG), 0);
    expect("short load of a word", window, *(volatile u16 *)(CARD + window + 0x10), 0);
    expect("byte of a word", window, CARD[window + 0x10], 0);
    expect("word of a wide register", window, word(window + HW_ADDR), 0);
    expect("other half of it", window, word(window + HW_ADDR + 4), 0);
    expect("misaligned load", window, word(window + 0x11), 0);
    for (u64 at = END; at < WINDOW; at += 8) {
        set_wide(window + at, ~0UL);
        expect("where nothing is", window + at, wide(window + at), 0);
    }
    *(volatile u16 *)(CARD + window + MASK) = 0;
    set_wide(window + MASK - 4, 0);
    expect("mask after stores of other widths", window, word(MASK), 0x189);
}

/* Requests are kept bit by bit, and busy until they are done; without RxEn or TxEn they never are. */
static void bits_of_own_registers(u64 window) {
    static const u32 AT[] = {RX_DATA, TX_DATA};
    for (int number = 0; number < 2; number++) {
        for (int bit = 0; bit < 64; bit++) {
            reset();
            set_wide(window + AT[number], 1UL << bit);
            expect("data", window + AT[number] + bit, wide(window + AT[number]), 1UL << bit);
            expect("busy", window + AT[number] + bit, wide(window + AT[number] + 8) & BUSY, BUSY);
            u64 other = window ? 0 : WINDOW;
            expect("data of another", other, wide(other + AT[number]), 0);
            expect("busy of another", other, wide(other + AT[number] + 8) & BUSY, 0);
        }
        reset();
        expect("data after a reset", window, wide(window + AT[number]), 0);
        expect("busy after a reset", window, wide(window + AT[number] + 8) & BUSY, 0);
    }
}

static void interrupts(void) {
    *(volatile u32 *)(INTERRUPTS + 4 * SOURCE) = 1;
    for (u32 enabled = 0; enabled < 2; enabled++) {
        for (int bit = 0; bit < 9; bit++) {
            reset();
            set_word(MASK, 1u << bit);
            set_word(CONFIG, enabled ? INT_EN : 0);
            set_word(COMMAND, INTR);
            expect("interrupt", enabled << 8 | bit, is_pending(), enabled && bit == 8);
            word(STATUS);
            expect("interrupt after a look", enabled << 8 | bit, is_pending(), 0);
        }
    }
    reset();
    set_word(CONFIG, INT_EN);
    set_word(COMMAND, INTR);
    expect("interrupt by the mask after a reset", 0, is_pending(), 1);
    set_word(MASK, 0);
    expect("interrupt that was masked", 0, is_pending(), 0);
    set_word(MASK, SOFT);
    expect("interrupt that is no more", 0, is_pending(), 1);
    set_word(CONFIG, 0);
    expect("interrupt while none is enabled", 0, is_pending(), 0);
    reset();
    expect("cause after a reset", 0, word(STATUS), 0);
}

/* Each VNIC sends a packet that says whose it is. */
static void all_send(void) {
    set_word(CONFIG, TX_EN | RX_EN);
    for (u64 vnic = 0; vnic < VNICS; vnic++) {
        for (int byte = 0; byte < PACKET_BYTES; byte++)
            packets[vnic][byte] = (u8)(byte < 12 ? 0xff : vnic + byte);
        set_wide(vnic * WINDOW + TX_DATA, (u64)packets[vnic] | (u64)PACKET_BYTES << 40);
        u64 done = wide(vnic * WINDOW + TX_WAIT);
        expect("packet sent", vnic, done & (BUSY | COMPLETE | 0xfffff), COMPLETE | PACKET_BYTES);
    }
}

/* Each VNIC takes a packet, in the order in which they asked. */
static void all_receive(void) {
    for (u64 vnic = 0; vnic < VNICS; vnic++) {
        packets[vnic][20] = 0;
        set_wide(vnic * WINDOW + RX_DATA, (u64)packets[vnic] | 64UL << 40);
    }
    expect("all are busy", 0, wide(RX_STATUS) >> 16 & 0xffff, VNICS);
    print("receiving\n");
    for (u64 vnic = 0; vnic < VNICS; vnic++) {
        u64 done;
        do
            done = wide(vnic * WINDOW + RX_DONE);
        while (done & BUSY);
        expect("packet received", vnic, done & (COMPLETE | 0xfffff), COMPLETE | PACKET_BYTES);
        for (int byte = 12; byte < PACKET_BYTES; byte++)
            expect("its bytes", vnic << 8 | byte, packets[vnic][byte], (u8)(3 * vnic + byte));
    }
    expect("none is busy", 0, wide(RX_STATUS) >> 16 & 0xffff, 0);
}

__attribute__((interrupt("supervisor"), aligned(4))) void on_timer(void) {
    u64 time;
    __asm__ volatile("csrr %0, time\n csrc sie, %1" : "=&r"(time) : "r"(1 << 5));
    interrupted_at = time;
}

/* The queue is full, so that a load waits for the wire; the timer comes in between. */
static void interrupted_load(void) {
    reset();
    set_word(CONFIG, TX_EN);
    u64 packet = (u64)long_packet | (u64)sizeof long_packet << 40;
    for (u64 vnic = 0; vnic < 100; vnic++)
        set_wide(vnic * WINDOW + TX_DATA, packet);
    u64 begin, end;
    __asm__ volatile("csrr %0, time" : "=r"(begin));
    __asm__ volatile("csrw stvec, %0" : : "r"(on_timer));
    call(0x54494d45, begin + 50);
    __asm__ volatile("csrs sie, %0\n csrsi sstatus, 2" : : "r"(1 << 5));
    wide(99 * WINDOW + TX_WAIT);
    __asm__ volatile("csrr %0, time\n csrci sstatus, 2" : "=r"(end));
    expect("the load waits", 0, end - begin > 200, 1);
    expect("the timer comes while it does", 0, interrupted_at - begin, 50);
}

void main(void) {
    *(volatile u32 *)(SPACE + 0x10) = (u32)(u64)CARD;
    *(volatile u16 *)(SPACE + 4) = 6;
    static const u8 SOME[] = {0, 1, 77, 128, 255};
    for (u64 vnic = 0; vnic < VNICS; vnic++)
        fixed_registers(vnic * WINDOW);
    for (u64 number = 0; number < sizeof SOME; number++) {
        bits_of_shared_registers(SOME[number] * WINDOW);
        refused(SOME[number] * WINDOW);
        bits_of_own_registers(SOME[number] * WINDOW);
    }
    interrupts();
    all_send();
    all_receive();
    interrupted_load();
    print("checked");
    hex(checked);
    print("\n");
    call(8, 0);
}
