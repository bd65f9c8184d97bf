/*
 * The control queue (virtio 1.2, section 5.1.6.5), on core 0: a chain has bytes to read, in any number of pieces, then a byte for the
 * answer. One command is processed at a time.
 */
#include "hundredgig/nic.h"

#define COMMAND_BYTES 64u

static struct queue *const queue = &queues[CONTROL_QUEUE];
static uint8_t command[COMMAND_BYTES];
static uint32_t bytes;    /* of the command */
static uint32_t pieces;   /* descriptors of the chain so far */
static bool is_within_chain, has_chained;
static struct virtq_descriptor chained;
static uint8_t answers[SLOTS];

void control_start(void) { is_within_chain = has_chained = false; }

static uint32_t execute(void)
{
    uint32_t pairs = command[2] | (uint32_t)command[3] << 8;
    bool sets_pairs = bytes == 4 && command[0] == VIRTIO_CLASS_MULTIQUEUE && command[1] == VIRTIO_SET_PAIRS;
    if (!sets_pairs || pairs == 0 || pairs > CORES)
        return VIRTIO_COMMAND_FAILED;
    STEERING->lanes = pairs;
    return VIRTIO_COMMAND_DONE;
}

/* The descriptor is here, and all bytes of those before it. */
static void take_piece(const struct virtq_descriptor *descriptor)
{
    if (++pieces > COMMAND_BYTES) {
        break_device();
        return;
    }
    if (descriptor->flags & VIRTQ_WRITE) {
        uint32_t place = queue->taken % SLOTS;
        answers[place] = (uint8_t)execute();
        write_host(descriptor->address, &answers[place], 1, WRITE_PIECE, CONTROL_QUEUE, 0);
        if (is_packed)
            packed_take(queue, pieces);
        else
            queue->taken++;
        queue->used[place] = (struct virtq_used_element){queue->heads[place], 1};
        queue->completed = queue->taken;
        is_within_chain = false;
        return;
    }
    uint32_t length = descriptor->length;
    bool continues = descriptor->flags & VIRTQ_NEXT && (is_packed || descriptor->next < queue->size);
    if (!continues || length == 0 || length > COMMAND_BYTES - bytes) {
        break_device();
        return;
    }
    read_host(descriptor->address, &command[bytes], length, READ_PIECE, CONTROL_QUEUE, 0);
    bytes += length;
    if (is_packed)
        return;
    struct guest_address place = offset_by(queue->descriptors, descriptor->next * sizeof(struct virtq_descriptor));
    read_host(place, &chained, sizeof chained, READ_CONTROL_CHAIN, CONTROL_QUEUE, 0);
}

void control_chain_came(void) { has_chained = true; }

void control_advance(void)
{
    if (!reads_are_free(2) || !writes_are_free(1) || !is_live)
        return;
    if (has_chained) {
        has_chained = false;
        take_piece(&chained);
    } else if (is_within_chain && is_packed && packed_continues(queue, pieces)) {
        take_piece(&queue->table[(queue->taken + pieces) % SLOTS]);
    } else if (!is_within_chain && queue->taken != queue->descriptors_here) {
        is_within_chain = true;
        bytes = pieces = 0;
        take_piece(&queue->table[queue->taken % SLOTS]);
    }
}
