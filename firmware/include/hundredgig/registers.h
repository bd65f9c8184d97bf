/* The blocks of registers of a core; the module reference describes each. */
#ifndef HUNDREDGIG_REGISTERS_H
#define HUNDREDGIG_REGISTERS_H

#include <stdint.h>

#include "spinach/card.h"

struct event_flags_registers {
    volatile uint32_t wait, take, enabled, raise;
};

struct queue_dma_registers {
    volatile uint32_t host_high, host_low, local, length, free, done, control, failed, fault;
};

struct queue_transmit_registers {
    volatile uint32_t address, descriptor, free, done, control, segment;
};

struct queue_receive_registers {
    volatile uint32_t address, descriptor, free, completion, control, dropped, sum;
};

struct emulated_function_registers {
    volatile uint32_t access, data, answer, level, ring, message;
};

struct flow_steering_registers {
    volatile uint32_t key[10], reserved[6], lanes, entry, lane, types, unclassified, filter, address, address_high, address_low, vlan_word,
        vlans;
};

struct tally_registers {
    volatile uint32_t counts[32];
};

#define EVENTS ((struct event_flags_registers *)EVENTS_REGISTERS)
#define DMA_READ ((struct queue_dma_registers *)DMA_READ_REGISTERS)
#define DMA_WRITE ((struct queue_dma_registers *)DMA_WRITE_REGISTERS)
#define MAC_TRANSMIT ((struct queue_transmit_registers *)MAC_TRANSMIT_REGISTERS)
#define MAC_RECEIVE ((struct queue_receive_registers *)MAC_RECEIVE_REGISTERS)
#define FUNCTION ((struct emulated_function_registers *)FUNCTION_REGISTERS)
#define STEERING ((struct flow_steering_registers *)STEERING_REGISTERS)
#define TALLY ((struct tally_registers *)TALLY_REGISTERS)

#define STEERING_ENTRIES 128u
#define STEERING_ALL_TYPES 0x3fu
#define STEERING_KEY_BYTES 40u
#define FILTER_ADDRESSES 16u
#define FILTER_ENABLED 1u
#define FILTER_ALL_UNICAST 2u
#define FILTER_ALL_MULTICAST 4u
#define FILTER_BY_VLAN 8u
#define VLAN_WORDS 128u
#define FILTER_VALID 0x80000000u

/* An access of the host. */
#define ACCESS_WRITE 0x40000000u
#define ACCESS_SIZE(access) ((access) >> 24 & 7u)
#define ACCESS_OFFSET(access) ((access) & 0xffffffu)

/* Raises a message at a core. */
#define RING_MESSAGE(core) ((core) << 16 | 8u)

/* Event flags: levels of devices, then doorbells of the queues and messages of other cores. */
#define EVENT_READ 0x1u
#define EVENT_WRITE 0x2u
#define EVENT_RECEIVED 0x4u
#define EVENT_SENT 0x8u
#define EVENT_ACCESS 0x10u
#define EVENT_DOORBELL(queue) (0x10000u << (queue))
#define EVENT_MESSAGE 0x80000u

#endif
