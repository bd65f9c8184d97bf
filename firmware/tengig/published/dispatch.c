/* The dispatch loop, the same on every core, and the event queue (thesis, section 4.3). */
#include "spinach/task.h"
#include "tengig/published.h"
#include "tengig/receive.h"
#include "tengig/send.h"
#include "tengig/start.h"
#include "tengig/status.h"

#define SEND_BDS_PER_FETCH 32
#define RECEIVE_BDS_PER_FETCH 16

static event_t queue[QUEUED_EVENTS];

static inline void append(uint32_t type, uint32_t start, uint32_t end)
{
    uint32_t added = nic->events_added;
    queue[added % QUEUED_EVENTS] = (event_t){type, start, end};
    compiler_barrier(); /* the event before its number */
    nic->events_added = added + 1;
}

TASK(send_dispatch_ordering) void send_enqueue(uint32_t type, uint32_t start, uint32_t end)
{
    send_lock_take(&nic->event_lock);
    append(type, start, end);
    unlock(&nic->event_lock);
}

TASK(receive_dispatch_ordering) void receive_enqueue(uint32_t type, uint32_t start, uint32_t end)
{
    receive_lock_take(&nic->event_lock);
    append(type, start, end);
    unlock(&nic->event_lock);
}

typedef void handler_t(event_t *event);
typedef void enqueue_t(uint32_t type, uint32_t start, uint32_t end);

/* Run a handler, and queue what it leaves. */
static inline void run(handler_t *handler, enqueue_t *enqueue, event_t *event)
{
    handler(event);
    if (event->start != event->end)
        enqueue(event->type, event->start, event->end);
}

/* Run the handler of an event from the queue. */
TASK(receive_dispatch_ordering) static void dispatch_queued(void)
{
    if (nic->events_taken == nic->events_added)
        return;
    event_t event;
    receive_lock_take(&nic->event_lock);
    uint32_t taken = nic->events_taken;
    bool has_any = taken != nic->events_added;
    if (has_any) {
        event = queue[taken % QUEUED_EVENTS];
        nic->events_taken = taken + 1;
    }
    unlock(&nic->event_lock);
    if (!has_any)
        return;
    switch (event.type) {
    case EVENT_READS:
        run(process_reads, send_enqueue, &event);
        break;
    case EVENT_WRITES:
        run(process_writes, receive_enqueue, &event);
        break;
    case EVENT_FETCH_BUFFERS:
        run(request_frames, send_enqueue, &event);
        break;
    case EVENT_ADD_RECEIVE_BUFFERS:
        run(add_receive_buffers, receive_enqueue, &event);
        break;
    case EVENT_RECEIVE_FRAMES:
        run(deliver_frames, receive_enqueue, &event);
        break;
    }
}

/* Take everything that an assist has completed since the last event, `*taken` to `*done`. Needs the lock that protects `*taken`. */
static inline event_t take_completed(uint32_t type, volatile uint32_t *taken, const volatile uint32_t *done)
{
    uint32_t start = *taken;
    uint32_t end = *done;
    *taken = end;
    return (event_t){type, start, end};
}

/* Handle the first few elements of an event of the hardware; the others go into the queue, as events of the same size. */
static inline void split(handler_t *handler, enqueue_t *enqueue, event_t *event)
{
    uint32_t end = event->end;
    if (event->start == end)
        return; /* another core took it before this one had the lock */
    event->end = event->start + minimum(end - event->start, ELEMENTS_PER_EVENT);
    for (uint32_t next = event->end; next != end;) {
        uint32_t after = next + minimum(end - next, ELEMENTS_PER_EVENT);
        enqueue(event->type, next, after);
        next = after;
    }
    run(handler, enqueue, event);
}

/* Dispatch completed DMA reads. As with every pointer of the hardware, the lock is taken only if there is something new. */
TASK(send_dispatch_ordering) static void dispatch_reads(void)
{
    if (nic->mailboxes.dma_reads_done == nic->reads.claimed)
        return;
    send_lock_take(&nic->reads.claim_lock);
    event_t event = take_completed(EVENT_READS, &nic->reads.claimed, &nic->mailboxes.dma_reads_done);
    unlock(&nic->reads.claim_lock);
    split(process_reads, send_enqueue, &event);
}

TASK(receive_dispatch_ordering) static void dispatch_writes(void)
{
    if (nic->mailboxes.dma_writes_done == nic->writes.claimed)
        return;
    receive_lock_take(&nic->writes.claim_lock);
    event_t event = take_completed(EVENT_WRITES, &nic->writes.claimed, &nic->mailboxes.dma_writes_done);
    unlock(&nic->writes.claim_lock);
    split(process_writes, receive_enqueue, &event);
}

TASK(receive_dispatch_ordering) static void dispatch_received(void)
{
    if (nic->mailboxes.frames_received == nic->receive_claimed)
        return;
    receive_lock_take(&nic->receive_lock);
    event_t event = take_completed(EVENT_RECEIVE_FRAMES, &nic->receive_claimed, &nic->mailboxes.frames_received);
    unlock(&nic->receive_lock);
    split(deliver_frames, receive_enqueue, &event);
}

/*
 * Descriptors to fetch, in one DMA: fewer than `most` only if the host has produced no more, and never beyond the end of a ring
 * of `entries` at the host or of `places` on the NIC. 0 if there is no room on the NIC, where `used` places are in use.
 */
static inline uint32_t fetchable(uint32_t first, uint32_t produced, uint32_t entries, uint32_t places, uint32_t used, uint32_t most)
{
    uint32_t count = minimum(produced - first, most);
    if (count > places - used)
        return 0;
    count = minimum(count, entries - (first & (entries - 1)));
    return minimum(count, places - first % places);
}

static inline uint32_t fetchable_send_bds(void)
{
    uint32_t first = nic->send_bd_requested;
    return fetchable(first, nic->mailboxes.send_bd_produced, nic->host.send.entries, SEND_BDS, first - nic->send_bd_consumed,
                     SEND_BDS_PER_FETCH);
}

static inline uint32_t fetchable_receive_bds(void)
{
    uint32_t first = nic->receive_bd_requested;
    return fetchable(first, nic->mailboxes.receive_bd_produced, nic->host.receive.entries, RECEIVE_BDS,
                     first - nic->receive_bd_freed, RECEIVE_BDS_PER_FETCH);
}

/*
 * Dispatch descriptors that the host has produced. Their DMA slot is allocated under the same lock, so descriptors arrive in
 * order: allocate_reads_in_order and add_receive_buffers rely on that.
 */
TASK(send_dispatch_ordering) static void dispatch_send_mailbox(void)
{
    if (nic->mailboxes.send_bd_produced == nic->send_bd_requested || fetchable_send_bds() == 0)
        return;
    uint32_t slot;
    send_lock_take(&nic->fetch_lock);
    uint32_t first = nic->send_bd_requested;
    uint32_t count = fetchable_send_bds();
    bool has_any = count != 0 && allocate_reads(1, &slot);
    if (has_any)
        nic->send_bd_requested = first + count;
    unlock(&nic->fetch_lock);
    if (has_any)
        fetch_send_buffers(first, count, slot);
}

TASK(receive_dispatch_ordering) static void dispatch_receive_mailbox(void)
{
    if (nic->mailboxes.receive_bd_produced == nic->receive_bd_requested || fetchable_receive_bds() == 0)
        return;
    uint32_t slot;
    receive_lock_take(&nic->receive_fetch_lock);
    uint32_t first = nic->receive_bd_requested;
    uint32_t count = fetchable_receive_bds();
    bool has_any = count != 0 && allocate_reads(1, &slot);
    if (has_any)
        nic->receive_bd_requested = first + count;
    unlock(&nic->receive_fetch_lock);
    if (has_any)
        fetch_receive_buffers(first, count, slot);
}

TASK(send_dispatch_ordering) static void send_pass(void)
{
    dispatch_send_mailbox();
    dispatch_reads();
    if (dma_can_publish(&nic->reads))
        publish_reads();
    if (flag_is_set(&nic->send_data_done, nic->send_bd_committed))
        commit_frames();
    if (nic->mailboxes.frames_transmitted != nic->transmit_retired)
        retire_transmits();
    if (status_is_due())
        update_status();
}

TASK(receive_dispatch_ordering) static void receive_pass(void)
{
    dispatch_receive_mailbox();
    dispatch_received();
    if (dma_can_publish(&nic->writes))
        publish_writes();
    dispatch_writes();
    if (flag_is_set(&nic->received_done, nic->receive_committed))
        commit_received();
    dispatch_queued();
}

int core_main(uint32_t core)
{
    start(core);
    for (;;) {
        send_pass();
        receive_pass();
    }
}
