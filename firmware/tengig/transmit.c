#include "tengig/send.h"

#include "spinach/task.h"
#include "tengig/conditions.h"
#include "tengig/flags.h"
#include "tengig/locks.h"
#include "tengig/status.h"

/* Pass the frames whose data has arrived to the MAC, in order. */
TASK(send_dispatch_ordering) bool commit_frames(void)
{
    if (!send_lock_try(&nic->commit_lock))
        return false;
    uint32_t bd = nic->send_bd_committed;
    uint32_t end = bd + flags_take(&nic->send_data_done, bd);
    uint32_t frame = nic->transmit_committed;
    uint32_t first_frame = frame;
    for (uint32_t at = bd; at != end; at++) {
        struct mac_descriptor pending = nic->pending_transmits[at % SEND_BDS];
        if (pending.status_length != 0) {
            transmit_ring[frame % TRANSMIT_FRAMES] = pending;
            nic->transmit_bd_end[frame % TRANSMIT_FRAMES] = at + 1;
            frame++;
        }
    }
    if (end != bd)
        nic->send_bd_committed = end;
    if (frame != first_frame) {
        compiler_barrier(); /* the descriptors before the producer */
        nic->transmit_committed = frame;
        transmit_registers->producer = frame;
    }
    unlock(&nic->commit_lock);
    return end != bd;
}

/* On a card with an event queue: the host learns of it, and more descriptors fit in. */
static inline void descriptors_are_free(void)
{
#ifdef TENGIG_EVENT_QUEUE
    if (send_bds_can_be_fetched())
        raise_signals(SIGNAL(SEND_BD_PRODUCED));
    status_changed();
#endif
}

/* Free the places of the frames that have left. */
TASK(send_frame) bool retire_transmits(void)
{
    if (!send_lock_try(&nic->transmit_lock))
        return false;
    uint32_t transmitted = nic->mailboxes.frames_transmitted;
    bool has_any = transmitted != nic->transmit_retired;
    if (has_any) {
        nic->transmit_retired = transmitted; /* transmit_bd_end was written before the MAC had the frame */
        nic->send_bd_consumed = nic->transmit_bd_end[(transmitted - 1) % TRANSMIT_FRAMES];
        descriptors_are_free();
    }
    unlock(&nic->transmit_lock);
    return has_any;
}
