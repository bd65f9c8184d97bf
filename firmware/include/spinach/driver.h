/* What a NIC and the driver of its host exchange through memory. The module reference describes it at nic_feeder. */
#ifndef SPINACH_DRIVER_H
#define SPINACH_DRIVER_H

#include <stdint.h>

#include "spinach/assists.h"

/* A buffer in host memory. The driver's rings and the NIC's copies consist of these. */
struct buffer_descriptor {
    struct host_address address;
    uint32_t flags_length; /* flags << 16 | length */
    uint32_t opaque;       /* handed back unchanged */
};

#define BD_LENGTH(flags_length) ((flags_length) & 0xffffu)
#define BD_END (4u << 16)       /* the last buffer of a frame */
#define BD_TRUNCATED (8u << 16) /* the frame was longer than the buffer */
#define BD_INSERT_CHECKSUM (16u << 16) /* of a frame to send; `opaque` says where, see nic_feeder in the module reference */
#define BD_CHECKSUM_RIGHT (32u << 16)
#define BD_CHECKSUM_WRONG (64u << 16)

/* What the host reads when it is interrupted. */
struct status_words {
    volatile uint32_t send_bd_consumed;
    volatile uint32_t receive_returned;
};

/* A ring of buffer descriptors in host memory. */
struct host_ring {
    struct host_address address;
    uint32_t entries; /* a power of two */
};

/* What the host tells the NIC once, before anything else. */
struct host_rings {
    struct host_ring send, receive, returned;
    struct host_address status;
    volatile uint32_t ready;
    uint32_t first_index; /* where all indices begin: the host's and, by agreement, those of the assists */
};

#define HOST_RINGS_READY 0x53504e31u

/* Where the entry for the descriptor of number `index` lies. */
static inline struct host_address host_ring_entry(const struct host_ring *ring, uint32_t index)
{
    uint32_t offset = (index & (ring->entries - 1)) * sizeof(struct buffer_descriptor);
    return (struct host_address){ring->address.high, ring->address.low + offset};
}

#endif
