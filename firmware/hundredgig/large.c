/*
 * Large sends: chains longer than a slot. Their first pieces, which hold all or part of the headers, may be in the slot of the chain; the
 * others are read into one of a few large buffers, one after the other.
 */
#include "hundredgig/nic.h"

#define LARGEST_READ 0x8000u /* bytes of a transfer */

struct large {
    uint32_t frame; /* counter of the chain */
    uint32_t small; /* bytes in its slot */
    uint32_t bytes; /* bytes in the buffer */
};

static struct large sends[LARGE_SENDS];
static uint32_t taken;    /* large sends that a buffer was given to */
static uint32_t released; /* those whose buffer is free again */
static uint32_t arrived;  /* those whose bytes are all here */
static bool is_within;    /* the last one awaits further pieces */

static uint8_t *buffer_of(uint32_t number) { return (uint8_t *)(LARGE_BUFFERS + number % LARGE_SENDS * LARGE_BYTES); }

void large_stop(void)
{
    taken = released = arrived = 0;
    is_within = false;
}

/* Gives chain `frame`, which has `small` bytes in its slot, a buffer; false if none is free. */
static bool take_buffer(uint32_t frame, uint32_t small)
{
    while (released != taken && (int32_t)(frames_released() - sends[released % LARGE_SENDS].frame) > 0)
        released++;
    if (taken - released == LARGE_SENDS)
        return false;
    sends[taken++ % LARGE_SENDS] = (struct large){.frame = frame, .small = small};
    return true;
}

/* Reads a piece of chain `frame` that does not fit into its slot. The slot, in which `small` bytes are, takes no further ones. */
enum large_piece large_take(const struct virtq_descriptor *descriptor, uint32_t frame, uint32_t small, bool is_last)
{
    uint32_t length = descriptor->length;
    if (!(has_feature(VIRTIO_NET_HOST_TSO4) || has_feature(VIRTIO_NET_HOST_TSO6)) || length > LARGE_BYTES)
        return LARGE_INVALID;
    if (!reads_are_free(LARGE_BYTES / LARGEST_READ + 2) || (!is_within && !take_buffer(frame, small)))
        return LARGE_WAITS;
    is_within = !is_last;
    uint32_t number = taken - 1;
    struct large *send = &sends[number % LARGE_SENDS];
    if (length > LARGE_BYTES - send->bytes)
        return LARGE_INVALID;
    struct guest_address host = descriptor->address;
    for (uint32_t part; length > 0; length -= part) {
        part = length < LARGEST_READ ? length : LARGEST_READ;
        read_host(host, buffer_of(number) + send->bytes, part, is_last && part == length ? READ_LAST_PIECE : READ_PIECE, SEND_QUEUE, 0);
        host = offset_by(host, part);
        send->bytes += part;
    }
    return LARGE_TAKEN;
}

/* Returns the parts of a chain that has arrived: in its slot, and if it is a large send, in its buffer. */
struct parts large_parts(uint32_t frame, const uint8_t *slot, uint32_t bytes)
{
    const struct large *send = &sends[arrived % LARGE_SENDS];
    if (arrived == taken || send->frame != frame)
        return (struct parts){{{slot, bytes}, {slot, 0}}};
    return (struct parts){{{slot, send->small}, {buffer_of(arrived++), send->bytes}}};
}
