#include "spinach/task.h"
#include "tengig/published.h"
#include "tengig/status.h"

TASK(send_dispatch_ordering) bool allocate_reads(uint32_t count, uint32_t *slot)
{
    send_lock_take(&nic->reads.lock);
    bool has_room = dma_allocate(&nic->reads, count, slot);
    unlock(&nic->reads.lock);
    return has_room;
}

TASK(receive_dispatch_ordering) bool allocate_writes(uint32_t count, uint32_t *slot)
{
    receive_lock_take(&nic->writes.lock);
    bool has_room = dma_allocate(&nic->writes, count, slot);
    unlock(&nic->writes.lock);
    return has_room;
}

/* The event of earlier frames may come later: its slots are then allocated here already. */
TASK(send_dispatch_ordering) uint32_t allocate_reads_in_order(uint32_t end)
{
    uint32_t allocated = nic->send_bd_claimed;
    if ((int32_t)(end - allocated) <= 0)
        return allocated;
    send_lock_take(&nic->reads.lock);
    allocated = nic->send_bd_claimed;
    uint32_t slot;
    while ((int32_t)(end - allocated) > 0 && dma_allocate(&nic->reads, 1, &slot))
        nic->read_slots[allocated++ % SEND_BDS] = slot;
    compiler_barrier(); /* the slots before their number */
    nic->send_bd_claimed = allocated;
    unlock(&nic->reads.lock);
    return allocated;
}

/* The counter of a descriptor on the NIC: it is not consumed, so at most 255 others lie before it. */
static inline uint32_t send_bd_at(uint32_t position)
{
    uint32_t consumed = nic->send_bd_consumed;
    return consumed + (position - consumed) % SEND_BDS;
}

/* The tag is read before the slot is free. */
TASK(send_frame) void process_reads(event_t *event)
{
    for (; event->start != event->end; event->start++) {
        volatile uint32_t *entry = &nic->reads.tags[event->start % DMA_READS];
        uint32_t tag = *entry;
        *entry = 0;
        if (TAG_KIND(tag) == TAG_SEND_DATA) {
            flag_set(&nic->send_data_done, TAG_NUMBER(tag));
        } else if (TAG_KIND(tag) == TAG_SEND_BDS) {
            uint32_t first = send_bd_at(FETCHED_AT(tag));
            send_enqueue(EVENT_FETCH_BUFFERS, first, first + FETCHED_COUNT(tag));
        } else {
            receive_enqueue(EVENT_ADD_RECEIVE_BUFFERS, 0, TAG_NUMBER(tag));
        }
    }
}

/* DMA completes in ring order: a frame's bytes are in host memory when its return descriptor is. */
TASK(receive_frame) void process_writes(event_t *event)
{
    for (; event->start != event->end; event->start++) {
        volatile uint32_t *entry = &nic->writes.tags[event->start % DMA_WRITES];
        uint32_t tag = *entry;
        *entry = 0;
        if (TAG_KIND(tag) == TAG_RETURN)
            flag_set(&nic->received_done, TAG_NUMBER(tag));
        else if (TAG_KIND(tag) == TAG_STATUS)
            status_arrived();
    }
}
