/* What the DMA has read from the host, and whom it is for. */
#include "tigon2/events.h"
#include "tigon2/functions.h"
#include "tigon2/task.h"

/* There is room: no more frames are asked for than the ring of the MAC holds. */
static inline void transmit(const struct mac_descriptor *frame)
{
    uint32_t pointer = TRANSMIT_RING_PRODUCER;
    struct mac_descriptor *descriptor = (struct mac_descriptor *)(uintptr_t)pointer;
    descriptor->address = frame->address;
    descriptor->length = frame->length;
    uint32_t start = pointer & ~(TRANSMIT_RING_BYTES - 1);
    TRANSMIT_RING_PRODUCER = start | ((pointer + sizeof(struct mac_descriptor)) & (TRANSMIT_RING_BYTES - 1));
}

static inline void receive_descriptors_arrived(uint32_t tag)
{
    uint32_t ring = tag >> 12 & 0x3;
    cross.receive_arrived[ring] = tag & 0xfff;
    if (cross.receive_waits) {
        cross.receive_waits = 0;
        receive_events_raise(EVENT_BIT(EVENT_RECEIVE_BUFFERS));
    }
}

/* Does what follows from one read; returns whether a frame is now the MAC's. */
static inline bool read_done(struct send_state *send, uint32_t pointer)
{
    uint32_t slot = dma_slot(pointer);
    uint32_t tag = send->tags[slot];
    struct mac_descriptor *frame = &send->frame[slot];
    switch (TAG_KIND(tag)) {
    case READ_SEND_PART:
        return false;
    case READ_SEND_CHECKSUM:
        checksums_insert(frame->address & (MEMORY_END - 1), frame->length & 0xffff, tag, dma_checksum(dma_at(pointer)));
        __attribute__((fallthrough));
    case READ_SEND_LAST:
        transmit(frame);
        return true;
    case READ_SEND_DESCRIPTORS:
        send->arrived = TAG_NUMBER(tag);
        send_events_set(EVENT_BIT(EVENT_SEND_DESCRIPTORS));
        return false;
    default:
        receive_descriptors_arrived(tag);
        return false;
    }
}

TASK(send_dispatch_ordering) void handle_reads_done(void)
{
    struct send_state *send = send_state();
    uint32_t pointer = READ_CONSUMER;
    uint32_t end = READ_REFERENCE;
    bool has_sent = false;
    for (; pointer != end; pointer = dma_next(pointer))
        has_sent |= read_done(send, pointer);
    READ_CONSUMER = pointer;
    if (has_sent) {
        send_report(send->is_urgent);
        send_deadline(DEADLINE_SEND, send->is_urgent ? SHORTEST_TICKS : send->ticks);
    }
}
