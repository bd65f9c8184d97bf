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
 * Allocates `count` consecutive slots of a queue, the first of them `*slot`; false if they are not free. A slot is free once it
 * was published to the assist, completed, and its tag cleared by the core that handled the completion.
 */
static inline bool dma_allocate(struct dma_queue *queue, uint32_t count, uint32_t *slot)
{
    uint32_t first;
    do {
        first = queue->allocated;
        if (first + count - queue->published > DMA_SLOTS)
            return false;
        for (uint32_t i = 0; i < count; i++) {
            if (queue->tags[(first + i) % DMA_SLOTS] != 0)
                return false;
        }
    } while (!compare_swap(&queue->allocated, first, first + count));
    *slot = first;
    return true;
}

/* Says what the assist is to do: `length` bytes between host memory and `local` on the NIC. */
static inline void dma_describe(struct dma_descriptor *descriptor, uint32_t high, uint32_t low, uint32_t local, uint32_t length)
{
    descriptor->host.high = high;
    descriptor->host.low = low;
    descriptor->local = local;
    descriptor->flags_length = length;
}

/* Fills in an allocated slot of the ring of DMA writes, from `local` on the NIC to the host. */
static inline void write_request(uint32_t slot, uint32_t high, uint32_t low, uint32_t local, uint32_t length, uint32_t tag)
{
    dma_describe(&dma_write_ring[slot % DMA_WRITES], high, low, local, length);
    nic->writes.tags[slot % DMA_WRITES] = tag;
    flag_set(&nic->writes.ready, slot);
}

/* Shows the assist the slots that are ready, in ring order. Returns whether there were any. Needs publish_lock. */
static inline bool dma_publish(struct dma_queue *queue, struct ring_registers *registers)
{
    uint32_t published = queue->published;
    uint32_t count = flags_take(&queue->ready, published);
    if (count != 0) {
        queue->published = published + count;
        registers->producer = published + count;
    }
    return count != 0;
}

static inline bool dma_can_publish(const struct dma_queue *queue) { return flag_is_set(&queue->ready, queue->published); }

#ifdef TENGIG_CENTRAL_DMA_MANAGER

/*
 * The first design: one manager writes every descriptor, in whatever order the handlers come to it (thesis section 4.5.1, figure
 * 4.6 a). False if the ring is full.
 */
bool read_request_centrally(uint32_t high, uint32_t low, uint32_t local, uint32_t length, uint32_t tag);

#else

/* Fills in an allocated slot of the ring of DMA reads, from the host to `local` on the NIC. */
static inline void read_request(uint32_t slot, uint32_t high, uint32_t low, uint32_t local, uint32_t length, uint32_t tag)
{
    dma_describe(&dma_read_ring[slot % DMA_READS], high, low, local, length);
    nic->reads.tags[slot % DMA_READS] = tag;
    flag_set(&nic->reads.ready, slot);
}

#endif

/* Show the assists what is ready. Return whether there was anything. */
bool publish_reads(void);
bool publish_writes(void);

/* Handle completed slots from `start` up to `end`. */
void handle_dma_reads(uint32_t start, uint32_t end);
void handle_dma_writes(uint32_t start, uint32_t end);

#endif
