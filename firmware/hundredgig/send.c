/*
 * Frames to send. The pieces of a chain are read into one slot of frame memory, one after the other: the header of virtio, then
 * the frame, which the MAC sends from there. The chain is used as soon as its bytes are on the card.
 */
#include "hundredgig/nic.h"

#define INVALID ~0u
#define GIVEN 128u /* frames that the MAC has, at most: from slots, and copies of headers of a send that firmware cuts */

static struct queue *const queue = &queues[SEND_QUEUE];
static uint32_t bytes[SLOTS];    /* of the pieces of each frame */
static uint32_t frame_of[GIVEN]; /* for each frame that the MAC has, its counter among those taken */
static uint32_t given, sent;     /* frames given to the MAC, and sent by it */
static uint32_t released;        /* frames whose slot is free again */
static bool is_within_chain;     /* a further descriptor of a chain is being read */
static bool has_chained;         /* it is here */
static struct virtq_descriptor chained;
static uint32_t pieces; /* descriptors of the chain until now */

static uint8_t *send_slot(uint32_t frame) { return (uint8_t *)(SEND_BUFFERS + frame % SLOTS * SLOT_BYTES); }

void send_start(void) { MAC_TRANSMIT->control = QUEUE_ENABLE; }

bool is_all_sent(void)
{
    if (given != sent)
        return false;
    is_within_chain = has_chained = false;
    released = 0;
    large_stop();
    segment_stop();
    return true;
}

uint32_t frames_released(void) { return released; }

uint32_t frames_given(void) { return given; }

uint32_t frames_under_way(void) { return given - sent; }

void give_frame(uint32_t frame) { frame_of[given++ % GIVEN] = frame; }

void complete_chain(void) { queue->completed += queue->spans[queue->completed % SLOTS]; }

/* Reads a piece that does not fit into the slot of its chain; false if it waits for a buffer, or is invalid. */
static bool take_large_piece(const struct virtq_descriptor *descriptor, uint32_t number)
{
    uint32_t slot = queue->taken % SLOTS;
    bool is_invalid = descriptor->flags & VIRTQ_WRITE || descriptor->length == 0 || number > SLOTS ||
                      (!is_packed && descriptor->next >= queue->size);
    enum large_piece result =
        is_invalid ? LARGE_INVALID : large_take(descriptor, queue->taken, bytes[slot], !(descriptor->flags & VIRTQ_NEXT));
    if (result == LARGE_INVALID)
        break_queue(SEND_QUEUE);
    if (result == LARGE_TAKEN)
        bytes[slot] = SLOT_BYTES;
    return result == LARGE_TAKEN;
}

/* Reads the bytes of a descriptor, then the next descriptor of the chain if there is one. In packed rings that is the next entry. Returns
   false if the descriptor has to wait, or is invalid. */
static inline __attribute__((always_inline)) bool take_piece(const struct virtq_descriptor *descriptor, bool is_packed)
{
    uint32_t slot = queue->taken % SLOTS, length = descriptor->length, at = bytes[slot];
    /* A chain that loops grows beyond its slot. */
    bool is_outside = is_packed ? ++pieces > SLOTS : descriptor->next >= queue->size;
    bool is_last = !(descriptor->flags & VIRTQ_NEXT);
    if (descriptor->flags & VIRTQ_WRITE || length == 0 || length > SLOT_BYTES - at || is_outside) {
        pieces += !is_packed;
        if (!take_large_piece(descriptor, pieces)) {
            pieces--;
            return false;
        }
    } else {
        bytes[slot] = at + length;
        read_host(descriptor->address, send_slot(queue->taken) + at, length, is_last ? READ_LAST_PIECE : READ_PIECE, SEND_QUEUE, 0);
    }
    is_within_chain = !is_last;
    if (is_last) {
        if (is_packed)
            packed_take(queue, pieces);
        else
            queue->taken++;
        return true;
    }
    if (is_packed)
        return true;
    struct guest_address place = offset_by(queue->descriptors, descriptor->next * sizeof(struct virtq_descriptor));
    read_host(place, &chained, sizeof chained, READ_CHAIN, SEND_QUEUE, 0);
    return true;
}

/* Reads the bytes of frames whose first descriptors have arrived. */
static inline __attribute__((always_inline)) void advance(bool is_packed)
{
    while (is_packed && is_within_chain && is_live && packed_continues(queue, pieces) && reads_are_free(2))
        if (!take_piece(&queue->table[(queue->taken + pieces) % SLOTS], true))
            return;
    if (!is_packed && has_chained && reads_are_free(2))
        has_chained = !take_piece(&chained, false) && queue->is_served;
    while (!is_within_chain && queue->taken != queue->descriptors_here && queue->taken - released < SLOTS && reads_are_free(2) &&
           is_live) {
        bytes[queue->taken % SLOTS] = pieces = 0;
        if (!take_piece(&queue->table[queue->taken % SLOTS], is_packed))
            return;
    }
}

TASK(send_frame) void send_advance(void)
{
    if (is_packed)
        advance(true);
    else
        advance(false);
}

void send_chain_came(void) { has_chained = true; }

void send_stop(void) { is_within_chain = has_chained = false; }

/* Bits of the MAC's descriptor for a checksum, or INVALID if it would lie outside of the frame, or if the frame is a large send. */
static inline __attribute__((always_inline)) uint32_t prepare_checksum(uint8_t *frame, uint32_t length,
                                                                       const struct virtio_net_header *header)
{
    if (header->segmentation)
        return INVALID;
    if (!(header->flags & VIRTIO_NET_NEEDS_CHECKSUM) || !has_feature(VIRTIO_NET_CHECKSUM))
        return 0;
    uint32_t start = header->checksum_start, field = start + header->checksum_offset;
    if (field + 2 > length)
        return INVALID;
    if (HARDWARE_CHECKSUMS && field <= TRANSMIT_LARGEST_OFFSET)
        return TRANSMIT_CHECKSUM_AT(start, field);
    insert_checksum(frame, length, 0, start, field);
    return 0;
}

/* Sends the next frame if it may be longer than others because it has a tag. Others do not pay for it: they never come here. */
static __attribute__((noinline)) bool send_tagged(void)
{
    uint32_t frame = queue->completed, length = bytes[frame % SLOTS] - HEADER_BYTES;
    uint8_t *header = send_slot(frame), *start = header + HEADER_BYTES;
    if (length - LARGEST_FRAME > TAG_BYTES || !is_tagged(start))
        return false;
    uint32_t checksum = prepare_checksum(start, length, (const struct virtio_net_header *)header);
    if (checksum == INVALID)
        return false;
    complete_chain();
    MAC_TRANSMIT->address = (uint32_t)start;
    MAC_TRANSMIT->descriptor = TRANSMIT_LAST | checksum | length;
    give_frame(frame);
    return true;
}

/* Sends what is longer than other frames, or more than one. What is invalid is dropped. */
static void send_large(uint32_t frame)
{
    struct parts parts = large_parts(frame, send_slot(frame), bytes[frame % SLOTS]);
    if (segment(&parts, frame) || send_tagged())
        return;
    complete_chain();
    TALLY->counts[TALLY_SEND_INVALID] = 1;
    if (given == sent)
        released = queue->completed;
}

/* Sends the next frame, all of whose bytes have arrived. */
TASK(send_frame) void send_frame_came(void)
{
    if (segment_holds_up())
        return;
    uint32_t frame = queue->completed, slot = frame % SLOTS, length = bytes[slot] - HEADER_BYTES;
    uint8_t *header = send_slot(frame);
    queue->used[slot] = (struct virtq_used_element){queue->heads[slot], 0};
    uint32_t checksum = INVALID;
    if (bytes[slot] >= HEADER_BYTES + ETHERNET_HEADER_BYTES && length <= LARGEST_FRAME)
        checksum = prepare_checksum(header + HEADER_BYTES, length, (const struct virtio_net_header *)header);
    if (checksum == INVALID) {
        send_large(frame);
        return;
    }
    queue->completed += queue->spans[slot];
    MAC_TRANSMIT->address = (uint32_t)header + HEADER_BYTES;
    MAC_TRANSMIT->descriptor = TRANSMIT_LAST | checksum | length;
    give_frame(frame);
}

/* Releases the slots of frames that have left. */
TASK(send_frame) void take_sent(void)
{
    sent = MAC_TRANSMIT->done;
    released = given == sent ? queue->completed : frame_of[sent % GIVEN];
}
