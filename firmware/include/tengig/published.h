/*
 * The image `published`: the organisation that the thesis describes (sections 4.3 and 4.5.1, with its optimizations).
 *
 * Work is an event structure in the scratch pad. The dispatch loop makes one from a pointer of the hardware, or takes one from the
 * event queue, and calls the handler of its type. A handler works on one frame or descriptor after another and leaves in the event
 * what it could not do, which the dispatch loop puts into the queue.
 */
#ifndef TENGIG_PUBLISHED_H
#define TENGIG_PUBLISHED_H

#include <stdbool.h>
#include <stdint.h>

#include "tengig/dma.h"

/* Elements of an event, at most, when hardware has completed more: the size of those in figures 4.6 (thesis) and 5 (HPCA 2005). */
#define ELEMENTS_PER_EVENT 5

/* Every event has an element of its own among the DMA slots, descriptors and frames in work. */
#define QUEUED_EVENTS 2048
_Static_assert(2 * DMA_SLOTS + RECEIVED_FRAMES + SEND_BDS + RECEIVE_BDS <= QUEUED_EVENTS, "the event queue overflows");

/* Put an event into the queue: its handler runs on the next core that takes it. One for each direction, so that a profile can tell. */
void send_enqueue(uint32_t type, uint32_t start, uint32_t end);
void receive_enqueue(uint32_t type, uint32_t start, uint32_t end);

/*
 * The handlers. `event->start` becomes the first element that is not done.
 *
 * process_reads and process_writes: completed slots of the DMA rings.
 * request_frames: send descriptors that have arrived.
 * add_receive_buffers: receive descriptors that have arrived; only their number counts.
 * deliver_frames: frames that the MAC has received.
 */
void process_reads(event_t *event);
void process_writes(event_t *event);
void request_frames(event_t *event);
void add_receive_buffers(event_t *event);
void deliver_frames(event_t *event);

/* Request `count` descriptors that the host has produced, from `first` on, with the allocated read `slot`. */
void fetch_send_buffers(uint32_t first, uint32_t count, uint32_t slot);
void fetch_receive_buffers(uint32_t first, uint32_t count, uint32_t slot);

/*
 * The managers of the DMA rings. They find room under a lock; the caller fills the slots in without one. Each returns true if
 * there was room.
 */
bool allocate_reads(uint32_t count, uint32_t *slot);
bool allocate_writes(uint32_t count, uint32_t *slot);

/* Allocate reads for the send descriptors up to `end`, in their order; return the first that has none (thesis, figure 4.6 b). */
uint32_t allocate_reads_in_order(uint32_t end);

#endif
