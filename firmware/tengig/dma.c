#include "tengig/dma.h"

#include "spinach/task.h"
#include "tengig/event_queue.h"
#include "tengig/receive.h"
#include "tengig/send.h"
#include "tengig/status.h"

#ifdef TENGIG_CENTRAL_DMA_MANAGER

TASK(send_dispatch_ordering)
bool read_request_centrally(uint32_t high, uint32_t low, uint32_t local, uint32_t length, uint32_t tag)
{
    send_lock_take(&nic->reads.lock);
    uint32_t slot = nic->reads.allocated;
    bool is_free = nic->reads.tags[slot % DMA_READS] == 0;
    if (is_free) {
        dma_describe(&dma_read_ring[slot % DMA_READS], high, low, local, length);
        compiler_barrier(); /* the descriptor before the producer */
        nic->reads.tags[slot % DMA_READS] = tag;
        nic->reads.allocated = slot + 1;
        dma_read_registers->producer = slot + 1;
    }
    unlock(&nic->reads.lock);
    return is_free;
}

#endif

/* The tag is read before the slot is free, and the DMA is done with both. */
TASK(send_frame) void handle_dma_reads(uint32_t start, uint32_t end)
{
    uint32_t signals = 0;
    for (uint32_t slot = start; slot != end; slot++) {
        volatile uint32_t *entry = &nic->reads.tags[slot % DMA_READS];
        uint32_t tag = *entry;
        *entry = 0;
        switch (TAG_KIND(tag)) {
        case TAG_SEND_DATA:
            flag_set(&nic->send_data_done, TAG_NUMBER(tag));
            signals |= SIGNAL(COMMIT_FRAMES);
            break;
        case TAG_SEND_BDS:
            send_bds_arrived(TAG_NUMBER(tag));
            signals |= SIGNAL(FETCH_FRAMES);
            break;
        case TAG_RECEIVE_BDS:
            receive_bds_arrived(TAG_NUMBER(tag));
            break;
        }
    }
    raise_signals(signals);
}

TASK(receive_frame) void handle_dma_writes(uint32_t start, uint32_t end)
{
    uint32_t signals = 0;
    for (uint32_t slot = start; slot != end; slot++) {
        volatile uint32_t *entry = &nic->writes.tags[slot % DMA_WRITES];
        uint32_t tag = *entry;
        *entry = 0;
#ifdef TENGIG_LOCKED_LOOPS
        receive_lock_take(&nic->writes.lock);
#endif
        if (TAG_KIND(tag) == TAG_RECEIVED) {
            flag_set(&nic->received_done, TAG_NUMBER(tag));
            signals |= SIGNAL(COMMIT_RECEIVED);
        } else if (TAG_KIND(tag) == TAG_RETURN) {
            return_arrived(TAG_NUMBER(tag));
            signals |= SIGNAL(RECEIVE_BD_PRODUCED);
        } else if (TAG_KIND(tag) == TAG_STATUS) {
            status_arrived();
            signals |= SIGNAL(UPDATE_STATUS);
        }
#ifdef TENGIG_LOCKED_LOOPS
        unlock(&nic->writes.lock);
#endif
    }
    raise_signals(signals);
}
