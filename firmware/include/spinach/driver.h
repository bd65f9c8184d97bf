/* Structures that a NIC and the driver of its host exchange through memory. The module reference describes it at ring_host. */
#ifndef SPINACH_DRIVER_H
#define SPINACH_DRIVER_H

#include "spinach/layouts.h"

#define BD_LENGTH(flags_length) ((flags_length) & 0xffffu)
#define BD_END (BUFFER_END << 16)             /* the last buffer of a frame */
#define BD_TRUNCATED (BUFFER_TRUNCATED << 16) /* the frame was longer than the buffer */
#define BD_INSERT_CHECKSUM (BUFFER_INSERT_CHECKSUM << 16) /* of a frame to send; `opaque` says where */
#define BD_CHECKSUM_RIGHT (BUFFER_CHECKSUM_RIGHT << 16)
#define BD_CHECKSUM_WRONG (BUFFER_CHECKSUM_WRONG << 16)
#define BD_KEEP_CONTENT (BUFFER_KEEP_CONTENT << 16) /* of a piece that the card keeps at the offset `opaque` */
#define BD_SEND_CONTENT (BUFFER_SEND_CONTENT << 16) /* of a piece that the card has there */

/* Address of the entry for the descriptor of number `index`. */
static inline struct host_address host_ring_entry(const struct host_ring *ring, uint32_t index)
{
    uint32_t offset = (index & (ring->entries - 1)) * sizeof(struct buffer_descriptor);
    return (struct host_address){ring->address.high, ring->address.low + offset};
}

#endif
