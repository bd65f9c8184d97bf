#include "tengig/receive.h"

#include "spinach/task.h"
#include "tengig/dma.h"
#include "tengig/event_queue.h"
#include "tengig/events.h"
#include "tengig/status.h"

#define RECEIVE_BDS_PER_FETCH 16

/* Asks the host for up to 16 descriptors in one DMA. Fetches complete in ring order, so the descriptors arrive in order. */
TASK(fetch_receive_bd) bool fetch_receive_bds(void)
{
    if (!receive_lock_try(&nic->receive_fetch_lock))
        return false;
    uint32_t first = nic->receive_bd_requested;
    uint32_t ring_position = first & (nic->host.receive.entries - 1);
    uint32_t count = minimum(nic->mailboxes.receive_bd_produced - first, RECEIVE_BDS_PER_FETCH);
    count = minimum(count, nic->host.receive.entries - ring_position);
    count = minimum(count, RECEIVE_BDS - first % RECEIVE_BDS);
    bool is_worth_it = count != 0 && count <= RECEIVE_BDS - (first - nic->receive_bd_freed);
    uint32_t low = nic->host.receive.address.low + ring_position * sizeof(struct buffer_descriptor);
    uint32_t local = (uint32_t)(uintptr_t)&receive_bd_ring[first % RECEIVE_BDS];
    uint32_t length = count * sizeof(struct buffer_descriptor);
#ifdef TENGIG_CENTRAL_DMA_MANAGER
    bool is_requested = is_worth_it && read_request_centrally(nic->host.receive.address.high, low, local, length, TAG_RECEIVE_BDS | count);
#else
    uint32_t slot;
    bool is_requested = is_worth_it && dma_allocate(&nic->reads, 1, &slot);
    if (is_requested)
        read_request(slot, nic->host.receive.address.high, low, local, length, TAG_RECEIVE_BDS | count);
#endif
    if (is_requested) {
        nic->receive_bd_requested = first + count;
        raise_signals(SIGNAL(PUBLISH_READS));
    }
    unlock(&nic->receive_fetch_lock);
    return is_requested;
}

/* Fetches complete in ring order, so in whatever order their handlers count them, the descriptors counted are here. */
TASK(fetch_receive_bd) void receive_bds_arrived(uint32_t count) { atomic_fetch_add(&nic->receive_bd_arrived, count); }

/* Returns complete in ring order too. */
TASK(receive_frame) void return_arrived(uint32_t count) { atomic_fetch_add(&nic->receive_bd_freed, count); }

TASK(receive_frame) void receive_frames(uint32_t start, uint32_t end)
{
    uint32_t buffers = nic->receive_bd_arrived - start;
    uint32_t count = minimum(end - start, (int32_t)buffers > 0 ? buffers : 0);
    uint32_t slot;
    if (count != 0 && !dma_allocate(&nic->writes, count, &slot))
        count = 0;
    for (uint32_t i = 0; i < count; i++) {
#ifdef TENGIG_LOCKED_LOOPS
        receive_lock_take(&nic->writes.lock);
#endif
        receive_frame(start + i, slot + i);
#ifdef TENGIG_LOCKED_LOOPS
        unlock(&nic->writes.lock);
#endif
    }
    if (count != 0)
        raise_signals(SIGNAL(PUBLISH_WRITES));
    if (start + count != end)
        event_add(EVENT_RECEIVE_FRAMES, start + count, end);
}

/* Writes the return descriptors of frames up to `committed` to the host. Needs return_lock. */
static inline void return_descriptors(uint32_t committed)
{
    uint32_t first = nic->receive_returned;
    uint32_t ring_position = first & (nic->host.returned.entries - 1);
    uint32_t count = minimum(committed - first, RECEIVE_BDS - first % RECEIVE_BDS);
    count = minimum(count, nic->host.returned.entries - ring_position);
    uint32_t slot;
    if (!dma_allocate(&nic->writes, 1, &slot))
        return;
    write_request(slot, nic->host.returned.address.high, nic->host.returned.address.low + ring_position * sizeof(struct buffer_descriptor),
                  (uint32_t)(uintptr_t)&return_ring[first % RECEIVE_BDS], count * sizeof(struct buffer_descriptor),
                  TAG_RETURN | count);
    nic->receive_returned = first + count; /* after the slot is allocated: update_status counts on it */
    raise_signals(SIGNAL(PUBLISH_WRITES));
    status_changed();
}

/* Counts the frames that are in host memory, in order, frees their bytes in frame memory, and tells the host of them. */
TASK(receive_dispatch_ordering) bool commit_received(void)
{
    if (!receive_lock_try(&nic->return_lock))
        return false;
    uint32_t committed = nic->receive_committed;
    uint32_t count = flags_take(&nic->received_done, committed);
    if (count != 0) {
        committed += count;
        nic->receive_committed = committed;
        receive_registers->buffer_consumer = nic->received_end[(committed - 1) % RECEIVED_FRAMES];
        receive_registers->ring.consumer = committed; /* after received_end was read: its place is the MAC's from here on */
    }
    bool is_due = returns_are_due(committed);
    if (is_due)
        return_descriptors(committed);
    unlock(&nic->return_lock);
    return count != 0 || is_due;
}
