/*
 * Giving work to the assists: rings of descriptors in control memory, and what every firmware does with them.
 *
 * Indices run freely modulo 2^32, and the place in a ring is the index modulo its entries, a power of two.
 */
#ifndef SPINACH_RINGS_H
#define SPINACH_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spinach/assists.h"
#include "spinach/driver.h"
#include "spinach/intrinsics.h"

#define RING_ENTRIES 64u /* of the rings that are declared here */

/* True if a count has reached `mark`; both are less than 2^31 apart. */
static inline bool has_reached(uint32_t count, uint32_t mark) { return (int32_t)(count - mark) >= 0; }

/* Lets an assist work on a ring. It counts in *done the descriptors that it has completed. */
static inline void ring_start(struct ring_registers *assist, void *ring, uint32_t entries, volatile uint32_t *done)
{
    assist->base = (uint32_t)(uintptr_t)ring;
    assist->entries = entries;
    assist->progress = (uint32_t)(uintptr_t)done;
    assist->control = RING_ENABLE;
}

/* Returns the number of descriptors that the assist has completed. Their results are loaded after this. */
static inline uint32_t ring_completed(const volatile uint32_t *done)
{
    uint32_t count = *done;
    compiler_barrier();
    return count;
}

/* Announces the descriptors up to `produced` to the assist. They are in the ring before that. */
static inline void ring_announce(struct ring_registers *assist, uint32_t produced)
{
    compiler_barrier();
    assist->producer = produced;
}

/* Lets the MAC put received frames into `bytes` bytes of frame memory from `base` on, and their descriptors into a ring. */
static inline void receive_start(struct mac_receive_registers *mac, uint32_t base, uint32_t bytes,
                                 struct mac_descriptor *ring, uint32_t entries, volatile uint32_t *received)
{
    mac->buffer_base = base;
    mac->buffer_size = bytes;
    mac->buffer_consumer = base;
    ring_start(&mac->ring, ring, entries, received);
}

/*
 * Gives the MAC back the memory of all frames up to `last`, and their `freed` descriptors. `alignment` is the parameter of the
 * module mac_receive_assist.
 */
static inline void receive_free(struct mac_receive_registers *mac, const struct mac_descriptor *last, uint32_t alignment,
                                uint32_t freed)
{
    uint32_t end = last->address + RECEIVED_LENGTH(last->status_length);
    mac->buffer_consumer = (end + alignment - 1) & -alignment;
    mac->ring.consumer = freed; /* after the descriptor was read: its place is the MAC's from here on */
}

/* A DMA assist with its ring, used by one core. */
struct dma_ring {
    struct ring_registers *assist;
    uint32_t asked;         /* copies that were asked for */
    volatile uint32_t done; /* those that are complete; the assist counts */
    struct dma_descriptor descriptors[RING_ENTRIES];
};

static inline void dma_start(struct dma_ring *ring)
{
    ring_start(ring->assist, ring->descriptors, RING_ENTRIES, &ring->done);
}

/* True if `count` more copies can be asked for. */
static inline bool dma_has_room(const struct dma_ring *ring, uint32_t count)
{
    return ring->asked + count - ring->done <= RING_ENTRIES;
}

/*
 * Asks for a copy of `bytes` bytes between host memory and address `local` of the card; needs room. Returns its mark: the copy,
 * and all before it, are complete when dma_is_done says so of the mark.
 */
static inline uint32_t dma_copy(struct dma_ring *ring, struct host_address host, uint32_t local, uint32_t bytes)
{
    ring->descriptors[ring->asked % RING_ENTRIES] = (struct dma_descriptor){host, local, bytes};
    ring_announce(ring->assist, ++ring->asked);
    return ring->asked;
}

/* True if the copy of this mark is complete. Its data is loaded after this. */
static inline bool dma_is_done(const struct dma_ring *ring, uint32_t mark)
{
    return has_reached(ring_completed(&ring->done), mark);
}

/* The buffers that the driver has given, fetched from a ring in host memory one after the other. */
struct buffer_ring {
    uint32_t asked; /* descriptors that were asked for */
    uint32_t marks[RING_ENTRIES]; /* of the DMA reads that bring them */
    struct buffer_descriptor buffers[RING_ENTRIES];
};

/* Asks for descriptors up to `produced`, as far as there is room: all before `freed` may be overwritten. */
static inline void buffers_fetch(struct buffer_ring *ring, struct dma_ring *reads, const struct host_ring *from, uint32_t produced,
                                 uint32_t freed)
{
    for (; ring->asked != produced && ring->asked - freed < RING_ENTRIES && dma_has_room(reads, 1); ring->asked++) {
        uint32_t slot = ring->asked % RING_ENTRIES;
        uint32_t local = (uint32_t)(uintptr_t)&ring->buffers[slot];
        ring->marks[slot] = dma_copy(reads, host_ring_entry(from, ring->asked), local, sizeof *ring->buffers);
    }
}

/* The buffer of number `index`; null while its descriptor is not here. */
static inline const struct buffer_descriptor *buffer_at(const struct buffer_ring *ring, const struct dma_ring *reads, uint32_t index)
{
    uint32_t slot = index % RING_ENTRIES;
    return index != ring->asked && dma_is_done(reads, ring->marks[slot]) ? &ring->buffers[slot] : NULL;
}

#endif
