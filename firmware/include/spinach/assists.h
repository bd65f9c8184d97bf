/*
 * The registers of the hardware assists and what they exchange with firmware through memory. The module reference describes
 * dma_assist, mac_transmit_assist, mac_receive_assist and interrupt in full.
 *
 * Indices that count work run freely modulo 2^32; the place in a ring is the index modulo its entries, a power of two.
 */
#ifndef SPINACH_ASSISTS_H
#define SPINACH_ASSISTS_H

#include <stdint.h>

/* What every assist with a ring of descriptors has. */
struct ring_registers {
    volatile uint32_t ring_base;        /* in control memory */
    volatile uint32_t ring_entries;
    volatile uint32_t producer;
    volatile uint32_t consumer;
    volatile uint32_t progress_address; /* of a word that follows the index that the hardware advances; 0 for none */
    volatile uint32_t control;
    volatile uint32_t status;
};

#define ASSIST_ENABLE 1u

/* The MAC's receive assist also has a circular region of frame memory. */
struct mac_receive_registers {
    struct ring_registers ring;
    uint32_t reserved;
    volatile uint32_t buffer_base;
    volatile uint32_t buffer_bytes;
    volatile uint32_t buffer_producer; /* where the next frame goes */
    volatile uint32_t buffer_consumer; /* where the oldest byte in use lies */
    volatile uint32_t dropped;
};

/* How firmware notifies the host. */
struct interrupt_block {
    volatile uint32_t raise;
    volatile uint32_t mask;
    volatile uint32_t hold_off; /* microseconds between two interrupts, at least */
};

struct host_address {
    uint32_t high, low;
};

/* Bytes between host memory and memory of the NIC. */
struct dma_descriptor {
    struct host_address host;
    uint32_t local;
    uint32_t flags_length; /* flags << 16 | length */
};

/* A frame that the MAC is to send. */
struct transmit_descriptor {
    uint32_t address;
    uint32_t flags_length;
};

/* A frame that the MAC has received. */
struct receive_descriptor {
    uint32_t address;
    uint32_t status_length; /* status << 16 | length without frame check sequence */
};

#define RECEIVED_LENGTH(status_length) ((status_length) & 0xffffu)
#define RECEIVED_STATUS(status_length) ((status_length) & 0xffff0000u)

#endif
