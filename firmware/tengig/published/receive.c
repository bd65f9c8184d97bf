#include "spinach/task.h"
#include "tengig/published.h"
#include "tengig/receive.h"

TASK(fetch_receive_bd) void fetch_receive_buffers(uint32_t first, uint32_t count, uint32_t slot)
{
    struct host_address at = host_ring_entry(&nic->host.receive, first);
    read_request(slot, at.high, at.low, (uint32_t)(uintptr_t)&receive_bd_ring[first % RECEIVE_BDS],
                 count * sizeof(struct buffer_descriptor), TAG_RECEIVE_BDS | count);
}

/* Descriptors arrive in order, so those counted are here, whichever event counts them. */
TASK(fetch_receive_bd) void add_receive_buffers(event_t *event)
{
    atomic_fetch_add(&nic->receive_bd_arrived, event->end - event->start);
    event->start = event->end;
}

/* Every frame takes two DMA writes: of its bytes, and of its return descriptor (HPCA 2005, figure 2, steps 2 and 3). */
TASK(receive_frame) void deliver_frames(event_t *event)
{
    for (; event->start != event->end; event->start++) {
        uint32_t frame = event->start;
        uint32_t slot;
        if ((int32_t)(nic->receive_bd_arrived - frame) <= 0 || !allocate_writes(2, &slot))
            return;
        receive_frame(frame, slot);
        struct host_address at = host_ring_entry(&nic->host.returned, frame);
        write_request(slot + 1, at.high, at.low, (uint32_t)(uintptr_t)&return_ring[frame % RECEIVE_BDS],
                      sizeof(struct buffer_descriptor), TAG_RETURN | frame % RECEIVED_FRAMES);
    }
}

/* Free the frame memory of the frames that are in host memory, in order, and their places. */
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
        receive_registers->ring.consumer = committed; /* after received_end was read: from here on the MAC may reuse its place */
        nic->receive_bd_freed = committed;
        nic->receive_returned = committed;
    }
    unlock(&nic->return_lock);
    return count != 0;
}
