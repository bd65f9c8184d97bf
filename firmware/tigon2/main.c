/*
 * From the first instruction until both cores are in their loops: where everything lies, what the host asks for, and which core does what.
 */
#include "tigon2/events.h"
#include "tigon2/functions.h"

#define DEFAULT_BUFFER_RATIO 21
#define SHARES_OF_BUFFERS 64
#define TICK_PRESCALE 87 /* 88 MHz: a tick of a microsecond */
#define SIZING_ADDRESS 0x20000u /* behind the image, and far from the memory that descriptors may have */
#define SIZING_MARK 0x54673253u
#define FAR_FUTURE 0x40000000u
#define GENERAL_INFORMATION_ERRORS 0xef000000u

struct cross_state cross;
struct general_information information;
uint32_t descriptors;

/* Loops begin where a line of the instruction buffer does: that holds one line, and a loop across two would fetch both each time. */
#define WHOLE_LINES __attribute__((noinline, aligned(128)))

WHOLE_LINES static void clear_words(uint32_t start, uint32_t end)
{
    for (uint32_t at = start; at != end; at += 4)
        *(volatile uint32_t *)(uintptr_t)at = 0;
}

static void clear_bss(void)
{
    extern uint8_t spinach_bss_start[], spinach_bss_end[];
    clear_words((uint32_t)(uintptr_t)spinach_bss_start, (uint32_t)(uintptr_t)spinach_bss_end);
}

WHOLE_LINES static void copy_code(uint8_t *start, const uint8_t *end, const uint8_t *image)
{
    volatile uint32_t *to = (volatile uint32_t *)(uintptr_t)start;
    const volatile uint32_t *from = (const volatile uint32_t *)(uintptr_t)image;
    while ((const uint8_t *)(uintptr_t)to != end)
        *to++ = *from++;
}

static void copy_send_code(void)
{
    extern uint8_t send_code_start[], send_code_end[], send_code_image[];
    copy_code(send_code_start, send_code_end, send_code_image);
}

static void copy_receive_code(void)
{
    extern uint8_t receive_code_start[], receive_code_end[], receive_code_image[];
    copy_code(receive_code_start, receive_code_end, receive_code_image);
}

/* Bytes of SRAM: the least distance at which a word appears again. */
static uint32_t memory_size(void)
{
    volatile uint32_t *first = (volatile uint32_t *)(uintptr_t)SIZING_ADDRESS;
    *first = SIZING_MARK;
    for (uint32_t size = 0x80000; size < MEMORY_END; size *= 2) {
        volatile uint32_t *again = (volatile uint32_t *)(uintptr_t)(SIZING_ADDRESS + size);
        if (*again == SIZING_MARK) {
            *first = ~SIZING_MARK;
            if (*again == ~SIZING_MARK)
                return size;
            *first = SIZING_MARK;
        }
    }
    return MEMORY_END;
}

static void start_timer(void)
{
    CONFIGURATION = (CONFIGURATION & ~CONFIGURATION_PRESCALE) | TICK_PRESCALE;
    TIMER = 0;
    TIMER_REFERENCE_A = FAR_FUTURE;
    TIMER_REFERENCE_B = FAR_FUTURE;
}

/* The rings of the MAC first: the hardware finds those of the DMA behind that of received frames. */
static void start_rings(void)
{
    uint32_t transmit = descriptors + TRANSMIT_RING_OFFSET;
    uint32_t receive = descriptors + RECEIVE_RING_OFFSET;
    uint32_t reads = descriptors + DMA_READ_RING_OFFSET;
    uint32_t writes = descriptors + DMA_WRITE_RING_OFFSET;
    for (uint32_t at = receive; at != receive + RECEIVE_RING_BYTES; at += sizeof(struct mac_descriptor))
        ((struct mac_descriptor *)(uintptr_t)at)->length = RECEIVE_NOT_USED;
    RECEIVE_RING_PRODUCER = RECEIVE_RING_REFERENCE = RECEIVE_RING_CONSUMER = receive;
    SEND_RING_PRODUCER = SEND_RING_FETCHED = SEND_RING_SENT = transmit;
    DMA_READ_PRODUCER = DMA_READ_REFERENCE = DMA_READ_CONSUMER = reads;
    DMA_WRITE_PRODUCER = DMA_WRITE_REFERENCE = DMA_WRITE_CONSUMER = writes;
    DMA_READ_LOW_PRODUCER = DMA_READ_LOW_REFERENCE = DMA_READ_LOW_CONSUMER = 0;
    DMA_WRITE_LOW_PRODUCER = DMA_WRITE_LOW_REFERENCE = DMA_WRITE_LOW_CONSUMER = 0;
}

/* The cores have no multiplier. */
static uint32_t multiplied(uint32_t value, uint32_t factor)
{
    uint32_t product = 0;
    for (; factor != 0; factor >>= 1, value <<= 1) {
        if (factor & 1)
            product += value;
    }
    return product;
}

/* Frames to send lie before frames received; the host says which share they have. Returns the bytes for those to send. */
static uint32_t start_buffers(void)
{
    uint32_t start = descriptors + DESCRIPTORS_BYTES;
    uint32_t ratio = shared->general.transmit_buffer_ratio;
    if (ratio == 0 || ratio >= SHARES_OF_BUFFERS)
        ratio = DEFAULT_BUFFER_RATIO;
    uint32_t share = (MEMORY_END - start) / SHARES_OF_BUFFERS;
    uint32_t bytes = multiplied(share, ratio) & ~0xfffu;
    SEND_BUFFER_BASE = SEND_BUFFER_PRODUCER = SEND_BUFFER_CONSUMER = start;
    RECEIVE_BUFFER_BASE = RECEIVE_BUFFER_PRODUCER = RECEIVE_BUFFER_CONSUMER = start + bytes;
    return bytes;
}

/* Without the host's information the firmware cannot continue: a core that lacks it halts, which the host sees. */
static void fetch_information(void)
{
    DMA_READ_HOST_HIGH = shared->general.information_high;
    DMA_READ_HOST_LOW = shared->general.information_low;
    DMA_READ_LOCAL = (uint32_t)(uintptr_t)&information;
    DMA_READ_LENGTH = sizeof information;
    DMA_READ_STATE = DMA_START | (shared->general.mode & MODE_NATIVE_WORDS ? 0 : DMA_SWAP);
    while ((DMA_READ_STATE & DMA_START) && !(DMA_READ_STATE & GENERAL_INFORMATION_ERRORS))
        ;
    if (DMA_READ_STATE & GENERAL_INFORMATION_ERRORS) {
        for (;;)
            CPU_STATE_A = CPU_STATE_A | CPU_STATE_HALTED;
    }
    clear_words((uint32_t)(uintptr_t)information.statistics, (uint32_t)(uintptr_t)&information.event);
}

#if defined(TIGON2_PARALLEL) || defined(TIGON2_RELEASED_STYLE)
static void start_core_b(void)
{
    extern uint8_t start_b[];
    CPU_PC_B = (uint32_t)(uintptr_t)start_b;
    CPU_STATE_B = CPU_STATE_B & ~CPU_STATE_ANY_HALT;
    while (!cross.core_b_is_up)
        ;
}
#endif

#ifdef TIGON2_RELEASED_STYLE
/* Core B does not come back. */
void main_b(void)
{
    extern uint8_t assist_code_start[], assist_code_end[], assist_code_image[];
    copy_code(assist_code_start, assist_code_end, assist_code_image);
    cross.core_b_is_up = 1;
    assist_run();
}

/* The host may have switched the hardware on before. */
static void start_assist(void)
{
    bool is_hardware = (shared->general.mode & MODE_HARDWARE_ASSIST) != 0;
    cross.assists = !is_hardware;
    DMA_ASSIST = is_hardware ? DMA_ASSIST_INITIALISE : 0;
    if (is_hardware)
        DMA_ASSIST = DMA_ASSIST_ENABLE;
}
#else
static void start_assist(void)
{
    DMA_ASSIST = DMA_ASSIST_INITIALISE;
    DMA_ASSIST = DMA_ASSIST_ENABLE;
}
#endif

#ifdef TIGON2_PARALLEL
void main_b(void)
{
    clear_words(SCRATCH_PAD, SCRATCH_PAD + RECEIVE_STATE_OFFSET + sizeof(struct receive_state));
    copy_receive_code();
    receive_start();
    events_attend(RECEIVE_EVENTS);
    cross.core_b_is_up = 1;
}
#endif

void main_a(void)
{
    clear_bss();
    clear_words(SCRATCH_PAD, SCRATCH_PAD + RECEIVE_STATE_OFFSET + sizeof(struct receive_state));
    descriptors = MEMORY_END - memory_size() + IMAGE_SPACE;
    start_timer();
    start_rings();
    send_state()->buffer_bytes = start_buffers();
    fetch_information();
    copy_send_code();
    send_start();
    start_assist();
    events_attend(SEND_EVENTS);
#ifdef TIGON2_PARALLEL
    start_core_b();
#else
    copy_receive_code();
    receive_start();
    events_attend(RECEIVE_EVENTS);
#ifdef TIGON2_RELEASED_STYLE
    start_core_b();
#endif
#endif
    shared->general.command_consumer = 0;
    host_event(EVENT_FIRMWARE_RUNS);
}
