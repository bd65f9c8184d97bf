/* Sending: from the host's descriptors to the wire. */
#ifndef TENGIG_SEND_H
#define TENGIG_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "tengig/descriptors.h"
#include "tengig/state.h"

/*
 * Return the first buffer of the frame that the buffer `bd` belongs to: an earlier one if an earlier event ended within the
 * frame. Sets `*offset` to the bytes before `bd`. Frames up to send_bd_consumed have left, so a frame begins there; a
 * descriptor before it may have been overwritten, so the descriptor is read before that counter.
 */
static inline uint32_t first_buffer_of_frame(uint32_t bd, uint32_t *offset)
{
    *offset = 0;
    for (;;) {
        const volatile struct buffer_descriptor *before = &send_bd_ring[(bd - 1) % SEND_BDS];
        uint32_t flags_length = before->flags_length;
        if (bd == nic->send_bd_consumed || (flags_length & BD_END))
            return bd;
        *offset += BD_LENGTH(flags_length);
        bd--;
    }
}

/* Each looks for work of its kind, does some of it, and returns whether it did any. */
bool fetch_send_bds(void);
bool fetch_frames(void);
bool commit_frames(void);
bool retire_transmits(void);

/* A fetch of send descriptors has completed. */
void send_bds_arrived(uint32_t batch);

/* Continues to request the data of the buffers from `start` up to `end`. */
void fetch_buffers_again(uint32_t start, uint32_t end);

#endif
