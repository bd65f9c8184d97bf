/*
 * The rings of a queue (virtio 1.2, section 2.7). The driver's index, heads and first descriptors of chains are read ahead; used elements
 * are written in the order of the chains, a run at a time, then the index.
 *
 * The driver is not trusted: an invalid index, head or length breaks the queue, and no other.
 */
#include "hundredgig/nic.h"

static struct guest_address address_of(const volatile struct guest_address *shared)
{
    return (struct guest_address){shared->low, shared->high};
}

void queue_start(struct queue *queue, const volatile struct virtio_queue_configuration *configuration)
{
    queue->descriptors = address_of(&configuration->descriptors);
    queue->driver = address_of(&configuration->driver);
    queue->device = address_of(&configuration->device);
    queue->size = configuration->enable ? configuration->size : 0;
    queue->is_served = queue->size != 0;
    queue->is_broken = false;
    queue->vector = configuration->vector;
    queue->known = queue->heads_asked = queue->heads_here = queue->descriptors_asked = queue->descriptors_here = 0;
    queue->taken = queue->completed = queue->announced = queue->written = 0;
    queue->asked = queue->signalled = 0;
    queue->is_looking = queue->is_used = queue->is_signalling = queue->wants_event = false;
    queue->wants_look = true;
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        queue->spans[slot] = 1;
}

static uint32_t smaller(uint32_t one, uint32_t other) { return one < other ? one : other; }

/* Number of entries from `counter` on that are contiguous in the driver's ring and in the SLOTS entries on the card. */
static uint32_t run_from(const struct queue *queue, uint32_t counter, uint32_t count)
{
    count = smaller(count, queue->size - (counter & (queue->size - 1)));
    return smaller(count, SLOTS - counter % SLOTS);
}

/* Handles flags and index of the driver. */
void queue_available_came(struct queue *queue)
{
    uint16_t added = (uint16_t)(queue->available.index - (uint16_t)queue->known);
    queue->is_looking = false;
    queue->known += added;
    /* The driver may have seen a used index whose write the DMA unit has not reported yet. */
    if (queue->known - queue->announced > queue->size) {
        break_queue((uint32_t)(queue - queues));
        return;
    }
    if (has_feature(VIRTIO_EVENT_INDEX)) {
        queue->wants_event |= added != 0;
    } else if (queue->is_signalling) {
        queue->is_signalling = false;
        if (!(queue->available.flags & VIRTQ_NO_INTERRUPT))
            signal_driver(queue);
    }
}

/* Handles the event index of the driver, which asks for an interrupt when the used index passes it. */
void queue_event_came(struct queue *queue)
{
    uint16_t passed = (uint16_t)(queue->asked - queue->used_event - 1), written = (uint16_t)(queue->asked - queue->signalled);
    queue->is_signalling = false;
    queue->signalled = queue->asked;
    if (passed < written)
        signal_driver(queue);
}

/* Reads the event index of the driver after used chains were written, and writes that of the card when all known chains were fetched. */
static void exchange_events(struct queue *queue, uint32_t number)
{
    if (queue->is_used && !queue->is_signalling && reads_are_free(1)) {
        queue->is_used = false;
        queue->is_signalling = true;
        queue->asked = queue->written;
        struct guest_address place = offset_by(queue->driver, VIRTQ_USED_EVENT_OFFSET(queue->size));
        read_host(place, &queue->used_event, sizeof queue->used_event, READ_EVENT, number, 0);
    }
    if (queue->wants_event && queue->heads_asked == queue->known && writes_are_free(1)) {
        queue->wants_event = false;
        queue->available_event = (uint16_t)queue->known;
        struct guest_address place = offset_by(queue->device, VIRTQ_AVAILABLE_EVENT_OFFSET(queue->size));
        write_host(place, &queue->available_event, sizeof queue->available_event, WRITE_EVENT, number, 0);
    }
}

/* Reads first descriptors of chains; those of consecutive heads are contiguous. */
static void ask_for_descriptors(struct queue *queue, uint32_t number)
{
    while (queue->descriptors_asked != queue->heads_here && reads_are_free(1)) {
        uint32_t first = queue->descriptors_asked % SLOTS, head = queue->heads[first], count = 1;
        uint32_t most = smaller(queue->heads_here - queue->descriptors_asked, SLOTS - first);
        if (head >= queue->size) {
            break_queue(number);
            return;
        }
        while (count < most && queue->heads[first + count] == head + count && head + count < queue->size)
            count++;
        struct guest_address place = offset_by(queue->descriptors, head * sizeof(struct virtq_descriptor));
        read_host(place, &queue->table[first], count * sizeof(struct virtq_descriptor), READ_DESCRIPTORS, number, count);
        queue->descriptors_asked += count;
    }
}

/* Reads ahead as far as there is room. */
TASK(fetch_send_bd) void queue_advance(struct queue *queue, uint32_t number)
{
    if (!queue->is_served)
        return;
    if (queue->wants_look && !queue->is_looking && reads_are_free(1)) {
        queue->wants_look = false;
        queue->is_looking = true;
        /* Flags read before the used index was in host memory may be those of a driver that has not seen it. */
        if (!has_feature(VIRTIO_EVENT_INDEX)) {
            queue->is_signalling = queue->is_used;
            queue->is_used = false;
        }
        read_host(queue->driver, &queue->available, sizeof queue->available, READ_AVAILABLE, number, 0);
    }
    if (has_feature(VIRTIO_EVENT_INDEX))
        exchange_events(queue, number);
    uint32_t room = SLOTS - (queue->heads_asked - queue->written), count = smaller(queue->known - queue->heads_asked, room);
    if (count > 0 && reads_are_free(1)) {
        count = run_from(queue, queue->heads_asked, count);
        uint32_t entry = queue->heads_asked & (queue->size - 1);
        struct guest_address place = offset_by(queue->driver, VIRTQ_RING_OFFSET + entry * sizeof(uint16_t));
        read_host(place, &queue->heads[queue->heads_asked % SLOTS], count * sizeof(uint16_t), READ_HEADS, number, count);
        queue->heads_asked += count;
    }
    ask_for_descriptors(queue, number);
}

/* Writes the used elements that are ready, then the index. The host sees writes in their order. */
TASK(send_dispatch_ordering) void queue_announce(struct queue *queue, uint32_t number)
{
    uint32_t count = queue->completed - queue->announced;
    /* Three writes: a run may end at the end of either ring, and the index follows. */
    if (count == 0 || !writes_are_free(3))
        return;
    for (uint32_t pieces = 0; pieces < 2 && queue->announced != queue->completed; pieces++) {
        uint32_t run = run_from(queue, queue->announced, queue->completed - queue->announced);
        uint32_t entry = queue->announced & (queue->size - 1);
        struct guest_address place =
            offset_by(queue->device, VIRTQ_RING_OFFSET + entry * sizeof(struct virtq_used_element));
        write_host(place, &queue->used[queue->announced % SLOTS], run * sizeof(struct virtq_used_element), WRITE_PIECE, number, 0);
        queue->announced += run;
    }
    count -= queue->completed - queue->announced;
    uint16_t *index = &queue->index_words[queue->indices++ % SLOTS];
    *index = (uint16_t)queue->announced;
    write_host(offset_by(queue->device, VIRTQ_INDEX_OFFSET), index, sizeof *index, WRITE_INDEX, number, count);
}
