#include "tengig/events.h"

#include "spinach/task.h"
#include "tengig/locks.h"
#include "tengig/receive.h"
#include "tengig/send.h"

/*
 * There is always room: an event represents frames or buffers of a ring of 256 that no other event represents.
 */
TASK(receive_dispatch_ordering) void event_add(uint32_t type, uint32_t start, uint32_t end)
{
    receive_lock_take(&nic->event_lock);
    uint32_t added = nic->events_added;
    nic->events[added % EVENTS] = (event_t){type, start, end};
    nic->events_added = added + 1;
    unlock(&nic->event_lock);
}

TASK(receive_dispatch_ordering) bool event_handle(void)
{
    if (!receive_lock_try(&nic->event_lock))
        return false;
    uint32_t taken = nic->events_taken;
    bool has_any = taken != nic->events_added;
    event_t event = nic->events[taken % EVENTS];
    if (has_any)
        nic->events_taken = taken + 1;
    unlock(&nic->event_lock);
    if (!has_any)
        return false;
    if (event.type == EVENT_RECEIVE_FRAMES)
        receive_frames(event.start, event.end);
    else
        fetch_buffers_again(event.start, event.end);
    return true;
}
