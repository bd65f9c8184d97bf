/* Sending: asking for the data of descriptors that are here, into the transmit buffer. */
#include "tigon2/events.h"
#include "tigon2/functions.h"
#include "tigon2/task.h"
#include "tigon2/transmit.h"

/* Bytes of the transmit buffer that hold nothing. The hardware frees a frame's bytes, and those up to the next frame, when it has left. */
static inline uint32_t buffer_free(const struct send_state *send)
{
    int32_t used = (int32_t)(send->place - place_left(send));
    if (used < 0)
        used += (int32_t)send->buffer_bytes;
    return send->buffer_bytes - (uint32_t)used;
}

/* True if the MAC's ring has room for one more frame, counting all frames whose data was asked for. */
static inline bool transmit_ring_has_room(const struct send_state *send)
{
    uint32_t oldest = frames_left(send);
    return ((send->frames + 1 - oldest) & (TRANSMIT_FRAMES - 1)) != 0;
}

/* Notes the MAC's descriptor for when the data is here, and the send descriptors that are free once the frame has left. */
static inline uint32_t end_frame(struct send_state *send, const volatile struct send_descriptor *descriptor,
                                 uint32_t flags, uint32_t slot, uint32_t next)
{
    uint32_t address = send->frame_place;
    uint32_t length = send->frame_bytes;
    if (flags & FLAG_VLAN) {
        address |= TRANSMIT_INSERT_VLAN;
        length |= descriptor->vlan << 16;
    }
    send->frame[slot].address = address;
    send->frame[slot].length = length;
    send->end[send->frames] = (uint16_t)next;
    send->frames = (send->frames + 1) & (TRANSMIT_FRAMES - 1);
    send->frame_place = send->place = wrapped(send, (send->place + TRANSMIT_ALIGNMENT - 1) & ~(TRANSMIT_ALIGNMENT - 1));
    send->frame_bytes = 0;
    if (flags & FLAG_COALESCE_NOW)
        send->is_urgent = 1;
    return flags & (FLAG_CHECKSUM | FLAG_IP_CHECKSUM) ? READ_SEND_CHECKSUM | flags : READ_SEND_LAST;
}

/* Asks for the data of one descriptor; false if something is lacking that will be there later. */
static inline bool request_data(struct send_state *send, uint32_t index)
{
    const volatile struct send_descriptor *descriptor =
        (const volatile struct send_descriptor *)(uintptr_t)(send->ring + index * sizeof(struct send_descriptor));
    uint32_t pointer = reads_place();
    uint32_t length_flags = descriptor->length_flags;
    uint32_t length = length_flags >> 16;
    if (pointer == 0 || buffer_free(send) <= length + TRANSMIT_ALIGNMENT || !transmit_ring_has_room(send))
        return false;
    struct dma_descriptor *dma = dma_at(pointer);
    uint32_t state = DMA_START | covering(send, length_flags);
    if (length_flags & (FLAG_CHECKSUM | FLAG_IP_CHECKSUM)) {
        state |= DMA_CHECKSUM | (send->frame_bytes == 0 ? DMA_CHECKSUM_RESTART : 0);
        if (length_flags & FLAG_END) {
            state |= DMA_CHECKSUM_STORE;
            dma_store_checksum(dma);
        }
    }
    dma->host_high = descriptor->host_high;
    dma->host_low = descriptor->host_low;
    dma->local = send->place;
    dma->length = length;
    dma->state = state;
    uint32_t slot = dma_slot(pointer);
    send->place = wrapped(send, send->place + length);
    send->frame_bytes += length;
    send->tags[slot] = length_flags & FLAG_END
                           ? end_frame(send, descriptor, length_flags & 0xffff, slot, (index + 1) & send->mask)
                           : READ_SEND_PART;
    DMA_READ_PRODUCER = dma_after(pointer);
    if (length_flags & FLAG_END)
        publish(&send->frame[slot]);
    return true;
}

#ifdef TIGON2_RELEASED_STYLE
/* Schedules the notification of the host of frames that were given to the MAC. */
static inline void report_later(struct send_state *send, uint32_t frames_before)
{
    if (send->frames == frames_before)
        return;
    if (send->is_urgent)
        send_deadline_soon(DEADLINE_SEND);
    else
        send_deadline(DEADLINE_SEND, send->ticks);
}
#endif

/* The event stays while descriptors are left, and comes again when nothing of more importance is to be done. */
TASK(send_frame) void handle_send_descriptors(void)
{
    struct send_state *send = send_state();
    uint32_t index = send->next;
    uint32_t arrived = send->arrived;
#ifdef TIGON2_RELEASED_STYLE
    uint32_t frames = send->frames;
#endif
    while (index != arrived && request_data(send, index))
        index = (index + 1) & send->mask;
    send->next = index;
    if (index == arrived)
        send_events_clear(EVENT_BIT(EVENT_SEND_DESCRIPTORS));
#ifdef TIGON2_RELEASED_STYLE
    report_later(send, frames);
#endif
}
