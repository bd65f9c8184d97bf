/*
 * Packed rings (virtio 1.2, section 2.8): one ring in which the driver makes descriptors available and the card overwrites those of used
 * chains. All counters of a queue count entries of the ring; heads[] has the identities of buffers.
 *
 * Entries are read ahead without an index: each says by its flags if it is available.
 */
#include "hundredgig/nic.h"

#define AHEAD 16u /* entries of a read: a packet of PCI Express */

bool is_packed;

static uint32_t smaller(uint32_t one, uint32_t other) { return one < other ? one : other; }

/* Both sides begin with a wrap bit of 1, and turn it with each round of the ring. */
static bool wrap_of(const struct queue *queue, uint32_t counter) { return !(counter & queue->size); }

static uint32_t place_of(const struct queue *queue, uint32_t counter) { return counter & (queue->size - 1); }

static uint32_t event_word(const struct queue *queue, uint32_t counter)
{
    return place_of(queue, counter) | (wrap_of(queue, counter) ? VIRTQ_EVENT_WRAP : 0);
}

/* Takes the available entries among those that were asked for; the others are read again after a doorbell. */
TASK(fetch_send_bd) void packed_came(struct queue *queue)
{
    queue->is_looking = false;
    uint32_t here = queue->descriptors_here;
    for (; here != queue->descriptors_asked; here++) {
        struct virtq_descriptor *descriptor = &queue->table[here % SLOTS];
        /* The driver's entries have the identity first. */
        uint16_t identity = descriptor->flags, flags = descriptor->next;
        bool wrap = wrap_of(queue, here);
        if (!!(flags & VIRTQ_AVAILABLE) != wrap || !!(flags & VIRTQ_USED) == wrap)
            break;
        queue->heads[here % SLOTS] = identity;
        descriptor->flags = flags;
    }
    queue->wants_look |= here == queue->descriptors_asked;
    queue->wants_event |= here != queue->descriptors_here;
    queue->known = queue->descriptors_here = queue->descriptors_asked = here;
}

/* Decides on an interrupt by the driver's event structure: always, never, or when the card has used the entry that it names. */
void packed_event_came(struct queue *queue)
{
    uint32_t flags = queue->driver_event >> 16, word = queue->driver_event & 0xffff;
    uint16_t before = (uint16_t)(queue->asked - queue->signalled), used = (uint16_t)place_of(queue, queue->asked);
    uint16_t event = word & (VIRTQ_EVENT_WRAP - 1);
    if (!!(word & VIRTQ_EVENT_WRAP) != wrap_of(queue, queue->asked))
        event = (uint16_t)(event - queue->size);
    queue->is_signalling = false;
    queue->signalled = queue->asked;
    bool is_passed = (uint16_t)(used - event - 1) < before;
    if (flags == VIRTQ_EVENTS_ALL || (flags == VIRTQ_EVENTS_AT && is_passed))
        signal_driver(queue);
}

bool packed_continues(const struct queue *queue, uint32_t pieces) { return queue->descriptors_here - queue->taken > pieces; }

/* A chain has the identity of its last descriptor. */
void packed_take(struct queue *queue, uint32_t pieces)
{
    uint32_t first = queue->taken % SLOTS;
    queue->heads[first] = queue->heads[(queue->taken + pieces - 1) % SLOTS];
    queue->spans[first] = (uint8_t)pieces;
    queue->taken += pieces;
}

static void exchange_events(struct queue *queue, uint32_t number)
{
    if (queue->is_used && !queue->is_signalling && reads_are_free(1)) {
        queue->is_used = false;
        queue->is_signalling = true;
        queue->asked = queue->written;
        read_host(queue->driver, &queue->driver_event, sizeof queue->driver_event, READ_EVENT, number, 0);
    }
    /* Without event indices the driver rings for everything. */
    if (queue->wants_event && !queue->wants_look && !queue->is_looking && has_feature(VIRTIO_EVENT_INDEX) && writes_are_free(1)) {
        queue->wants_event = false;
        queue->device_event = event_word(queue, queue->known) | VIRTQ_EVENTS_AT << 16;
        write_host(queue->device, &queue->device_event, sizeof queue->device_event, WRITE_EVENT, number, 0);
    }
}

/* Reads ahead as far as there is room. */
TASK(fetch_send_bd) void packed_advance(struct queue *queue, uint32_t number)
{
    if (!queue->is_served)
        return;
    exchange_events(queue, number);
    uint32_t at = queue->descriptors_asked, entry = place_of(queue, at);
    uint32_t count = smaller(smaller(SLOTS, queue->size) - (at - queue->written), AHEAD);
    if (!queue->wants_look || queue->is_looking || count == 0 || !reads_are_free(1))
        return;
    count = smaller(count, smaller(queue->size - entry, SLOTS - at % SLOTS));
    queue->wants_look = false;
    queue->is_looking = true;
    struct guest_address place = offset_by(queue->descriptors, entry * sizeof(struct virtq_descriptor));
    read_host(place, &queue->table[at % SLOTS], count * sizeof(struct virtq_descriptor), READ_DESCRIPTORS, number, 0);
    queue->descriptors_asked += count;
}

/* Prepares the entries of used chains from `announced` on that are contiguous: one, or several that have one descriptor each. `written`
   is the flag that the card has written their buffers, without which drivers may not trust the length. */
static uint32_t prepare(struct queue *queue, uint32_t written)
{
    uint32_t first = queue->announced, count = 0, span;
    uint32_t most = smaller(queue->size - place_of(queue, first), SLOTS - first % SLOTS);
    do {
        uint32_t at = queue->announced, slot = at % SLOTS;
        span = queue->spans[slot];
        queue->spans[slot] = 1;
        uint16_t flags = (uint16_t)((wrap_of(queue, at) ? VIRTQ_AVAILABLE | VIRTQ_USED : 0) | written);
        queue->packed[slot] = (struct virtq_packed_used){
            .length = queue->used[slot].length, .identity = (uint16_t)queue->used[slot].head, .flags = flags};
        queue->announced += span;
        count++;
    } while (span == 1 && count < most && queue->announced != queue->completed && queue->spans[queue->announced % SLOTS] == 1);
    return count;
}

static void write_entries(struct queue *queue, uint32_t first, uint32_t entries, enum write_kind kind, uint32_t number, uint32_t count)
{
    struct guest_address place = offset_by(queue->descriptors, place_of(queue, first) * sizeof(struct virtq_descriptor));
    write_host(place, &queue->packed[first % SLOTS], entries * sizeof(struct virtq_packed_used), kind, number, count);
}

/* Writes the entries of used chains, each at the place of its first descriptor. A received frame may have buffers on both sides of the end
   of the ring: the driver must see all of them with the first, so those behind the end are written before. */
TASK(send_dispatch_ordering) void packed_announce(struct queue *queue, uint32_t number)
{
    uint32_t written = number == SEND_QUEUE ? 0 : VIRTQ_WRITE;
    while (queue->announced != queue->completed && writes_are_free(2)) {
        uint32_t first = queue->announced, entries = prepare(queue, written), second = queue->announced;
        if (number == RECEIVE_QUEUE && second != queue->completed)
            write_entries(queue, second, prepare(queue, written), WRITE_PIECE, number, 0);
        write_entries(queue, first, entries, WRITE_INDEX, number, queue->announced - first);
    }
}
