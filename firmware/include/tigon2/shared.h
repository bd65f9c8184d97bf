/*
 * Memory that the host and the firmware share: the first KiB of SRAM, which the host reaches through its base address region, and the
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

static inline uint32_t ring_length(const struct ring_control *ring) { return ring->length_flags >> 16; }
static inline uint32_t ring_flags(const struct ring_control *ring) { return ring->length_flags & 0xffff; }

static inline uint32_t command_of(uint32_t word) { return word >> 24; }
static inline uint32_t code_of(uint32_t word) { return word >> 12 & 0xfff; }

#endif
