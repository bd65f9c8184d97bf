/* What a NIC and the driver of its host exchange through memory. The module reference describes it at nic_feeder. */
#ifndef SPINACH_DRIVER_H
#define SPINACH_DRIVER_H

#include <stdint.h>

/* A buffer in host memory. The driver's rings and the NIC's copies consist of these. */
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

#endif
