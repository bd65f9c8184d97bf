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
static uint32_t held;         /* word on a frame that waits for more descriptors, or begins the next run; 0 for none */

static uint8_t *receive_slot(uint32_t slot) { return (uint8_t *)(RECEIVE_BUFFERS + slot * SLOT_BYTES); }

void give_back_buffer(uint32_t slot)
{
    slots[given++ % SLOTS] = (uint8_t)slot;
    MAC_RECEIVE->address = (uint32_t)receive_slot(slot) + HEADER_BYTES;
    MAC_RECEIVE->descriptor = LARGEST_FRAME + TAG_BYTES;
}

void receive_start(void)
{
    receive_clear();
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        give_back_buffer(slot);
}

void receive_clear(void)
{
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        *(struct virtio_net_header *)receive_slot(slot) = (struct virtio_net_header){0};
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

#if FIRMWARE_COALESCING
#define MOST_COALESCED 16u

/* Frames that are delivered as one: words on them, and the buffers of the host that are set aside. */
static struct {
    uint32_t words[MOST_COALESCED], frames;
    uint32_t buffers, room; /* room in the last buffer */
} run;

/* Sets further buffers aside; false if the host has not given enough. */
static bool reserve(uint32_t bytes)
{
    uint32_t buffers = run.buffers, room = run.room;
    for (; room < bytes; buffers++) {
        const struct virtq_descriptor *descriptor = &queue->table[(queue->taken + buffers) % SLOTS];
        if (queue->taken + buffers == queue->descriptors_here || !(descriptor->flags & VIRTQ_WRITE) ||
            descriptor->flags & VIRTQ_NEXT || descriptor->length == 0)
            return false;
        room = descriptor->length > ~0u - room ? ~0u : room + descriptor->length;
    }
    /* A frame takes a write for each buffer that it begins in, and one for each that it continues in. */
    if (!writes_are_free(run.frames + buffers + 3))
        return false;
    run.buffers = buffers;
    run.room = room - bytes;
    return true;
}

static uint8_t *frame_in_run(uint32_t number) { return receive_slot(slots[(taken + number) % SLOTS]) + HEADER_BYTES; }

/* Gathers frames that continue the first one, as far as they are here and there is room for them. */
static void gather(uint32_t completion)
{
    run.words[0] = completion;
    run.frames = run.buffers = run.room = 0;
    reserve(HEADER_BYTES + RECEIVED_BYTES(completion));
    run.frames = 1;
    if (!coalesce_begin(frame_in_run(0), completion))
        return;
    while (run.frames < MOST_COALESCED) {
        held = MAC_RECEIVE->completion;
        if (held == 0)
            return;
        const uint8_t *frame = frame_in_run(run.frames);
        uint32_t payload = coalesce_payload(frame, held);
        if (payload == 0 || !reserve(payload))
            return;
        coalesce_add(frame, payload);
        run.words[run.frames++] = held;
        held = 0;
    }
}

/* Writes a run of frames, which begins with `completion`, into the buffers that it needs. */
static void deliver_run(uint32_t completion)
{
    gather(completion);
    struct virtio_net_header *header = (struct virtio_net_header *)receive_slot(slots[taken % SLOTS]);
    bool is_valid = has_feature(VIRTIO_NET_GUEST_CHECKSUM) && completion & RECEIVED_CHECKSUM_RIGHT;
    *header = (struct virtio_net_header){.flags = is_valid ? VIRTIO_NET_DATA_VALID : 0};
    if (run.frames > 1)
        coalesce_end(header, frame_in_run(0));
    header->buffers = (uint16_t)run.buffers;
    uint32_t place = queue->taken % SLOTS, filled = 0;
    const struct virtq_descriptor *descriptor = &queue->table[place];
    for (uint32_t frame = 0; frame < run.frames; frame++) {
        uint32_t skipped = frame == 0 ? 0 : HEADER_BYTES + coalesce_headers(), slot = slots[taken++ % SLOTS];
        uint32_t length = HEADER_BYTES + RECEIVED_BYTES(run.words[frame]) - skipped;
        const uint8_t *from = receive_slot(slot) + skipped;
        for (uint32_t part; length > 0; from += part, length -= part, filled += part) {
            if (filled == descriptor->length) {
                queue->used[place] = (struct virtq_used_element){queue->heads[place], filled};
                place = ++queue->taken % SLOTS;
                descriptor = &queue->table[place];
                filled = 0;
            }
            uint32_t room = descriptor->length - filled;
            part = length < room ? length : room;
            write_host(offset_by(descriptor->address, filled), from, part, part == length ? WRITE_LAST_PIECE : WRITE_PIECE,
                       RECEIVE_QUEUE, slot);
        }
    }
    queue->used[place] = (struct virtq_used_element){queue->heads[place], filled};
    queue->completed = ++queue->taken;
}
#endif

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
#if FIRMWARE_COALESCING
            if (has_feature(VIRTIO_NET_GUEST_TSO4) || has_feature(VIRTIO_NET_GUEST_TSO6)) {
                deliver_run(completion);
                continue;
            }
#endif
            deliver(completion, bytes, count);
        }
    }
}
