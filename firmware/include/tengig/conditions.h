/* Conditions of work that depends on more than one counter. */
#ifndef TENGIG_CONDITIONS_H
#define TENGIG_CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "tengig/flags.h"
#include "tengig/receive.h"
#include "tengig/state.h"

static inline bool send_bds_can_be_fetched(void)
{
    uint32_t first = nic->send_bd_requested;
    uint32_t produced = nic->mailboxes.send_bd_produced - first;
    uint32_t room = SEND_BDS - (first - nic->send_bd_consumed);
    return produced != 0 && room >= (produced < 32 ? produced : 32) &&
           nic->fetch_batches - nic->fetch_batches_taken < FETCH_BATCHES;
}

static inline bool receive_bds_can_be_fetched(void)
{
    uint32_t first = nic->receive_bd_requested;
    uint32_t produced = nic->mailboxes.receive_bd_produced - first;
    uint32_t room = RECEIVE_BDS - (first - nic->receive_bd_freed);
    return produced != 0 && room >= (produced < 16 ? produced : 16);
}

static inline bool frames_can_be_fetched(void)
{
    return nic->send_bd_claimed != nic->send_bd_arrived ||
           nic->fetch_batch_done[nic->fetch_batches_taken % FETCH_BATCHES];
}

static inline bool received_can_be_returned(void)
{
    return flag_is_set(&nic->received_done, nic->receive_committed) || returns_are_due(nic->receive_committed);
}

#endif
