/* The queues of the DMA unit: reads of host memory, each for some purpose, and writes. */
#include "ricenic/nic.h"

static OF_SENDER struct {
    uint8_t kind, count;
} reads[QUEUE_ENTRIES]; /* what each read is for */
static OF_SENDER uint32_t reads_asked, reads_come, reads_handled;
static OF_RECEIVER uint32_t writes_asked, writes_seen;

/* There is room: each read is for another descriptor of at most SEND_LIMIT to send, or the one for buffers. */
void read_host(struct host_address host, uint32_t local, uint32_t bytes, enum read_kind kind, uint32_t count)
{
    uint32_t slot = reads_asked++ % QUEUE_ENTRIES;
    reads[slot].kind = (uint8_t)kind;
    reads[slot].count = (uint8_t)count;
    DMA_READ->host_high = host.high;
    DMA_READ->host_low = host.low;
    DMA_READ->local = local;
    DMA_READ->length = bytes;
}

TASK(idle) bool are_reads_done(void) { return reads_handled == reads_asked; }

TASK(idle) bool have_reads_come(void)
{
    if (reads_handled == reads_asked)
        return false;
    reads_come = DMA_READ->done;
    return reads_handled != reads_come;
}

/* Handles what has come from the host, in the order in which it was asked for. */
TASK(send_frame) void take_reads(void)
{
    while (reads_handled != reads_come) {
        uint32_t slot = reads_handled++ % QUEUE_ENTRIES;
        uint32_t count = reads[slot].count;
        switch (reads[slot].kind) {
        case READ_SEND_DESCRIPTORS:
            send_descriptors_came(count);
            break;
        case READ_RECEIVE_DESCRIPTORS:
            receive_descriptors_came(count);
            break;
        default:
            send_piece_came();
        }
    }
}

/* `count` writes fit into the queue. Looks at the queue only if those that it knows to be done do not suffice. */
bool writes_are_free(uint32_t count)
{
    return writes_asked + count - writes_seen <= QUEUE_ENTRIES || writes_asked + count - writes_done() <= QUEUE_ENTRIES;
}

uint32_t write_host(struct host_address host, uint32_t local, uint32_t bytes)
{
    DMA_WRITE->host_high = host.high;
    DMA_WRITE->host_low = host.low;
    DMA_WRITE->local = local;
    DMA_WRITE->length = bytes;
    return ++writes_asked;
}

uint32_t writes_so_far(void) { return writes_asked; }

TASK(idle) uint32_t writes_done(void)
{
    if (writes_seen != writes_asked)
        writes_seen = DMA_WRITE->done;
    return writes_seen;
}

/*
 * Reads up to `count` entries of a ring of the driver, from `index` on, into a ring of SLOTS entries on the chip: as many as lie
 * one behind the other in both. Returns how many.
 */
uint32_t read_entries(const struct host_ring *ring, uint32_t index, uint32_t count, struct buffer_descriptor *local,
                      enum read_kind kind)
{
    uint32_t to_end = ring->entries - (index & (ring->entries - 1)), slot = index % SLOTS;
    if (count > to_end)
        count = to_end;
    if (count > SLOTS - slot)
        count = SLOTS - slot;
    uint32_t bytes = count * sizeof(struct buffer_descriptor);
    read_host(host_ring_entry(ring, index), (uint32_t)&local[slot], bytes, kind, count);
    return count;
}

/* Lets this core read entries that the DMA unit has written: `count` of them from `index` on. */
void forget_entries(const struct buffer_descriptor *local, uint32_t index, uint32_t count)
{
    uint32_t slot = index % SLOTS, first = count < SLOTS - slot ? count : SLOTS - slot;
    invalidate_range(&local[slot], first * sizeof *local);
    if (first < count)
        invalidate_range(local, (count - first) * sizeof *local);
}
