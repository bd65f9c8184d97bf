/* Flows of packets: a hash of addresses and ports, and counters by hash. */
#ifndef ROSEBUD_FLOWS_H
#define ROSEBUD_FLOWS_H

#include <stdint.h>

#define ADDRESSES 26u
#define FLOW_COUNTERS 1024u

/* Packets of each flow that this core has seen; flows with the same lower bits of their hash share a counter. */
extern volatile uint32_t packets_of_flow[FLOW_COUNTERS];

/* Hash of the addresses and ports of an IPv4 packet without options, whose header lies in data memory. */
static inline uint32_t flow_of(const volatile uint8_t *header) {
    /* An address in the middle of a word would have to be loaded in halves. */
    const volatile uint16_t *halves = (const volatile uint16_t *)(header + ADDRESSES);
    uint32_t addresses = (halves[0] + ((uint32_t)halves[1] << 5)) ^ ((halves[2] + ((uint32_t)halves[3] << 5)) << 3);
    uint32_t ports = halves[4] + ((uint32_t)halves[5] << 7);
    uint32_t hash = addresses + ports;
    return hash ^ hash >> 10;
}

/* Counts a packet of a flow. */
static inline void count_flow(uint32_t hash) {
    packets_of_flow[hash % FLOW_COUNTERS]++;
}

#endif
