/* What the DMA has read from the host, and whom it is for. */
#include "tigon2/events.h"
#include "tigon2/functions.h"
#include "tigon2/task.h"

#define SHORTEST_FRAME 60u
#define TAG_BYTES 4u

static inline void count_frame(struct send_state *send, uint32_t address)
{
    uint32_t first = *(volatile uint32_t *)(uintptr_t)(address & (MEMORY_END - 1));
    if (!(first & 0x01000000u))
        send->unicast++;
    else if (first == 0xffffffffu)
        send->broadcast++;
    else
        send->multicast++;
}

/* What the MAC makes of a frame. */
static inline uint32_t bytes_on_the_wire(const struct mac_descriptor *frame)
{
    uint32_t bytes = (frame->length & 0xffff) + (frame->address & TRANSMIT_INSERT_VLAN ? TAG_BYTES : 0);
    return at_least(bytes, SHORTEST_FRAME) + CHECK_SEQUENCE_BYTES;
}

/* There is room: no more frames are asked for than the ring of the MAC holds. Returns how many bytes leave. */
static inline uint32_t transmit(struct send_state *send, const struct mac_descriptor *frame)
{
    uint32_t pointer = TRANSMIT_RING_PRODUCER;
    struct mac_descriptor *descriptor = (struct mac_descriptor *)(uintptr_t)pointer;
    descriptor->address = frame->address;
    descriptor->length = frame->length;
    uint32_t start = pointer & ~(TRANSMIT_RING_BYTES - 1);
    TRANSMIT_RING_PRODUCER = start | ((pointer + sizeof(struct mac_descriptor)) & (TRANSMIT_RING_BYTES - 1));
    count_frame(send, frame->address);
    return bytes_on_the_wire(frame);
}

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
    uint32_t pointer = READ_CONSUMER;
    uint32_t end = READ_REFERENCE;
    uint32_t bytes = 0;
    for (; pointer != end; pointer = dma_next(pointer))
        bytes += read_done(send, pointer);
    READ_CONSUMER = pointer;
    if (bytes != 0) {
        octets_add(&send->octets, bytes);
        send_report(send->is_urgent);
        if (send->is_urgent)
            send_deadline_soon(DEADLINE_SEND);
        else
            send_deadline(DEADLINE_SEND, send->ticks);
    }
}
