/* Completed reads of the DMA, and their receivers. */
#include "tigon2/events.h"
#include "tigon2/functions.h"
#include "tigon2/task.h"
#include "tigon2/transmit.h"

#ifdef TIGON2_RELEASED_STYLE

/* The MAC knows of the frame, and waits for its data to be complete. */
static inline uint32_t transmit(struct send_state *send, const struct mac_descriptor *frame)
{
    if (send->covers_later)
        SEND_BUFFER_PRODUCER = frame_end(send, frame);
    return 0;
}

/*
 * First transfer from `pointer` on whose end matters: the consumer advances to it, even if the hardware has not come there. The event comes
 * when the hardware has passed it.
 */
static inline uint32_t ahead(const struct send_state *send, uint32_t pointer)
{
    uint32_t last = DMA_READ_PRODUCER;
    for (; pointer != last; pointer = dma_next(pointer)) {
        uint32_t kind = TAG_KIND(send->tags[dma_slot(pointer)]);
        if (kind != READ_SEND_PART && (kind != READ_SEND_LAST || send->covers_later))
            break;
    }
    return pointer;
}

#else

/* There is room: no more frames are asked for than the ring of the MAC holds. Returns how many bytes leave. */
static inline uint32_t transmit(struct send_state *send, const struct mac_descriptor *frame)
{
    uint32_t pointer = SEND_RING_PRODUCER;
    struct mac_descriptor *descriptor = (struct mac_descriptor *)(uintptr_t)pointer;
    descriptor->address = frame->address;
    descriptor->length = frame->length;
    uint32_t start = pointer & ~(TRANSMIT_RING_BYTES - 1);
    SEND_RING_PRODUCER = start | ((pointer + sizeof(struct mac_descriptor)) & (TRANSMIT_RING_BYTES - 1));
    count_frame(send, frame->address);
    return bytes_on_the_wire(frame);
}

static inline uint32_t ahead(const struct send_state *send, uint32_t pointer)
{
    (void)send;
    return pointer;
}

#endif

static inline void receive_descriptors_arrived(uint32_t tag)
{
    uint32_t ring = tag >> 12 & 0x3;
    cross.receive_arrived[ring] = tag & 0xfff; /* before receive_waits is read: handle_received does the reverse */
    if (ring == JUMBO)
        receive_jumbo_arrived(tag & 0xfff);
    if (cross.receive_waits) {
        cross.receive_waits = 0;
        receive_events_raise(EVENT_BIT(EVENT_RECEIVE_BUFFERS));
    }
}

/* Does what follows from one read; returns the bytes of a frame that is now the MAC's, or 0. */
static inline uint32_t read_done(struct send_state *send, uint32_t pointer)
{
    uint32_t slot = dma_slot(pointer);
    uint32_t tag = send->tags[slot];
    struct mac_descriptor *frame = &send->frame[slot];
    switch (TAG_KIND(tag)) {
    case READ_SEND_PART:
        return 0;
    case READ_SEND_CHECKSUM:
        checksums_insert(frame->address & (MEMORY_END - 1), frame->length & 0xffff, tag, dma_checksum(dma_at(pointer)));
        __attribute__((fallthrough));
    case READ_SEND_LAST:
        return transmit(send, frame);
    case READ_SEND_DESCRIPTORS:
        send->arrived = TAG_NUMBER(tag);
        send_events_set(EVENT_BIT(EVENT_SEND_DESCRIPTORS));
        return 0;
    default:
        receive_descriptors_arrived(tag);
        return 0;
    }
}

TASK(send_dispatch_ordering) void handle_reads_done(void)
{
    struct send_state *send = send_state();
    uint32_t pointer = DMA_READ_CONSUMER;
    uint32_t end = DMA_READ_REFERENCE;
    uint32_t bytes = 0;
    for (; pointer != end; pointer = dma_next(pointer))
        bytes += read_done(send, pointer);
    DMA_READ_CONSUMER = ahead(send, pointer);
    if (bytes != 0) {
        octets_add(&send->octets, bytes);
        send_report(send->is_urgent);
        if (send->is_urgent)
            send_deadline_soon(DEADLINE_SEND);
        else
            send_deadline(DEADLINE_SEND, send->ticks);
    }
}
