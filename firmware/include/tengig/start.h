/* The start of every core. Included by one file of an image. */
#ifndef TENGIG_START_H
#define TENGIG_START_H

#include <stdint.h>

#include "tengig/state.h"

static volatile uint32_t is_initialised;

/* Set every counter to the first index of the host and the assists. */
static inline void start_counters(uint32_t first)
{
    struct mailboxes *mailboxes = &nic->mailboxes;
    volatile uint32_t *counters[] = {
        &mailboxes->dma_reads_done, &mailboxes->dma_writes_done, &mailboxes->frames_transmitted, &mailboxes->frames_received,
        &nic->send_bd_requested, &nic->fetch_batches, &nic->fetch_batches_taken, &nic->send_bd_arrived, &nic->send_bd_claimed,
        &nic->send_bd_committed, &nic->transmit_committed, &nic->transmit_retired, &nic->send_bd_consumed,
        &nic->receive_bd_requested, &nic->receive_bd_arrived, &nic->receive_claimed, &nic->receive_committed,
        &nic->receive_returned, &nic->receive_bd_freed, &nic->reads.allocated, &nic->reads.published, &nic->reads.claimed,
        &nic->writes.allocated, &nic->writes.published, &nic->writes.claimed, &nic->status_send_told, &nic->status_receive_told,
        &nic->status.send_bd_consumed, &nic->status.receive_returned, &nic->events_added, &nic->events_taken,
#ifdef TENGIG_EVENT_QUEUE
        &mailboxes->send_bd_produced, &mailboxes->receive_bd_produced,
#endif
    };
    for (uint32_t i = 0; i < sizeof counters / sizeof *counters; i++)
        *counters[i] = first;
}

static inline void start_ring(struct ring_registers *registers, uint32_t base, uint32_t entries, volatile uint32_t *progress)
{
    registers->base = base;
    registers->entries = entries;
    registers->progress = (uint32_t)(uintptr_t)progress;
    registers->control = RING_ENABLE;
}

/* Address of the progress of an assist: a source of the event queue, if there is one. */
#ifdef TENGIG_EVENT_QUEUE
#define PROGRESS(source, mailbox) ((volatile uint32_t *)(EVENT_SOURCES + 4 * EVENT_##source))
#else
#define PROGRESS(source, mailbox) (&nic->mailboxes.mailbox)
#endif

static inline void initialise(void)
{
    while (nic->host.ready != HOST_RINGS_READY)
        spin_pause();
    start_counters(nic->host.first_index);
    nic->timer_due = cycle_count() + nic->settings.timer_interval;
    receive_registers->buffer_base = RECEIVE_BUFFER;
    receive_registers->buffer_size = RECEIVE_BUFFER_BYTES;
    receive_registers->buffer_consumer = RECEIVE_BUFFER;
    start_ring(dma_read_registers, (uint32_t)(uintptr_t)dma_read_ring, DMA_READS, PROGRESS(DMA_READS_DONE, dma_reads_done));
    start_ring(dma_write_registers, (uint32_t)(uintptr_t)dma_write_ring, DMA_WRITES, PROGRESS(DMA_WRITES_DONE, dma_writes_done));
    start_ring(transmit_registers, (uint32_t)(uintptr_t)transmit_ring, TRANSMIT_FRAMES, PROGRESS(FRAMES_TRANSMITTED, frames_transmitted));
    start_ring(&receive_registers->ring, (uint32_t)(uintptr_t)receive_ring, RECEIVED_FRAMES, PROGRESS(FRAMES_RECEIVED, frames_received));
    is_initialised = 1;
}

/* Initialise the NIC once the host is ready, on core 0, and hold the other cores until then. */
static inline void start(uint32_t core)
{
    if (core == 0)
        initialise();
    while (!is_initialised)
        spin_pause();
}

#endif
