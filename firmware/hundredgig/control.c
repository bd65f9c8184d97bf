/*
 * The control queue (virtio 1.2, section 5.1.6.5), on core 0: a chain has bytes to read, in any number of pieces, then a byte for the
 * answer. One command is processed at a time.
 */
#include "hundredgig/nic.h"

#define LONGEST_PIECE 0x10000u

static struct queue *const queue = &queues[CONTROL_QUEUE];
static uint8_t command[COMMAND_BYTES];
static uint32_t bytes;          /* of the command; those beyond COMMAND_BYTES are not read */
static uint32_t pieces;         /* descriptors of the chain until now */
static uint32_t pieces_pending; /* their bytes are not here yet */
static bool is_within_chain, has_chained;
static struct virtq_descriptor chained;
static uint8_t answers[SLOTS];

void control_start(void)
{
    is_within_chain = has_chained = false;
    pieces_pending = 0;
}

void control_chain_came(void) { has_chained = true; }

void control_piece_came(void) { pieces_pending--; }

static void answer(const struct virtq_descriptor *descriptor)
{
    uint32_t place = queue->taken % SLOTS;
    answers[place] = execute_command(command, bytes) ? VIRTIO_COMMAND_DONE : VIRTIO_COMMAND_FAILED;
    write_host(descriptor->address, &answers[place], 1, WRITE_PIECE, CONTROL_QUEUE, 0);
    if (is_packed)
        packed_take(queue, pieces);
    else
        queue->taken++;
    queue->used[place] = (struct virtq_used_element){queue->heads[place], 1};
    queue->completed = queue->taken;
    is_within_chain = false;
}

/* Takes a piece; false if it has to wait for the bytes of those before it. */
static bool take_piece(const struct virtq_descriptor *descriptor)
{
    if (descriptor->flags & VIRTQ_WRITE && pieces_pending)
        return false;
    if (++pieces > SLOTS) {
        break_queue(CONTROL_QUEUE);
        return false;
    }
    if (descriptor->flags & VIRTQ_WRITE) {
        answer(descriptor);
        return true;
    }
    uint32_t length = descriptor->length;
    bool continues = descriptor->flags & VIRTQ_NEXT && (is_packed || descriptor->next < queue->size);
    if (!continues || length == 0 || length > LONGEST_PIECE) {
        break_queue(CONTROL_QUEUE);
        return false;
    }
    uint32_t room = bytes < COMMAND_BYTES ? COMMAND_BYTES - bytes : 0;
    if (room > 0) {
        pieces_pending++;
        read_host(descriptor->address, &command[bytes], length < room ? length : room, READ_CONTROL_PIECE, CONTROL_QUEUE, 0);
    }
    bytes += length;
    if (is_packed)
        return true;
    struct guest_address place = offset_by(queue->descriptors, descriptor->next * sizeof(struct virtq_descriptor));
    read_host(place, &chained, sizeof chained, READ_CONTROL_CHAIN, CONTROL_QUEUE, 0);
    return true;
}

/* Takes the next piece, if it is here. */
static bool advance(void)
{
    if (!reads_are_free(2) || !writes_are_free(1) || !is_live)
        return false;
    if (has_chained) {
        bool is_taken = take_piece(&chained);
        has_chained = !is_taken && queue->is_served;
        return is_taken;
    }
    if (is_within_chain)
        return is_packed && packed_continues(queue, pieces) && take_piece(&queue->table[(queue->taken + pieces) % SLOTS]);
    if (queue->taken == queue->descriptors_here)
        return false;
    is_within_chain = true;
    bytes = pieces = 0;
    return take_piece(&queue->table[queue->taken % SLOTS]);
}

void control_advance(void)
{
    while (advance())
        continue;
}
