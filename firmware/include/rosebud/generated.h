/* Packets that a core of Rosebud makes: UDP with its number, a sequence number and a time. */
#ifndef ROSEBUD_GENERATED_H
#define ROSEBUD_GENERATED_H

#include <stdint.h>

#include "rosebud/registers.h"
#include "spinach/card.h"

/* Buffers in turn: more than descriptors can wait, so that a packet has left before its buffer is written again. */
#define BUFFERS 64u
#define BUFFER_BYTES 0x4000u
#define PORT_SHIFT 24
/* Offsets of the words of firmware, little-endian as its core is. The stamp of the time is the last of the smallest packet. */
#define SEQUENCE 44u
#define STAMP 48u

#define ETHERNET_BYTES 14u
#define IP_BYTES 20u
#define UDP_BYTES 8u

/* Address of the buffer of packet `number`. */
static inline uint32_t packet_address(uint32_t number) {
    return REGION_PACKETS + number % BUFFERS * BUFFER_BYTES;
}

static inline void put16(volatile uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/* Ones' complement sum of the IP header. */
static inline uint32_t header_checksum(const volatile uint8_t *header) {
    uint32_t sum = 0;
    for (uint32_t at = 0; at < IP_BYTES; at += 2) {
        sum += (uint32_t)header[at] << 8 | header[at + 1];
    }
    sum = (sum & 0xffff) + (sum >> 16);
    return ~(sum + (sum >> 16)) & 0xffff;
}

/* Writes the headers of all buffers: from 10.0.0.`core` to 10.1.0.1, without UDP checksum. */
static inline void make_packets(uint32_t core) {
    volatile uint8_t *frame = (volatile uint8_t *)packet_address(0);
    volatile uint8_t *header = frame + ETHERNET_BYTES;
    frame[0] = frame[6] = 2;
    frame[5] = 1;
    frame[11] = (uint8_t)core;
    put16(frame + 12, 0x0800);
    header[0] = 0x45;
    put16(header + 2, GENERATED_BYTES - ETHERNET_BYTES);
    header[8] = 64;
    header[9] = 17;
    put16(header + 12, 0x0a00);
    put16(header + 14, core);
    put16(header + 16, 0x0a01);
    put16(header + 18, 1);
    put16(header + 10, header_checksum(header));
    put16(header + IP_BYTES, 5000 + core);
    put16(header + IP_BYTES + 2, 5000);
    put16(header + IP_BYTES + 4, GENERATED_BYTES - ETHERNET_BYTES - IP_BYTES);
    for (uint32_t at = 0; at < SEQUENCE; at += 4) {
        uint32_t word = *(volatile uint32_t *)(packet_address(0) + at);
        for (uint32_t number = 1; number < BUFFERS; number++) {
            *(volatile uint32_t *)(packet_address(number) + at) = word;
        }
    }
}

#endif
