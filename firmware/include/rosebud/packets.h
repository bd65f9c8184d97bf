/* Packets of a core of Rosebud: slots, received packets, packets to send. */
#ifndef ROSEBUD_PACKETS_H
#define ROSEBUD_PACKETS_H

#include <stdint.h>

#include "rosebud/registers.h"
#include "spinach/card.h"

#define SLOT_BYTES 0x4000u
#define HEADER_BYTES 0x80u
#define HEADERS (REGION_DATA + 0x4000u)

/* A register of 32 bits, and its first 16 or 8. */
#define REGISTER(offset) (*(volatile uint32_t *)(offset))
#define HALF_REGISTER(offset) (*(volatile uint16_t *)(offset))
#define BYTE_REGISTER(offset) (*(volatile uint8_t *)(offset))

/*
 * Sets the slots, and tells the load balancer: each has SLOT_BYTES of packet memory and HEADER_BYTES of data memory.
 * `headroom` bytes in front of each packet are free. `tag_bytes` that come in front of a packet are cut off, so that the packet itself
 * begins at a word of the data path.
 */
static inline void set_slots_behind(uint32_t slots, uint32_t headroom, uint32_t tag_bytes) {
    uint32_t before = headroom + (16u - tag_bytes % 16u) % 16u;
    if (tag_bytes != 0) {
        REGISTER(WRITE_TAG_BYTES) = tag_bytes;
    }
    for (uint32_t slot = 1; slot <= slots; slot++) {
        REGISTER(WRITE_SLOT) = 1u << 31 | slot << 24 | ((HEADERS + (slot - 1) * HEADER_BYTES) & 0xffffffu);
        BYTE_REGISTER(WRITE_SLOT_UPDATE) = 1;
    }
    for (uint32_t slot = 1; slot <= slots; slot++) {
        REGISTER(WRITE_SLOT) = slot << 24 | ((slot - 1) * SLOT_BYTES + before);
        BYTE_REGISTER(WRITE_SLOT_UPDATE) = 1;
    }
    REGISTER(WRITE_SEND_LOW) = slots << 16 | (SLOT_BYTES - before);
    BYTE_REGISTER(WRITE_SEND) = TYPE_SLOTS;
    /* Or the compiler shares this store with the one of a loop, which then has a longer way. */
    __asm__ volatile("");
}

/* The same for packets of the ports, with the tag of the load balancer if it has one, and without headroom. */
static inline void set_slots(uint32_t slots) {
    set_slots_behind(slots, 0, TAG_BYTES);
}

/* True if a packet was received. */
static inline int is_received(void) {
    return BYTE_REGISTER(READ_STATUS);
}

/* Takes the received packet as the one to send. */
static inline void take_received(void) {
    REGISTER(WRITE_SEND_LOW) = REGISTER(READ_RECEIVED_LOW);
    REGISTER(WRITE_SEND_HIGH) = REGISTER(READ_RECEIVED_HIGH);
    BYTE_REGISTER(WRITE_RELEASE) = 1;
}

/* True in the argument of `core_interrupt` if the timer interrupts, and otherwise the external line. */
#define IS_TIMER(cause) (((cause) & 0xffu) == 7)

/*
 * Lets the flags of `mask` interrupt. The image defines
 *
 *     void core_interrupt(uint32_t cause);
 *
 * which acknowledges the flags that it has seen: an interrupt whose flag stays up comes again.
 */
static inline void enable_interrupts(uint32_t mask) {
    REGISTER(WRITE_INTERRUPT_MASK) = mask;
    __asm__ volatile("csrw mie, %0\n csrw mstatus, %1" : : "r"(0x880), "r"(0x1808) : "memory");
}

/* Flags that are up and enabled. */
static inline uint32_t enabled_flags(void) {
    return REGISTER(READ_FLAGS) & REGISTER(READ_INTERRUPT_MASK);
}

/* Clears flags. */
static inline void acknowledge(uint32_t flags) {
    REGISTER(WRITE_ACKNOWLEDGE) = flags;
}

/* Sends the packet to its port; with length 0, gives its slot back. */
static inline void send(void) {
    BYTE_REGISTER(WRITE_SEND) = TYPE_PACKET;
}

/* Sends the packet to a core, through the loopback port; its slot becomes free when it has left. */
static inline void send_to_core(uint32_t core) {
    BYTE_REGISTER(WRITE_SEND_LOW + 3) = (uint8_t)core;
    BYTE_REGISTER(WRITE_SEND) = TYPE_CORE;
}

/* Gives the slot of the packet back. */
static inline void discard(void) {
    HALF_REGISTER(WRITE_SEND_LOW) = 0;
    send();
}

/* Fields of a received packet, which are big-endian, in the copy of its header in data memory. */
static inline const volatile uint8_t *received_header(void) {
    uint32_t slot = BYTE_REGISTER(READ_RECEIVED_LOW + 2);
    uint32_t place = REGISTER(READ_RECEIVED_HIGH) % HEADER_BYTES;
    return (const volatile uint8_t *)(HEADERS + (slot - 1) * HEADER_BYTES + place);
}

#endif
