/* Receiving: from the wire to the host's buffers. */
#ifndef TENGIG_RECEIVE_H
#define TENGIG_RECEIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "tengig/dma.h"

#define RETURNS_PER_WRITE 8

/*
 * True if the host must be notified of the frames up to `committed` that are in its memory: a few at a time, or at once when no other
 * is on its way, because none has been claimed or the host has given no buffer for it.
 */
static inline bool returns_are_due(uint32_t committed)
{
    uint32_t waiting = committed - nic->receive_returned;
    if (waiting == 0)
        return false;
    return waiting >= RETURNS_PER_WRITE || committed == nic->receive_claimed || committed == nic->receive_bd_arrived;
}

/* Request the DMA write of one frame into the host's next buffer, and fill in its return descriptor. */
static inline void receive_frame(uint32_t frame, uint32_t slot)
{
    const struct mac_descriptor *received = &receive_ring[frame % RECEIVED_FRAMES];
    const struct buffer_descriptor *buffer = &receive_bd_ring[frame % RECEIVE_BDS];
    struct buffer_descriptor *returned = &return_ring[frame % RECEIVE_BDS];
    uint32_t address = received->address;
    uint32_t status_length = received->status_length;
    uint32_t length = RECEIVED_LENGTH(status_length);
    uint32_t room = BD_LENGTH(buffer->flags_length);
    uint32_t flags = BD_END | RECEIVED_STATUS(status_length);
    uint32_t high = buffer->address.high;
    uint32_t low = buffer->address.low;
    nic->received_end[frame % RECEIVED_FRAMES] = (address + length + RECEIVE_ALIGNMENT - 1) & -RECEIVE_ALIGNMENT;
    if (length > room) {
        length = room;
        flags |= BD_TRUNCATED;
    }
    returned->address.high = high;
    returned->address.low = low;
    returned->flags_length = flags | length;
    returned->opaque = buffer->opaque;
    write_request(slot, high, low, address, length, TAG_RECEIVED | frame % RECEIVED_FRAMES);
}

/* Each looks for work of its kind, does some of it, and returns whether it did any. */
bool fetch_receive_bds(void);
bool commit_received(void);

/* A fetch of `count` receive descriptors has completed. */
void receive_bds_arrived(uint32_t count);

/* The host has `count` more return descriptors; their places here are free. */
void return_arrived(uint32_t count);

/* Asks for the frames from `start` up to `end` to be written to the host; what cannot be done now is tried again later. */
void receive_frames(uint32_t start, uint32_t end);

#endif
