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

/* Sets the slots, and tells the load balancer: each has SLOT_BYTES of packet memory and HEADER_BYTES of data memory. */
static inline void set_slots(uint32_t slots) {
    for (uint32_t slot = 1; slot <= slots; slot++) {
        REGISTER(WRITE_SLOT) = 1u << 31 | slot << 24 | ((HEADERS + (slot - 1) * HEADER_BYTES) & 0xffffffu);
        BYTE_REGISTER(WRITE_SLOT_UPDATE) = 1;
    }
    for (uint32_t slot = 1; slot <= slots; slot++) {
        REGISTER(WRITE_SLOT) = slot << 24 | (slot - 1) * SLOT_BYTES;
        BYTE_REGISTER(WRITE_SLOT_UPDATE) = 1;
    }
    REGISTER(WRITE_SEND_LOW) = slots << 16 | SLOT_BYTES;
    BYTE_REGISTER(WRITE_SEND) = TYPE_SLOTS;
    /* Or the compiler shares this store with the one of a loop, which then has a longer way. */
    __asm__ volatile("");
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

/* Sends the packet to its port; with length 0, gives its slot back. */
static inline void send(void) {
    BYTE_REGISTER(WRITE_SEND) = TYPE_PACKET;
}

#endif
