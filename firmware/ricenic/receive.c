/*
 * Frames received. The MAC puts each into a buffer; the DMA unit writes it to the host, and behind it the descriptor that returns the
 * host's buffer. Then the MAC has its buffer again.
 *
 * In the image `split` descriptors are fetched by the core that sends, since the queue of reads is its own.
 */
#include "ricenic/nic.h"

#define FRAMES_AT_ONCE 8u /* that one call takes, at most */

static struct buffer_descriptor descriptors[SLOTS] ON_OWN_LINES; /* written by the DMA unit */
static struct buffer_descriptor returns[SLOTS] ON_OWN_LINES;     /* read by the DMA unit */
static OF_RECEIVER uint32_t write_of[SLOTS]; /* how many writes were asked for with the last of a frame */
static OF_SENDER uint32_t asked;     /* descriptors; one read of them is under way at most */
static OF_BOTH uint32_t described; /* the descriptors that are here */
static OF_RECEIVER uint32_t readable;  /* the descriptors that the core that receives has seen come */
static OF_RECEIVER uint32_t returned, frames_taken, frames_freed;

static void give_buffer(uint32_t slot)
{
    MAC_RECEIVE->address = receive_buffer(slot);
    MAC_RECEIVE->descriptor = BUFFER_BYTES - 1 - FRAME_OFFSET;
}

void receive_start(void)
{
    asked = returned = readable = SHARED(described) = rings.first_index;
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        give_buffer(slot);
    MAC_RECEIVE->control = QUEUE_ENABLE;
}

/* Number of descriptors to fetch. Few at once cost as much as many. */
TASK(idle) uint32_t wanted_descriptors(void)
{
    if (receive_announced == asked)
        return 0;
    uint32_t done = SHARED(receive_returned), here = SHARED(described);
    uint32_t room = SLOTS - (asked - done), count = receive_announced - asked;
    if (count > room)
        count = room;
    return asked != here || (count < SLOTS / 4 && here != done) ? 0 : count;
}

TASK(fetch_receive_bd) void fetch_receive_descriptors(uint32_t count)
{
    asked += read_entries(&rings.receive, asked, count, descriptors, READ_RECEIVE_DESCRIPTORS);
}

TASK(fetch_receive_bd) void receive_descriptors_came(uint32_t count) { SHARED(described) += count; }

TASK(idle) bool wants_descriptors(void) { return receive_announced != asked; }

TASK(idle) bool has_descriptor(void)
{
    if (returned != readable)
        return true;
    uint32_t here = SHARED(described);
    if (here == readable)
        return false;
    forget_entries(descriptors, readable, here - readable);
    readable = here;
    return true;
}

#ifdef RICENIC_NAT_SPLIT

static OF_RECEIVER uint32_t translated; /* frames known to be */

TASK(idle) bool has_frame(void)
{
    if (translated == frames_taken)
        translated = BETWEEN_CORES(inward_done);
    return translated != frames_taken;
}

#endif

/*
 * Writes frames that have come to the host's buffers, and behind each its return descriptor. Takes some only: while frames come as
 * fast as they are handled, nothing else would have its turn.
 */
TASK(receive_frame) void return_frames(void)
{
    for (uint32_t frame = 0; frame < FRAMES_AT_ONCE; frame++) {
        if (!has_descriptor() || frames_taken - frames_freed >= SLOTS || !writes_are_free(2))
            return;
#ifdef RICENIC_NAT_SPLIT
        if (!has_frame())
            return;
        uint32_t slot = returned % SLOTS, buffer = frames_taken % SLOTS, word = BETWEEN_CORES(inward_frames[buffer]);
        uint32_t length = word & 0xffff, checksum_flags = word - length;
        bool is_passed = word != 0;
#else
        uint32_t completion = MAC_RECEIVE->completion;
        if (completion == 0)
            return;
        uint32_t slot = returned % SLOTS, buffer = frames_taken % SLOTS, length = RECEIVED_BYTES(completion);
        uint32_t checksum_flags = verify_checksum(receive_buffer(buffer), length, MAC_RECEIVE->sum);
#endif
#ifdef RICENIC_NAT
#ifndef RICENIC_NAT_SPLIT
        bool is_passed = translate_inward(receive_buffer(buffer), length, checksum_flags);
#endif
        if (!is_passed) {
            write_of[buffer] = writes_so_far();
            counters.frames_received = ++frames_taken;
            continue;
        }
#endif
        const struct buffer_descriptor *descriptor = &descriptors[slot];
        struct buffer_descriptor *entry = &returns[slot];
        struct host_address address = descriptor->address;
        entry->address = address;
        entry->flags_length = BD_END | checksum_flags | length;
        entry->opaque = descriptor->opaque;
        store_range(entry, sizeof *entry);
        write_host(address, receive_buffer(buffer), length);
        write_of[buffer] = write_host(host_ring_entry(&rings.returned, returned), (uint32_t)entry, sizeof *entry);
        counters.frames_received = ++frames_taken;
        SHARED(receive_returned) = ++returned;
    }
}

TASK(idle) bool are_buffers_free(void) { return frames_freed == frames_taken; }

static OF_RECEIVER uint32_t done;

/* The host has frames, so that the MAC can have their buffers. */
TASK(idle) bool has_host_frames(void)
{
    if (frames_freed == frames_taken)
        return false;
    done = writes_done();
    return (int32_t)(done - write_of[frames_freed % SLOTS]) >= 0;
}

/* Gives the MAC back the buffers of frames that the host has. */
TASK(receive_frame) void free_buffers(void)
{
    for (; frames_freed != frames_taken && (int32_t)(done - write_of[frames_freed % SLOTS]) >= 0; frames_freed++)
        give_buffer(frames_freed % SLOTS);
}
