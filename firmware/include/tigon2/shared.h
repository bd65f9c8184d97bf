/*
 * What the host and the firmware share: the first KiB of SRAM, which the host reaches through its base address region, and the
 * formats of rings and tables in host memory. All are words; the DMA swaps bytes where the host keeps words the other way round.
 */
#ifndef TIGON2_SHARED_H
#define TIGON2_SHARED_H

#include <stdint.h>

struct mailbox {
    volatile uint32_t high;
    volatile uint32_t value;
};

enum {
    MAILBOX_INTERRUPT = 0, /* 0 enables interrupts, anything else masks them */
    MAILBOX_COMMAND = 1,
    MAILBOX_SEND = 2,
    MAILBOX_STANDARD = 3,
    MAILBOX_JUMBO = 4,
    MAILBOX_MINI = 5,
};

#define COMMANDS 64

/* What the host tells the firmware in words that either may read at any time. */
struct general_communication {
    volatile uint32_t address_high; /* of the station: two bytes */
    volatile uint32_t address_low;
    volatile uint32_t information_high; /* where the general information block lies in host memory */
    volatile uint32_t information_low;
    volatile uint32_t multicast_high;
    volatile uint32_t multicast_low;
    volatile uint32_t mode;
    volatile uint32_t read_configuration;
    volatile uint32_t write_configuration;
    volatile uint32_t transmit_buffer_ratio; /* in 64ths of the packet buffers */
    volatile uint32_t event_consumer;
    volatile uint32_t command_consumer;
    volatile uint32_t receive_ticks;
    volatile uint32_t send_ticks;
    volatile uint32_t statistics_ticks;
    volatile uint32_t send_coalescing;
    volatile uint32_t receive_coalescing;
    volatile uint32_t trace_mask;
    volatile uint32_t gigabit_link;
    volatile uint32_t fast_link;
    volatile uint32_t trace_pointer;
    volatile uint32_t trace_start;
    volatile uint32_t trace_bytes;
    volatile uint32_t interface_index;
    volatile uint32_t largest_unit;
    volatile uint32_t mask_interrupts;
    volatile uint32_t gigabit_link_state;
    volatile uint32_t fast_link_state;
};

struct shared_memory {
    uint32_t reserved0[32];
    volatile uint32_t mac_statistics[32]; /* 0x080: kept by the hardware */
    struct mailbox mailboxes[32];         /* 0x100 */
    struct general_communication general; /* 0x200 */
    uint32_t reserved1[36];
    volatile uint32_t commands[COMMANDS]; /* 0x300 */
};

_Static_assert(sizeof(struct shared_memory) == 0x400, "the host knows these addresses");

static inline __attribute__((always_inline, const)) struct shared_memory *shared_memory(void)
{
    struct shared_memory *shared;
    __asm__("" : "=r"(shared) : "0"(0));
    return shared;
}

#define shared (shared_memory())

/* general_communication.mode */
#define MODE_NATIVE_WORDS 0x00000002u /* the host keeps descriptors as the firmware does: do not swap their bytes */
#define MODE_HARDWARE_ASSIST 0x00000040u /* leave the rings of DMA descriptors to the hardware */
#define MODE_KEEP_CHECK_SEQUENCE 0x00000400u
#define MODE_KEEP_BAD_FRAMES 0x00000800u
#define MODE_NO_EVENT_INTERRUPTS 0x00001000u
#define MODE_NO_SEND_INTERRUPTS 0x00002000u
#define MODE_NO_RECEIVE_INTERRUPTS 0x00004000u

/* Link configuration and state. */
#define LINK_1000 0x00040000u
#define LINK_FULL_DUPLEX 0x00080000u
#define LINK_OBEY_PAUSE 0x00800000u
#define LINK_UP 0x80000000u

/* The ring control block. */
struct ring_control {
    uint32_t host_high;
    uint32_t host_low;
    uint32_t length_flags;
    uint32_t reserved;
};

#define RING_CHECKSUM 0x0001u
#define RING_IP_CHECKSUM 0x0002u
#define RING_NO_PSEUDO_HEADER 0x0008u
#define RING_VLAN 0x0010u
#define RING_IN_HOST 0x0040u
#define RING_EXTENDED 0x0100u
#define RING_DISABLED 0x0200u

static inline uint32_t ring_length(const struct ring_control *ring) { return ring->length_flags >> 16; }
static inline uint32_t ring_flags(const struct ring_control *ring) { return ring->length_flags & 0xffff; }

struct host_pointer {
    uint32_t high;
    uint32_t low;
};

#define STATISTICS_WORDS 256

struct general_information {
    uint32_t statistics[STATISTICS_WORDS];
    struct ring_control event;
    struct ring_control command;
    struct ring_control send;
    struct ring_control standard;
    struct ring_control jumbo;
    struct ring_control mini;
    struct ring_control returned;
    struct host_pointer event_producer;
    struct host_pointer return_producer;
    struct host_pointer send_consumer;
    struct host_pointer refresh_statistics;
};

_Static_assert(sizeof(struct general_information) == 0x490, "the host knows this layout");

struct send_descriptor {
    uint32_t host_high;
    uint32_t host_low;
    uint32_t length_flags;
    uint32_t vlan;
};

struct receive_descriptor {
    uint32_t host_high;
    uint32_t host_low;
    uint32_t index_length;
    uint32_t type_flags;
    uint32_t checksums; /* of IP, and of TCP or UDP */
    uint32_t error_vlan;
    uint32_t reserved;
    uint32_t opaque;
};

/* Flags of both kinds of descriptor. */
#define FLAG_CHECKSUM 0x0001u
#define FLAG_IP_CHECKSUM 0x0002u
#define FLAG_END 0x0004u
#define FLAG_JUMBO 0x0010u
#define FLAG_UNICAST 0x0020u
#define FLAG_MULTICAST 0x0040u
#define FLAG_BROADCAST 0x0060u
#define FLAG_VLAN 0x0200u
#define FLAG_ERROR 0x0400u
#define FLAG_COALESCE_NOW 0x0800u
#define FLAG_MINI 0x1000u

/* Events and commands: code in the upper byte, a number below it, an index below that. */
#define EVENT_RING_ENTRIES 256
#define EVENT_WORD(event, code) ((uint32_t)(event) << 24 | (uint32_t)(code) << 12)
#define EVENT_FIRMWARE_RUNS EVENT_WORD(1, 0)
#define EVENT_STATISTICS EVENT_WORD(4, 0)
#define EVENT_LINK_GIGABIT EVENT_WORD(6, 1)
#define EVENT_LINK_DOWN EVENT_WORD(6, 2)
#define EVENT_ERROR_INVALID EVENT_WORD(7, 1)
#define EVENT_ERROR_UNIMPLEMENTED EVENT_WORD(7, 2)
#define EVENT_ERROR_CONFIGURATION EVENT_WORD(7, 3)
#define EVENT_MULTICAST_ADDED EVENT_WORD(8, 1)
#define EVENT_MULTICAST_DELETED EVENT_WORD(8, 2)
#define EVENT_JUMBO_RESET EVENT_WORD(9, 0)

enum command {
    COMMAND_HOST_STATE = 0x01,
    COMMAND_FILTER = 0x02,
    COMMAND_STANDARD_PRODUCER = 0x03,
    COMMAND_UPDATE_GENERAL = 0x04,
    COMMAND_RESET_JUMBO = 0x05,
    COMMAND_PARTIAL_RECEIVE = 0x06,
    COMMAND_ADD_MULTICAST = 0x08,
    COMMAND_DELETE_MULTICAST = 0x09,
    COMMAND_PROMISCUOUS = 0x0a,
    COMMAND_NEGOTIATE = 0x0b,
    COMMAND_SET_ADDRESS = 0x0c,
    COMMAND_CLEAR_PROFILE = 0x0d,
    COMMAND_ALL_MULTICAST = 0x0e,
    COMMAND_CLEAR_STATISTICS = 0x0f,
    COMMAND_JUMBO_PRODUCER = 0x10,
    COMMAND_REFRESH_STATISTICS = 0x11,
    COMMAND_ADD_MULTICAST_EXTENDED = 0x12,
    COMMAND_DELETE_MULTICAST_EXTENDED = 0x13,
};

static inline uint32_t command_of(uint32_t word) { return word >> 24; }
static inline uint32_t code_of(uint32_t word) { return word >> 12 & 0xfff; }

#endif
