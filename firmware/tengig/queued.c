/*
 * The dispatch of the firmware for a card with an event queue: in place of looking for work of every kind, a core loads its
 * next piece of work, and stalls in that load until there is one.
 *
 * Work that a handler cannot finish, for lack of a descriptor or a DMA slot, is raised or added again.
 */
#include <stdbool.h>
#include <stdint.h>

#include "spinach/task.h"
#include "tengig/conditions.h"
#include "tengig/dma.h"
#include "tengig/event_queue.h"
#include "tengig/events.h"
#include "tengig/receive.h"
#include "tengig/send.h"
#include "tengig/start.h"
#include "tengig/status.h"

TASK(receive_dispatch_ordering) void event_add(uint32_t type, uint32_t start, uint32_t end)
{
    event_queue->add_start = start;
    event_queue->add = EVENT_ADDED(type) << 24 | (end - start);
}

/* Updates the host if enough has gathered; otherwise sets the timer. */
TASK(send_dispatch_ordering) static void update_host(void)
{
    nic->timer_is_set = 0;
    if (nic->status_under_way || update_status())
        return;
    uint32_t sent = nic->send_bd_consumed - nic->status_send_told;
    uint32_t received = nic->receive_returned - nic->status_receive_told;
    if ((sent | received) == 0)
        return;
    int32_t left = (int32_t)(nic->timer_due - cycle_count());
    nic->timer_is_set = 1;
    event_queue->timer = left > 0 ? (uint32_t)left : 1;
}

/* Not inlined, so that a profile separates cycles without work. */
TASK(idle) static uint32_t next_event(void) { return event_queue->wait; }

static inline __attribute__((always_inline)) void handle(uint32_t event)
{
    uint32_t start, count = EVENT_COUNT(event);
    switch (EVENT_NUMBER(event)) {
    case EVENT_DMA_READS_DONE:
        start = event_queue->start;
        handle_dma_reads(start, start + count);
        break;
    case EVENT_DMA_WRITES_DONE:
        start = event_queue->start;
        handle_dma_writes(start, start + count);
        break;
    case EVENT_FRAMES_RECEIVED:
        atomic_fetch_add(&nic->receive_claimed, count);
        /* fall through */
    case EVENT_ADDED(EVENT_RECEIVE_FRAMES):
        start = event_queue->start;
        receive_frames(start, start + count);
        break;
    case EVENT_SEND_BD_PRODUCED:
        nic->mailboxes.send_bd_produced = event_queue->start;
        fetch_send_bds();
        if (send_bds_can_be_fetched())
            raise_signals(SIGNAL(SEND_BD_PRODUCED));
        break;
    case EVENT_RECEIVE_BD_PRODUCED:
        nic->mailboxes.receive_bd_produced = event_queue->start;
        fetch_receive_bds();
        if (receive_bds_can_be_fetched())
            raise_signals(SIGNAL(RECEIVE_BD_PRODUCED));
        break;
    case EVENT_FRAMES_TRANSMITTED:
        nic->mailboxes.frames_transmitted = event_queue->start;
        retire_transmits();
        break;
    case EVENT_COMMIT_FRAMES:
        while (commit_frames())
            ;
        break;
    case EVENT_FETCH_FRAMES:
        fetch_frames();
        break;
    case EVENT_PUBLISH_READS:
        while (publish_reads())
            ;
        break;
    case EVENT_PUBLISH_WRITES:
        while (publish_writes())
            ;
        break;
    case EVENT_COMMIT_RECEIVED:
        if (commit_received())
            raise_signals(SIGNAL(COMMIT_RECEIVED));
        break;
    case EVENT_UPDATE_STATUS:
        update_host();
        break;
    }
}

TASK(send_dispatch_ordering) static _Noreturn void dispatch(void)
{
    for (;;)
        handle(next_event());
}

int core_main(uint32_t core)
{
    start(core);
    dispatch();
}
