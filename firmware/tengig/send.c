#include "tengig/send.h"

#include "spinach/task.h"
#include "tengig/conditions.h"
#include "tengig/dma.h"
#include "tengig/event_queue.h"
#include "tengig/events.h"

#define SEND_BDS_PER_FETCH 32
#define BUFFERS_PER_CLAIM 8

/*
 * Asks the host for up to 32 descriptors in one DMA. Fewer only if the host has no more, so that a busy NIC does not spend its
 * time on small fetches.
 */
TASK(fetch_send_bd) bool fetch_send_bds(void)
{
    if (!send_lock_try(&nic->fetch_lock))
        return false;
    uint32_t first = nic->send_bd_requested;
    uint32_t produced = nic->mailboxes.send_bd_produced - first;
    uint32_t room = SEND_BDS - (first - nic->send_bd_consumed);
    uint32_t batch = nic->fetch_batches;
    uint32_t ring_position = first & (nic->host.send.entries - 1);
    uint32_t count = minimum(produced, SEND_BDS_PER_FETCH);
    count = minimum(count, nic->host.send.entries - ring_position);
    count = minimum(count, SEND_BDS - first % SEND_BDS);
    bool is_worth_it = count != 0 && count <= room && batch - nic->fetch_batches_taken < FETCH_BATCHES;
#ifndef TENGIG_CENTRAL_DMA_MANAGER
    uint32_t slot;
    is_worth_it = is_worth_it && dma_allocate(&nic->reads, 1, &slot);
#endif
    if (!is_worth_it) {
        unlock(&nic->fetch_lock);
        return false;
    }
    uint32_t low = nic->host.send.address.low + ring_position * sizeof(struct buffer_descriptor);
    uint32_t local = (uint32_t)(uintptr_t)&send_bd_ring[first % SEND_BDS];
    uint32_t length = count * sizeof(struct buffer_descriptor);
    uint32_t tag = TAG_SEND_BDS | batch % FETCH_BATCHES;
    nic->fetch_batch_end[batch % FETCH_BATCHES] = first + count;
#ifdef TENGIG_CENTRAL_DMA_MANAGER
    if (!read_request_centrally(nic->host.send.address.high, low, local, length, tag)) {
        unlock(&nic->fetch_lock);
        return false;
    }
#endif
    nic->send_bd_requested = first + count;
    nic->fetch_batches = batch + 1;
    unlock(&nic->fetch_lock);
#ifndef TENGIG_CENTRAL_DMA_MANAGER
    read_request(slot, nic->host.send.address.high, low, local, length, tag);
    raise_signals(SIGNAL(PUBLISH_READS));
#endif
    return true;
}

TASK(fetch_send_bd) void send_bds_arrived(uint32_t batch) { nic->fetch_batch_done[batch] = 1; }

/* Counts the fetches that completed, in order. Needs fetch_lock. */
static inline uint32_t take_arrived_batches(void)
{
    uint32_t batch = nic->fetch_batches_taken;
    while (nic->fetch_batch_done[batch % FETCH_BATCHES]) {
        compiler_barrier(); /* the flag before where the batch ends */
        nic->fetch_batch_done[batch % FETCH_BATCHES] = 0;
        nic->send_bd_arrived = nic->fetch_batch_end[batch % FETCH_BATCHES];
        nic->fetch_batches_taken = ++batch;
    }
    return nic->send_bd_arrived;
}

/* Number of buffers from `start` on that make whole frames, at most BUFFERS_PER_CLAIM unless the first frame alone has more. */
static inline uint32_t whole_frames(uint32_t start, uint32_t arrived)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < arrived - start; i++) {
        if (send_bd_ring[(start + i) % SEND_BDS].flags_length & BD_END) {
            if (count != 0 && i + 1 > BUFFERS_PER_CLAIM)
                break;
            count = i + 1;
            if (count >= BUFFERS_PER_CLAIM)
                break;
        }
    }
    return count;
}

/*
 * Asks for the data of the buffers from `start` up to `end`, into the frame's place in frame memory, and notes at its last
 * buffer the MAC's descriptor. Returns the first buffer that it could not ask for.
 */
TASK(send_frame) static uint32_t request_buffers(uint32_t start, uint32_t end, uint32_t slot)
{
    (void)slot;
    uint32_t offset;
    uint32_t first = first_buffer_of_frame(start, &offset);
    uint32_t place = TRANSMIT_BUFFER(first % SEND_BDS);
    for (uint32_t bd = start; bd != end; bd++) {
        const struct buffer_descriptor *descriptor = &send_bd_ring[bd % SEND_BDS];
        uint32_t flags_length = descriptor->flags_length;
        uint32_t length = BD_LENGTH(flags_length);
        uint32_t tag = TAG_SEND_DATA | bd % SEND_BDS;
        struct mac_descriptor *pending = &nic->pending_transmits[bd % SEND_BDS];
        pending->status_length = flags_length & BD_END ? offset + length : 0;
        pending->address = place;
#ifdef TENGIG_CENTRAL_DMA_MANAGER
        if (!read_request_centrally(descriptor->address.high, descriptor->address.low, place + offset, length, tag))
            return bd;
#else
        read_request(slot++, descriptor->address.high, descriptor->address.low, place + offset, length, tag);
#endif
        offset += length;
        if (flags_length & BD_END) {
            place = TRANSMIT_BUFFER((bd + 1) % SEND_BDS);
            offset = 0;
        }
    }
    return end;
}

/* On a card with an event queue: another core may claim what is left, and fetch descriptors into the places that are free. */
static inline void frames_are_claimed(void)
{
#ifdef TENGIG_EVENT_QUEUE
    uint32_t signals = frames_can_be_fetched() ? SIGNAL(FETCH_FRAMES) : 0;
    if (send_bds_can_be_fetched())
        signals |= SIGNAL(SEND_BD_PRODUCED);
    raise_signals(signals);
    event_queue->done = 0;
#endif
}

/*
 * Claims the next whole frames whose descriptors are here, with their DMA slots, and asks for their data. Claiming is in order,
 * so the slots are too, and the data arrives in order although many cores ask at once (thesis section 4.5.1, figure 4.6 b).
 */
TASK(send_dispatch_ordering) bool fetch_frames(void)
{
    if (!send_lock_try(&nic->fetch_lock))
        return false;
    uint32_t arrived = take_arrived_batches();
    uint32_t start = nic->send_bd_claimed;
    uint32_t count = whole_frames(start, arrived);
    uint32_t slot = 0;
#ifndef TENGIG_CENTRAL_DMA_MANAGER
    if (count != 0 && !dma_allocate(&nic->reads, count, &slot))
        count = 0;
#endif
    nic->send_bd_claimed = start + count;
    unlock(&nic->fetch_lock);
    frames_are_claimed();
    if (count == 0)
        return false;
    uint32_t reached = request_buffers(start, start + count, slot);
    raise_signals(SIGNAL(PUBLISH_READS));
    if (reached != start + count)
        event_add(EVENT_FETCH_BUFFERS, reached, start + count);
    return true;
}

TASK(send_dispatch_ordering) void fetch_buffers_again(uint32_t start, uint32_t end)
{
    uint32_t reached = request_buffers(start, end, 0);
    if (reached != end)
        event_add(EVENT_FETCH_BUFFERS, reached, end);
}
