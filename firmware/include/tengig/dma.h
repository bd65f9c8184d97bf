/* The rings of the two DMA assists. */
#ifndef TENGIG_DMA_H
#define TENGIG_DMA_H

#include <stdbool.h>
#include <stdint.h>

#include "tengig/flags.h"
#include "tengig/locks.h"

static inline uint32_t minimum(uint32_t a, uint32_t b) { return a < b ? a : b; }

static inline bool compare_swap(volatile uint32_t *address, uint32_t expected, uint32_t desired)
{
    return load_linked(address) == expected && store_conditional(address, desired);
}

/*
 * Allocates `count` consecutive slots of the ring of DMA writes, the first of them `*slot`; false if they are not free. A
 * slot is free once it was published to the assist, completed, and its tag cleared by whoever handled the completion.
 */
static inline bool writes_allocate(uint32_t count, uint32_t *slot)
{
    uint32_t first;
    do {
        first = nic->writes_allocated;
        if (first + count - nic->writes_published > DMA_WRITES)
            return false;
        for (uint32_t i = 0; i < count; i++) {
            if (nic->write_tags[(first + i) % DMA_WRITES] != 0)
                return false;
        }
    } while (!compare_swap(&nic->writes_allocated, first, first + count));
    *slot = first;
    return true;
}

/* Fills in an allocated slot: `length` bytes from `local` on the NIC to the host. */
static inline void write_request(uint32_t slot, uint32_t high, uint32_t low, uint32_t local, uint32_t length, uint32_t tag)
{
    struct dma_descriptor *descriptor = &dma_write_ring[slot % DMA_WRITES];
    descriptor->host_high = high;
    descriptor->host_low = low;
    descriptor->local = local;
    descriptor->flags_length = length;
    nic->write_tags[slot % DMA_WRITES] = tag;
    flag_set(&nic->writes_ready, slot);
}

#ifdef TENGIG_CENTRAL_DMA_MANAGER

/*
 * The first design: one manager writes every descriptor, in whatever order the handlers come to it (thesis section 4.5.1, figure
 * 4.6 a). False if the ring is full.
 */
bool read_request_centrally(uint32_t high, uint32_t low, uint32_t local, uint32_t length, uint32_t tag);

#else

/* As writes_allocate, for DMA reads. */
static inline bool reads_allocate(uint32_t count, uint32_t *slot)
{
    uint32_t first;
    do {
        first = nic->reads_allocated;
        if (first + count - nic->reads_published > DMA_READS)
            return false;
        for (uint32_t i = 0; i < count; i++) {
            if (nic->read_tags[(first + i) % DMA_READS] != 0)
                return false;
        }
    } while (!compare_swap(&nic->reads_allocated, first, first + count));
    *slot = first;
    return true;
}

/* Fills in an allocated slot: `length` bytes from the host to `local` on the NIC. */
static inline void read_request(uint32_t slot, uint32_t high, uint32_t low, uint32_t local, uint32_t length, uint32_t tag)
{
    struct dma_descriptor *descriptor = &dma_read_ring[slot % DMA_READS];
    descriptor->host_high = high;
    descriptor->host_low = low;
    descriptor->local = local;
    descriptor->flags_length = length;
    nic->read_tags[slot % DMA_READS] = tag;
    flag_set(&nic->reads_ready, slot);
}

#endif

/* Show the assists the slots that are ready, in ring order. Return whether there were any. */
bool publish_reads(void);
bool publish_writes(void);

/* Handle completed slots from `start` up to `end`. */
void handle_dma_reads(uint32_t start, uint32_t end);
void handle_dma_writes(uint32_t start, uint32_t end);

#endif
