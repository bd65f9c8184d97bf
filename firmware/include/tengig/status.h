/* Telling the host what was consumed and returned. */
#ifndef TENGIG_STATUS_H
#define TENGIG_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "tengig/event_queue.h"
#include "tengig/state.h"

/* True if the host must receive the present counters: enough has gathered, or what there is has waited long enough. */
static inline bool status_is_due(void)
{
    uint32_t sent = nic->send_bd_consumed - nic->status_send_told;
    uint32_t received = nic->receive_returned - nic->status_receive_told;
    if (nic->status_under_way || (sent | received) == 0)
        return false;
    return sent >= nic->settings.send_coalescing || received >= nic->settings.receive_coalescing ||
           (int32_t)(cycle_count() - nic->timer_due) >= 0;
}

/* The host has less than the present counters, and no timer is set for it: on a card with an event queue. */
static inline void status_changed(void)
{
#ifdef TENGIG_EVENT_QUEUE
    if (!nic->status_under_way && (!nic->timer_is_set || status_is_due()))
        raise_signals(SIGNAL(UPDATE_STATUS));
#endif
}

/* Writes the counters to the host if they are due; returns whether they were. */
bool update_status(void);

/* The host has the counters: interrupts it. */
void status_arrived(void);

#endif
