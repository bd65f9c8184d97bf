/*
 * Received frames. The MAC stores each in a buffer on the card, after space for the header of virtio; header and frame are written to the
 * host together, into one buffer or, with merged buffers, into several.
 */
#include "hundredgig/nic.h"

#define FRAMES_AT_ONCE 8u /* most frames of one call, so that sending is not starved */

static struct queue *const queue = &queues[RECEIVE_QUEUE];
static uint8_t slots[SLOTS];  /* slots of the buffers that the MAC has, in their order */
static uint32_t given, taken; /* buffers given to the MAC; frames taken from it */
static bool is_enabled;       /* the MAC takes frames */
static uint32_t held;         /* word on a frame that waits for more descriptors; 0 for none */

static uint8_t *receive_slot(uint32_t slot) { return (uint8_t *)(RECEIVE_BUFFERS + slot * SLOT_BYTES); }

void give_back_buffer(uint32_t slot)
{
    slots[given++ % SLOTS] = (uint8_t)slot;
    MAC_RECEIVE->address = (uint32_t)receive_slot(slot) + HEADER_BYTES;
    MAC_RECEIVE->descriptor = LARGEST_FRAME;
}

void receive_start(void)
{
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        *(struct virtio_net_header *)receive_slot(slot) = (struct virtio_net_header){0};
        give_back_buffer(slot);
    }
}

/* Before the driver has given buffers it may still spread flows over other queues. */
void receive_begin(void)
{
    if (!is_enabled && queue->known != 0 && queue->is_served && is_live)
        MAC_RECEIVE->control = is_enabled = QUEUE_ENABLE;
}

void receive_stop(void) { MAC_RECEIVE->control = is_enabled = 0; }

static void drop_frame(uint32_t reason)
{
    TALLY->counts[reason] = 1;
    give_back_buffer(slots[taken++ % SLOTS]);
}

void lose_buffer(uint32_t slot)
{
    TALLY->counts[TALLY_RECEIVE_DISABLED] = 1;
    give_back_buffer(slot);
}

/* Frames that arrive for no driver, or for a broken queue, are dropped. */
bool can_receive(void)
{
    return (queue->taken != queue->descriptors_here && writes_are_free(4)) || !is_live || queue->is_broken;
}

void receive_discard(void)
{
    if (held)
        drop_frame(TALLY_RECEIVE_DISABLED);
    held = 0;
    while (MAC_RECEIVE->completion)
        drop_frame(TALLY_RECEIVE_DISABLED);
}

/* Buffers that a frame of `bytes` takes; 0 if the driver has not given enough yet. */
static uint32_t buffers_for(uint32_t bytes)
{
    uint32_t count = 0;
    for (uint32_t at = queue->taken; at != queue->descriptors_here; at++) {
        const struct virtq_descriptor *descriptor = &queue->table[at % SLOTS];
        /* Chains of several buffers are not supported: see docs/hundredgig.md. */
        if (!(descriptor->flags & VIRTQ_WRITE) || descriptor->flags & VIRTQ_NEXT || descriptor->length == 0) {
            break_queue(RECEIVE_QUEUE);
            return 0;
        }
        count++;
        if (bytes <= descriptor->length)
            return count;
        bytes -= descriptor->length;
        if (!has_feature(VIRTIO_NET_MERGED_BUFFERS))
            return SLOTS + 1;
    }
    return 0;
}

/* Writes a frame with its header into `count` buffers of the host. */
static void deliver(uint32_t completion, uint32_t bytes, uint32_t count)
{
    uint32_t slot = slots[taken++ % SLOTS];
    uint8_t *from = receive_slot(slot);
    struct virtio_net_header *header = (struct virtio_net_header *)from;
    header->buffers = (uint16_t)count;
    if (HARDWARE_CHECKSUMS)
        header->flags = has_feature(VIRTIO_NET_GUEST_CHECKSUM) && completion & RECEIVED_CHECKSUM_RIGHT ? VIRTIO_NET_DATA_VALID : 0;
    for (; count > 0; count--) {
        uint32_t place = queue->taken++ % SLOTS;
        const struct virtq_descriptor *descriptor = &queue->table[place];
        uint32_t length = bytes < descriptor->length ? bytes : descriptor->length;
        write_host(descriptor->address, from, length, count == 1 ? WRITE_LAST_PIECE : WRITE_PIECE, RECEIVE_QUEUE, slot);
        queue->used[place] = (struct virtq_used_element){queue->heads[place], length};
        from += length;
        bytes -= length;
    }
    queue->completed = queue->taken;
}

/* Delivers frames while there are buffers of the host, and room for their writes. */
TASK(receive_frame) void receive_frames(void)
{
    for (uint32_t frame = 0; frame < FRAMES_AT_ONCE && is_live && can_receive(); frame++) {
        uint32_t completion = held ? held : MAC_RECEIVE->completion;
        held = 0;
        if (completion == 0)
            return;
        uint32_t bytes = HEADER_BYTES + RECEIVED_BYTES(completion), count = buffers_for(bytes);
        if (count > SLOTS) {
            drop_frame(TALLY_RECEIVE_TOO_LONG);
        } else if (count == 0 && queue->is_broken) {
            drop_frame(TALLY_RECEIVE_DISABLED);
        } else if (count == 0 || !writes_are_free(count + 3)) {
            held = completion;
            return;
        } else {
            deliver(completion, bytes, count);
        }
    }
}
