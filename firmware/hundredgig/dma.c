/* Queues of the DMA units, and the purpose of each transfer. */
#include "hundredgig/nic.h"

struct purpose {
    uint8_t kind, queue;
    uint16_t count;
};

static struct purpose reads[SLOTS], writes[SLOTS];
static uint32_t reads_asked, reads_handled, reads_faulty;
static uint32_t writes_asked, writes_handled, writes_faulty;

bool reads_are_free(uint32_t count) { return reads_asked + count - reads_handled <= SLOTS; }
bool writes_are_free(uint32_t count) { return writes_asked + count - writes_handled <= SLOTS; }
bool is_dma_quiet(void) { return reads_asked == reads_handled && writes_asked == writes_handled; }

static bool is_among(const struct purpose *purposes, uint32_t from, uint32_t to, uint32_t queue)
{
    for (; from != to; from++)
        if (purposes[from % SLOTS].queue == queue)
            return true;
    return false;
}

bool has_transfers(uint32_t queue)
{
    return is_among(reads, reads_handled, reads_asked, queue) || is_among(writes, writes_handled, writes_asked, queue);
}

void forget_reads(uint32_t queue)
{
    for (uint32_t read = reads_handled; read != reads_asked; read++) {
        struct purpose *purpose = &reads[read % SLOTS];
        if (purpose->queue == queue && purpose->kind != READ_LAST_PIECE)
            purpose->kind = READ_FORGOTTEN;
    }
}

/* Breaks the queue of a read that failed. What it has read since is not complete either. */
static void read_failed(uint32_t failed)
{
    uint32_t queue = reads[failed % SLOTS].queue;
    for (uint32_t read = failed; read != reads_asked; read++)
        if (reads[read % SLOTS].queue == queue)
            reads[read % SLOTS].kind = READ_FORGOTTEN;
    break_queue(queue);
}

/* Breaks the queue of a write that failed. If it was a piece of a received frame, the frame is lost. */
static void write_failed(uint32_t failed)
{
    uint32_t queue = writes[failed % SLOTS].queue, write = failed;
    while (write != writes_asked && (writes[write % SLOTS].queue != queue || writes[write % SLOTS].kind == WRITE_PIECE))
        write++;
    if (write != writes_asked && writes[write % SLOTS].kind == WRITE_LAST_PIECE)
        writes[write % SLOTS].kind = WRITE_LOST_PIECE;
    break_queue(queue);
}

/* The caller has checked that there is room. */
void read_host(struct guest_address host, const volatile void *local, uint32_t bytes, enum read_kind kind, uint32_t queue,
               uint32_t count)
{
    reads[reads_asked++ % SLOTS] = (struct purpose){(uint8_t)kind, (uint8_t)queue, (uint16_t)count};
    DMA_READ->host_high = host.high;
    DMA_READ->host_low = host.low;
    DMA_READ->local = (uint32_t)local;
    DMA_READ->length = bytes;
}

/* The caller has checked that there is room. */
void write_host(struct guest_address host, const volatile void *local, uint32_t bytes, enum write_kind kind, uint32_t queue,
                uint32_t count)
{
    writes[writes_asked++ % SLOTS] = (struct purpose){(uint8_t)kind, (uint8_t)queue, (uint16_t)count};
    DMA_WRITE->host_high = host.high;
    DMA_WRITE->host_low = host.low;
    DMA_WRITE->local = (uint32_t)local;
    DMA_WRITE->length = bytes;
}

static void read_came(const struct purpose *purpose)
{
    struct queue *queue = &queues[purpose->queue];
    switch (purpose->kind) {
    case READ_AVAILABLE:
        queue_available_came(queue);
        if (purpose->queue == RECEIVE_QUEUE)
            receive_begin();
        break;
    case READ_EVENT:
        if (is_packed)
            packed_event_came(queue);
        else
            queue_event_came(queue);
        break;
    case READ_HEADS:
        queue->heads_here += purpose->count;
        break;
    case READ_DESCRIPTORS:
        if (is_packed) {
            packed_came(queue);
            if (purpose->queue == RECEIVE_QUEUE)
                receive_begin();
        } else {
            queue->descriptors_here += purpose->count;
        }
        break;
    case READ_CHAIN:
        send_chain_came();
        break;
    case READ_CONTROL_PIECE:
        control_piece_came();
        break;
    case READ_CONTROL_CHAIN:
        control_chain_came();
        break;
    case READ_LAST_PIECE:
        send_frame_came();
        break;
    default:
        break;
    }
}

/* Handles completed reads, in their order. */
TASK(send_frame) void take_reads(void)
{
    uint32_t done = DMA_READ->done, failed = DMA_READ->failed;
    for (; reads_faulty != failed; reads_faulty++)
        read_failed(DMA_READ->fault);
    while (reads_handled != done) {
        const struct purpose *purpose = &reads[reads_handled++ % SLOTS];
        if (is_live)
            read_came(purpose);
    }
}

/* Handles completed writes. Buffers return to the MAC even if no driver is active. */
TASK(receive_frame) void take_writes(void)
{
    uint32_t done = DMA_WRITE->done, failed = DMA_WRITE->failed;
    for (; writes_faulty != failed; writes_faulty++)
        write_failed(DMA_WRITE->fault);
    while (writes_handled != done) {
        const struct purpose *purpose = &writes[writes_handled++ % SLOTS];
        if (purpose->kind == WRITE_LAST_PIECE) {
            give_back_buffer(purpose->count);
        } else if (purpose->kind == WRITE_LOST_PIECE) {
            lose_buffer(purpose->count);
        } else if (purpose->kind == WRITE_INDEX) {
            struct queue *queue = &queues[purpose->queue];
            queue->written += purpose->count;
            queue->is_used = true;
            /* The flags of a split ring come with its index. */
            queue->wants_look |= !is_packed;
        } else if (purpose->kind == WRITE_EVENT) {
            /* The driver may have made chains available before it could see the event index. */
            queues[purpose->queue].wants_look = true;
        }
    }
}
