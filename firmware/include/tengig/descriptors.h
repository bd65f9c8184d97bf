/* What the NIC and the host exchange through memory, and where things lie on the NIC. */
#ifndef TENGIG_DESCRIPTORS_H
#define TENGIG_DESCRIPTORS_H

#include <stdint.h>

#include "spinach/assists.h"

/* A buffer in host memory. The host's rings and the NIC's copies consist of these. */
struct buffer_descriptor {
    uint32_t host_high, host_low;
    uint32_t flags_length; /* flags << 16 | length */
    uint32_t opaque;       /* handed back unchanged */
};

#define BD_LENGTH(flags_length) ((flags_length) & 0xffffu)
#define BD_END (4u << 16)       /* the last buffer of a frame */
#define BD_TRUNCATED (8u << 16) /* the frame was longer than the buffer */

/* What the host reads when it is interrupted. */
struct status_words {
    volatile uint32_t send_bd_consumed;
    volatile uint32_t receive_returned;
};

/* What the host tells the NIC once, before anything else. */
struct host_rings {
    uint32_t send_ring_high, send_ring_low, send_ring_entries;
    uint32_t receive_ring_high, receive_ring_low, receive_ring_entries;
    uint32_t return_ring_high, return_ring_low, return_ring_entries;
    uint32_t status_high, status_low;
    volatile uint32_t ready;
    uint32_t first_index; /* where all indices begin: the host's and, by agreement, those of the assists */
};

#define HOST_RINGS_READY 0x53504e31u

/* The assists, in the order of the register bus. */
#define dma_read_registers ((struct ring_registers *)0x20000000u)
#define dma_write_registers ((struct ring_registers *)0x20000100u)
#define transmit_registers ((struct ring_registers *)0x20000200u)
#define receive_registers ((struct mac_receive_registers *)0x20000300u)
#define interrupt_registers ((struct interrupt_block *)0x20000400u)

struct interrupt_block {
    volatile uint32_t raise;
};

/* Frame memory: a place for each frame to send, by its first buffer descriptor, and a circular buffer for received ones. */
#define FRAME_MEMORY 0x40000000u
#define TRANSMIT_BUFFER_BYTES 0x4000u
#define TRANSMIT_BUFFER(position) (FRAME_MEMORY + (position) * TRANSMIT_BUFFER_BYTES)
#define RECEIVE_BUFFER (FRAME_MEMORY + 0x400000u)
#define RECEIVE_BUFFER_BYTES 0x100000u
#define RECEIVE_ALIGNMENT 8u /* frames begin at multiples of it; a parameter of the MAC's assist */

/* The rings follow the shared state at the bottom of the scratch pad. */
#define RINGS_ADDRESS 0x4000u
#define dma_read_ring ((struct dma_descriptor *)(RINGS_ADDRESS + 0x0000u))
#define dma_write_ring ((struct dma_descriptor *)(RINGS_ADDRESS + 0x1000u))
#define send_bd_ring ((struct buffer_descriptor *)(RINGS_ADDRESS + 0x2000u))
#define receive_bd_ring ((struct buffer_descriptor *)(RINGS_ADDRESS + 0x3000u))
#define return_ring ((struct buffer_descriptor *)(RINGS_ADDRESS + 0x4000u))
#define transmit_ring ((struct transmit_descriptor *)(RINGS_ADDRESS + 0x5000u))
#define receive_ring ((struct receive_descriptor *)(RINGS_ADDRESS + 0x5800u))
#define RINGS_END (RINGS_ADDRESS + 0x6000u)

#endif
