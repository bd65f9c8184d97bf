/* Returning descriptors of received frames to the host, in runs, and telling it how many there are. */
#include "tigon2/events.h"
#include "tigon2/functions.h"
#include "tigon2/task.h"

/* Number of the frames from `first` on whose descriptors follow each other, here and in the host's ring. */
static inline uint32_t run_length(const struct receive_state *receive, uint32_t first, uint32_t end)
{
    uint32_t used = receive->used[first & (RETURNS - 1)];
    if (USED_RING(used) == JUMBO)
        return 1;
    uint32_t limit = receive->return_mask + 1 - (first & receive->return_mask);
    if (limit > end - first)
        limit = end - first;
    uint32_t count = 1;
    while (count < limit && receive->used[(first + count) & (RETURNS - 1)] == used + count)
        count++;
    return count;
}

static inline void write_run(struct receive_state *receive, uint32_t first, uint32_t count)
{
    uint32_t used = receive->used[first & (RETURNS - 1)];
    const struct receive_ring *ring = &receive->rings[USED_RING(used)];
    uint32_t entry_end = ring->ring + ((USED_INDEX(used) + 1) << ring->shift);
    uint32_t pointer = DMA_WRITE_PRODUCER;
    struct dma_descriptor *dma = dma_at(pointer);
    dma->host_high = receive->return_high;
    dma->host_low = receive->return_low + (first & receive->return_mask) * sizeof(struct receive_descriptor);
    dma->local = entry_end - sizeof(struct receive_descriptor);
    dma->length = count * sizeof(struct receive_descriptor);
    dma->state = DMA_START | receive->swap;
    receive->tags[dma_slot(pointer)] = WRITE_RETURNS;
    DMA_WRITE_PRODUCER = dma_after(pointer);
}

/* Returns all that is done. What the ring of the DMA has no room for follows when that has moved on. */
TASK(receive_frame) void returns_flush(void)
{
    struct receive_state *receive = receive_state();
    uint32_t first = receive->returned;
    uint32_t end = receive->done;
    receive->is_flushing = 1;
    while (first != end && writes_free() != 0) {
        uint32_t count = run_length(receive, first, end);
        write_run(receive, first, count);
        first += count;
    }
    receive->returned = first;
    uint32_t tag = receive->mode & MODE_NO_RECEIVE_INTERRUPTS ? WRITE_INDEX : WRITE_INDEX_INTERRUPT;
    const struct host_pointer *producer = &information.return_producer;
    if (first != end || !host_write_word(producer->high, producer->low, first & receive->return_mask, tag))
        return;
    receive->told.indices++;
    receive->announced = first;
    receive->is_flushing = 0;
}
