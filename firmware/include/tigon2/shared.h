/*
 * What the host and the firmware share: the first KiB of SRAM, which the host reaches through its base address region, and the
 * formats of rings and tables in host memory. All are words; the DMA swaps bytes where the host keeps words the other way round.
 */
#ifndef TIGON2_SHARED_H
#define TIGON2_SHARED_H

#include <stdint.h>

#include "tigon2/protocol.h"

struct mailbox {
    volatile uint32_t high;
    volatile uint32_t value;
};

struct shared_memory {
    uint32_t reserved0[32];
    volatile uint32_t mac_statistics[32]; /* 0x080: kept by the hardware */
    struct mailbox mailboxes[32];         /* 0x100 */
    struct general_communication general; /* 0x200 */
    uint32_t reserved1[36];
    volatile uint32_t commands[COMMAND_ENTRIES]; /* 0x300 */
};

_Static_assert(sizeof(struct shared_memory) == 0x400, "the host knows these addresses");

static inline __attribute__((always_inline, const)) struct shared_memory *shared_memory(void)
{
    struct shared_memory *shared;
    __asm__("" : "=r"(shared) : "0"(0));
    return shared;
}

#define shared (shared_memory())

/* The ring control block. */
struct ring_control {
    uint32_t host_high;
    uint32_t host_low;
    uint32_t length_flags;
    uint32_t reserved;
};

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

static inline uint32_t command_of(uint32_t word) { return word >> 24; }
static inline uint32_t code_of(uint32_t word) { return word >> 12 & 0xfff; }

#endif
