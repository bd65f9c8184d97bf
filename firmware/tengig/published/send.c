#include "tengig/send.h"

#include "spinach/task.h"
#include "tengig/published.h"

TASK(fetch_send_bd) void fetch_send_buffers(uint32_t first, uint32_t count, uint32_t slot)
{
    struct host_address at = host_ring_entry(&nic->host.send, first);
    read_request(slot, at.high, at.low, (uint32_t)(uintptr_t)&send_bd_ring[first % SEND_BDS],
                 count * sizeof(struct buffer_descriptor), TAG_FETCHED(first % SEND_BDS, count));
}

/* Request the data of one buffer, `offset` bytes behind the frame's place, and fill in the MAC's descriptor if it is the last. */
static inline bool request_buffer(uint32_t bd, uint32_t place, uint32_t *offset)
{
    const struct buffer_descriptor *descriptor = &send_bd_ring[bd % SEND_BDS];
    struct mac_descriptor *pending = &nic->pending_transmits[bd % SEND_BDS];
    uint32_t length = BD_LENGTH(descriptor->flags_length);
    bool is_last = descriptor->flags_length & BD_END;
    pending->status_length = is_last ? *offset + length : 0;
    pending->address = place;
    read_request(nic->read_slots[bd % SEND_BDS], descriptor->address.high, descriptor->address.low, place + *offset, length,
                 TAG_SEND_DATA | bd % SEND_BDS);
    *offset += length;
    return is_last;
}

/* Request the data of one frame after another, a DMA read for each of its buffers, into the frame's place in frame memory. */
TASK(send_frame) void request_frames(event_t *event)
{
    uint32_t allocated = allocate_reads_in_order(event->end);
    while (event->start != event->end && (int32_t)(allocated - event->start) > 0) {
        uint32_t offset;
        uint32_t first = first_buffer_of_frame(event->start, &offset);
        uint32_t place = TRANSMIT_BUFFER(first % SEND_BDS);
        bool is_last = false;
        while (!is_last && event->start != event->end && (int32_t)(allocated - event->start) > 0)
            is_last = request_buffer(event->start++, place, &offset);
    }
}
