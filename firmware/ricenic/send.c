/*
 * Frames to send. The driver's descriptors come in batches; each names a piece of a frame, which the DMA unit brings into a buffer of
 * its own. The MAC gathers the pieces.
 */
#include "ricenic/nic.h"

static struct buffer_descriptor descriptors[SLOTS] ON_OWN_LINES; /* written by the DMA unit */
static OF_SENDER uint32_t lower_half[SLOTS]; /* of each piece's descriptor for the MAC */
static OF_SENDER uint32_t ends[SLOTS];       /* of each frame, the piece behind its last */
static OF_SENDER uint32_t asked, described, fetched, frames_given, frames_done;
static OF_SENDER bool is_begun; /* the pieces that are described end within a frame */

void send_start(void)
{
    asked = described = fetched = rings.first_index;
    MAC_TRANSMIT->control = QUEUE_ENABLE;
}

TASK(fetch_send_bd) void fetch_send_descriptors(void)
{
    uint32_t room = SEND_LIMIT - (asked - SHARED(send_consumed)), count = send_announced - asked;
    if (count > room)
        count = room;
    if (count == 0)
        return;
    asked += read_entries(&rings.send, asked, count, descriptors, READ_SEND_DESCRIPTORS);
}

/* The next descriptors are here; fetches what they name. */
TASK(send_frame) void send_descriptors_came(uint32_t count)
{
    forget_entries(descriptors, described, count);
    for (; count > 0; count--, described++) {
        uint32_t slot = described % SLOTS;
        const struct buffer_descriptor *descriptor = &descriptors[slot];
        uint32_t flags_length = descriptor->flags_length, length = BD_LENGTH(flags_length), flags = length;
        if (flags_length & BD_INSERT_CHECKSUM && !is_begun) {
            uint32_t place = descriptor->opaque;
            flags |= TRANSMIT_CHECKSUM_AT(place >> 8 & 0xff, place & 0xff);
        }
        is_begun = !(flags_length & BD_END);
        if (!is_begun)
            flags |= TRANSMIT_LAST;
        lower_half[slot] = flags;
        read_host(descriptor->address, SEND_BUFFERS + slot * BUFFER_BYTES, length, READ_PIECE, 1);
    }
}

/* The next piece is here. */
TASK(send_frame) void send_piece_came(void)
{
    uint32_t slot = fetched++ % SLOTS, flags = lower_half[slot];
    MAC_TRANSMIT->address = SEND_BUFFERS + slot * BUFFER_BYTES;
    MAC_TRANSMIT->descriptor = flags;
    if (flags & TRANSMIT_LAST)
        ends[frames_given++ % SLOTS] = fetched;
}

/* Takes note of the frames that the link has taken. */
TASK(send_frame) void take_sent(void)
{
    if (frames_done == frames_given)
        return;
    uint32_t end = MAC_TRANSMIT->done;
    if (end == frames_done)
        return;
    SHARED(frames_sent) = frames_done = end;
    SHARED(send_consumed) = ends[(end - 1) % SLOTS];
}
