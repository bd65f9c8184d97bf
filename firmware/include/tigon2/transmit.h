/*
 * Frames between the DMA and the MAC.
 *
 * The MAC may be given a frame when its data is here, or as soon as the data is asked for: it begins a frame only when the producer of
 * the transmit buffer covers it, and the DMA moves that on. The released style does the latter. Then nothing has to be done when the data
 * of a frame is here, and what has left is followed at every tick.
 */
#ifndef TIGON2_TRANSMIT_H
#define TIGON2_TRANSMIT_H

#include "tigon2/dma.h"
#include "tigon2/state.h"

#define TRANSMIT_ALIGNMENT 8
#define SHORTEST_FRAME 60u
#define TAG_BYTES 4u

static inline uint32_t wrapped(const struct send_state *send, uint32_t place)
{
    uint32_t end = SEND_BUFFER_BASE + send->buffer_bytes;
    return place >= end ? place - send->buffer_bytes : place;
}

/* Length of a frame as the MAC sends it. */
static inline uint32_t bytes_on_the_wire(const struct mac_descriptor *frame)
{
    uint32_t bytes = (frame->length & 0xffff) + (frame->address & TRANSMIT_INSERT_VLAN ? TAG_BYTES : 0);
    return at_least(bytes, SHORTEST_FRAME) + CHECK_SEQUENCE_BYTES;
}

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

#ifdef TIGON2_RELEASED_STYLE

/* Beginning of the free part of the transmit buffer, and the oldest frame that the MAC's ring still holds. */
static inline uint32_t place_left(const struct send_state *send) { return send->place_left; }
static inline uint32_t frames_left(const struct send_state *send) { return send->frames_left; }

/* The place behind a frame in the transmit buffer, where the next begins. */
static inline uint32_t frame_end(const struct send_state *send, const struct mac_descriptor *frame)
{
    uint32_t place = frame->address & ~TRANSMIT_INSERT_VLAN;
    uint32_t bytes = ((frame->length & 0xffff) + TRANSMIT_ALIGNMENT - 1) & ~(TRANSMIT_ALIGNMENT - 1u);
    return wrapped(send, place + bytes);
}

/*
 * Actions of the DMA besides moving the data of a descriptor. Only the last of a frame moves the producer: the MAC rounds that up, so that
 * a descriptor before it would cover a frame whose last bytes are in the same word.
 */
static inline uint32_t covering(const struct send_state *send, uint32_t flags)
{
    return send->covers_later || !(flags & FLAG_END) ? 0 : DMA_TRANSMIT_PRODUCER;
}

/* Gives the MAC a frame whose data was asked for. */
static inline void publish(const struct mac_descriptor *frame)
{
    uint32_t pointer = SEND_RING_PRODUCER;
    struct mac_descriptor *descriptor = (struct mac_descriptor *)(uintptr_t)pointer;
    descriptor->address = frame->address;
    descriptor->length = frame->length;
    SEND_RING_PRODUCER = pointer + sizeof(struct mac_descriptor);
}

#else

static inline uint32_t place_left(const struct send_state *send)
{
    (void)send;
    return SEND_BUFFER_CONSUMER;
}
static inline uint32_t frames_left(const struct send_state *send)
{
    (void)send;
    return SEND_RING_SENT / sizeof(struct mac_descriptor);
}
static inline uint32_t covering(const struct send_state *send, uint32_t flags)
{
    (void)send;
    (void)flags;
    return DMA_TRANSMIT_PRODUCER;
}
static inline void publish(const struct mac_descriptor *frame) { (void)frame; }

#endif

#endif
