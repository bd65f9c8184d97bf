/* Queues of the DMA unit. Each transfer belongs to a context, and its purpose is kept with it, in the order of the queue. */
#include "ricenic/cdna.h"

struct note {
    uint8_t transfer, context;
    uint16_t what; /* descriptors, or a buffer */
};

uint32_t reads_promised, writes_taken;
static struct note reads[QUEUE_ENTRIES], writes[QUEUE_ENTRIES];
static uint32_t reads_asked, reads_come, reads_taken, writes_asked, writes_ended;

/* Number of further reads that fit, besides those reserved. */
uint32_t reads_free(void) { return QUEUE_ENTRIES - (reads_asked - reads_taken) - reads_promised; }

static void ask(struct queue_dma_registers *queue, struct host_address host, uint32_t local, uint32_t bytes)
{
    queue->host_high = host.high;
    queue->host_low = host.low;
    queue->local = local;
    queue->length = bytes;
}

void read_host(struct host_address host, uint32_t local, uint32_t bytes, enum transfer transfer, uint32_t context, uint32_t count)
{
    reads[reads_asked++ % QUEUE_ENTRIES] = (struct note){(uint8_t)transfer, (uint8_t)context, (uint16_t)count};
    CONTEXT(context)->under_way++;
    ask(DMA_READ, host, local, bytes);
}

TASK(idle) bool writes_are_free(uint32_t count) { return writes_asked + count - writes_taken <= QUEUE_ENTRIES; }

uint32_t write_host(struct host_address host, uint32_t local, uint32_t bytes, enum transfer transfer, uint32_t context,
                    uint32_t what)
{
    writes[writes_asked++ % QUEUE_ENTRIES] = (struct note){(uint8_t)transfer, (uint8_t)context, (uint16_t)what};
    CONTEXT(context)->under_way++;
    ask(DMA_WRITE, host, local, bytes);
    return writes_asked;
}

TASK(idle) bool are_transfers_done(void) { return reads_taken == reads_asked && writes_taken == writes_asked; }

TASK(idle) bool have_reads_come(void)
{
    if (reads_taken == reads_asked)
        return false;
    reads_come = DMA_READ->done;
    return reads_taken != reads_come;
}

TASK(idle) bool have_writes_ended(void)
{
    if (writes_taken == writes_asked)
        return false;
    writes_ended = DMA_WRITE->done;
    return writes_taken != writes_ended;
}

/* Handles what has come from the host, in the order in which it was asked for. */
TASK(send_frame) void take_reads(void)
{
    while (reads_taken != reads_come) {
        struct note note = reads[reads_taken++ % QUEUE_ENTRIES];
        CONTEXT(note.context)->under_way--;
        switch (note.transfer) {
        case SEND_DESCRIPTORS:
            reads_promised -= note.what;
            send_descriptors_came(note.context, note.what);
            break;
        case RECEIVE_DESCRIPTORS:
            receive_descriptors_came(note.context, note.what);
            break;
        default:
            piece_came(note.context, note.transfer == LAST_PIECE);
        }
    }
}

TASK(receive_frame) void take_writes(void)
{
    while (writes_taken != writes_ended) {
        struct note note = writes[writes_taken++ % QUEUE_ENTRIES];
        CONTEXT(note.context)->under_way--;
        if (note.transfer == RETURN)
            frame_is_delivered(note.context, note.what);
    }
}
