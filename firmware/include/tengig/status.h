/* Telling the host what was consumed and returned. */
#ifndef TENGIG_STATUS_H
#define TENGIG_STATUS_H

#include <stdbool.h>
#include <stdint.h>

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

/* Writes the counters to the host if they are due; returns whether they were. */
bool update_status(void);

/* The host has the counters: interrupts it. */
void status_arrived(void);

#endif
