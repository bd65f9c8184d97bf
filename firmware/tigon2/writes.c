/* Completed writes of the DMA to the host. */
#include "tigon2/events.h"
#include "tigon2/functions.h"
#include "tigon2/task.h"

/* The checksums of a frame that has just been written go into its descriptor, which has not. */
TASK(receive_frame) static void note_checksums(struct receive_state *receive, uint32_t pointer)
{
    uint32_t used = receive->used[receive->done & (RETURNS - 1)];
    const struct receive_ring *ring = &receive->rings[USED_RING(used)];
    uint32_t entry_end = ring->ring + ((USED_INDEX(used) + 1) << ring->shift);
    volatile struct receive_descriptor *descriptor =
        (volatile struct receive_descriptor *)(uintptr_t)(entry_end - sizeof(struct receive_descriptor));
    const struct dma_descriptor *dma = dma_at(pointer);
    uint32_t flags = descriptor->type_flags;
    uint32_t skipped = flags & FLAG_VLAN ? 4 : 0;
    uint32_t frame = dma->local - (skipped ? 12 + skipped : 0);
    uint32_t bytes = descriptor->index_length & 0xffff;
    uint32_t checksums;
    if (checksums_verify(frame, skipped, bytes, dma_checksum(dma), &checksums))
        descriptor->checksums = checksums;
    else
        descriptor->type_flags = flags & ~(FLAG_CHECKSUM | FLAG_IP_CHECKSUM);
}

static inline void write_done(struct receive_state *receive, uint32_t pointer)
{
    uint32_t slot = dma_slot(pointer);
    uint32_t tag = receive->tags[slot];
    switch (TAG_KIND(tag)) {
    case WRITE_FRAME_CHECKSUM:
        note_checksums(receive, pointer);
        RECEIVE_BUFFER_CONSUMER = receive->ends[slot];
        receive->done++;
        break;
    case WRITE_FRAME:
        if (!FRAME_RELEASE)
            RECEIVE_BUFFER_CONSUMER = receive->ends[slot];
        receive->done++;
        break;
    case WRITE_INDEX_INTERRUPT:
        host_interrupt();
        break;
    default:
        break;
    }
}

/* As in reads.c: the first transfer whose end matters. */
static inline uint32_t ahead(const struct receive_state *receive, uint32_t pointer)
{
#ifdef TIGON2_RELEASED_STYLE
    uint32_t last = DMA_WRITE_PRODUCER;
    for (; pointer != last; pointer = dma_next(pointer)) {
        uint32_t kind = TAG_KIND(receive->tags[dma_slot(pointer)]);
        if (kind != WRITE_FRAME_PART && kind != WRITE_RETURNS && kind != WRITE_INDEX)
            break;
    }
#else
    (void)receive;
#endif
    return pointer;
}

TASK(receive_dispatch_ordering) void handle_writes_done(void)
{
    struct receive_state *receive = receive_state();
    uint32_t pointer = DMA_WRITE_CONSUMER;
    uint32_t end = DMA_WRITE_REFERENCE;
    for (; pointer != end; pointer = dma_next(pointer))
        write_done(receive, pointer);
    DMA_WRITE_CONSUMER = ahead(receive, pointer);
    events_attend(EVENT_BIT(EVENT_RECEIVED) | EVENT_BIT(EVENT_SEND_CONSUMER));
    uint32_t waiting = receive->done - receive->announced;
    if (waiting == 0)
        return;
    if (waiting >= receive->coalescing || receive->is_flushing) {
        receive->told.thresholds += !receive->is_flushing;
        returns_flush();
    } else {
        receive_deadline(DEADLINE_RECEIVE, receive->ticks);
    }
}
