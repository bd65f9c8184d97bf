/*
 * The firmware of the programmable 10 Gb/s NIC: every core runs the same loop, which looks for work of every kind and does what it
 * finds (HPCA 2005, section 3.3; thesis, section 4.3).
 *
 * Each kind of work is a range between two free-running counters: what one step has finished and what the next has taken. The
 * counters are the distributed event queue: a core takes a few elements of a range, the rest stays for others. What a handler
 * cannot finish goes to the event queue and is tried again by the next core that looks.
 */
#include <stdbool.h>
#include <stdint.h>

#include "spinach/task.h"
#include "tengig/conditions.h"
#include "tengig/dma.h"
#include "tengig/events.h"
#include "tengig/receive.h"
#include "tengig/send.h"
#include "tengig/start.h"
#include "tengig/status.h"

#define COMPLETIONS_PER_CLAIM 16
#define FRAMES_PER_CLAIM 4

/* Conditions of work: each is that of one step of a pass, and of an end to waiting. */

static inline bool reads_are_done(void) { return nic->mailboxes.dma_reads_done != nic->reads.claimed; }
static inline bool writes_are_done(void) { return nic->mailboxes.dma_writes_done != nic->writes.claimed; }
static inline bool frames_have_arrived(void) { return nic->mailboxes.frames_received != nic->receive_claimed; }
static inline bool frames_can_be_committed(void) { return flag_is_set(&nic->send_data_done, nic->send_bd_committed); }
static inline bool transmits_can_be_retired(void) { return nic->mailboxes.frames_transmitted != nic->transmit_retired; }
static inline bool writes_can_be_published(void) { return dma_can_publish(&nic->writes); }

#ifdef TENGIG_CENTRAL_DMA_MANAGER
static inline bool reads_can_be_published(void) { return false; }
#else
static inline bool reads_can_be_published(void) { return dma_can_publish(&nic->reads); }
#endif

TASK(send_dispatch_ordering) static bool send_pass(bool may_commit)
{
    bool is_busy = false;
    uint32_t start, count;
    if (reads_are_done() &&
        (count = claim(&nic->reads.claimed, &nic->mailboxes.dma_reads_done, COMPLETIONS_PER_CLAIM, &start)) != 0) {
        handle_dma_reads(start, start + count);
        is_busy = true;
    }
    if (may_commit && frames_can_be_committed())
        is_busy |= commit_frames();
    if (frames_can_be_fetched())
        is_busy |= fetch_frames();
    if (reads_can_be_published())
        is_busy |= publish_reads();
    if (transmits_can_be_retired())
        is_busy |= retire_transmits();
    if (send_bds_can_be_fetched())
        is_busy |= fetch_send_bds();
    if (status_is_due())
        is_busy |= update_status();
    return is_busy;
}

TASK(receive_dispatch_ordering) static bool receive_pass(void)
{
    bool is_busy = false;
    uint32_t start, count;
    if (frames_have_arrived() &&
        (count = claim(&nic->receive_claimed, &nic->mailboxes.frames_received, FRAMES_PER_CLAIM, &start)) != 0) {
        receive_frames(start, start + count);
        is_busy = true;
    }
    if (writes_can_be_published())
        is_busy |= publish_writes();
    if (writes_are_done() &&
        (count = claim(&nic->writes.claimed, &nic->mailboxes.dma_writes_done, COMPLETIONS_PER_CLAIM, &start)) != 0) {
        handle_dma_writes(start, start + count);
        is_busy = true;
    }
    if (received_can_be_returned())
        is_busy |= commit_received();
    if (receive_bds_can_be_fetched())
        is_busy |= fetch_receive_bds();
    if (event_is_waiting())
        is_busy |= event_handle();
    return is_busy;
}

/* Looks for work without doing any, so that a profile tells idle time from the dispatching of work. */
TASK(idle) static void wait_for_work(void)
{
    while (!(frames_have_arrived() || event_is_waiting() || reads_are_done() || writes_are_done() || frames_can_be_committed() ||
             frames_can_be_fetched() || transmits_can_be_retired() || writes_can_be_published() || received_can_be_returned() ||
             reads_can_be_published() || send_bds_can_be_fetched() || receive_bds_can_be_fetched() || status_is_due()))
        ;
}

int core_main(uint32_t core)
{
    start(core);
#ifdef TENGIG_STATIC_SEND_COMMIT
    /* The first design: one core does nothing but commit frames, without a lock, and the others never do (thesis 4.5.1). */
    if (nic->settings.cores > 1 && core == nic->settings.cores - 1) {
        for (;;)
            commit_frames();
    }
    bool may_commit = nic->settings.cores == 1;
#else
    bool may_commit = true;
#endif
    for (;;) {
        bool is_busy = send_pass(may_commit);
        is_busy |= receive_pass();
        if (!is_busy)
            wait_for_work();
    }
}
