/*
 * The firmware of a NIC with one core: a loop that looks for each kind of work in turn, and does what there was when it looked, so
 * that every kind gets its turn.
 *
 * Frames to send: descriptor from the host, frame from the host, MAC. Frames received: MAC, frame to the host, descriptor to the
 * host. Each assist completes its ring in order, so everything here is in order, and counters say how far each step is.
 */
#include <stdbool.h>

#include "spinach/assists.h"
#include "spinach/driver.h"
#include "spinach/intrinsics.h"
#include "spinach/task.h"

/* Where starter.py puts these. */
#define mailboxes ((struct { volatile uint32_t send_produced, receive_produced; } *)0x100)
#define host ((struct host_rings *)0x108)
#define dma_read ((struct ring_registers *)0x20000000)
#define dma_write ((struct ring_registers *)0x20000100)
#define mac_transmit ((struct ring_registers *)0x20000200)
#define mac_receive ((struct mac_receive_registers *)0x20000300)
#define interrupt ((struct interrupt_block *)0x20000400)
#define SEND_BUFFER(frame) (0x40000000u + (frame) % ENTRIES * 0x4000u)
#define RECEIVE_BUFFERS 0x40100000u
#define RECEIVE_BUFFERS_BYTES 0x100000u
#define RECEIVE_ALIGNMENT 16u

#define ENTRIES 64u /* of each ring: `depth` in starter.py; a power of two */
static struct dma_descriptor reads[ENTRIES], writes[ENTRIES];
enum { SEND_DESCRIPTOR, SEND_FRAME, RECEIVE_DESCRIPTOR }; /* what a read is for, in the upper half of its length */
static struct transmit_descriptor transmits[ENTRIES];
static struct receive_descriptor received[ENTRIES];
static struct buffer_descriptor send_buffers[ENTRIES], receive_buffers[ENTRIES], returns[ENTRIES];
static uint32_t write_of_return[ENTRIES]; /* how many writes were asked for with that of a frame's return descriptor */
static struct status_words status;

static volatile uint32_t reads_done, writes_done, frames_sent, frames_received; /* the assists advance these */
static uint32_t reads_asked, reads_handled, writes_asked;
static uint32_t send_asked, send_described, send_fetched;                          /* frames to send */
static uint32_t receive_asked, receive_described, receive_returned, receive_freed; /* buffers and frames received */
static uint32_t status_write; /* how many writes were asked for with that of the status */
static bool status_is_under_way;

static void dma(struct ring_registers *assist, struct dma_descriptor *ring, uint32_t *asked, struct dma_descriptor descriptor)
{
    ring[*asked % ENTRIES] = descriptor;
    compiler_barrier(); /* the descriptor before its announcement */
    assist->producer = ++*asked;
}

static void read_host(struct dma_descriptor descriptor) { dma(dma_read, reads, &reads_asked, descriptor); }
static void write_host(struct dma_descriptor descriptor) { dma(dma_write, writes, &writes_asked, descriptor); }

/* For entry `index` of a ring in host memory, whose entries are a power of two. */
static struct dma_descriptor entry(uint32_t high, uint32_t low, uint32_t entries, uint32_t index, const void *local, uint32_t kind)
{
    uint32_t bytes = sizeof(struct buffer_descriptor);
    return (struct dma_descriptor){high, low + (index & (entries - 1)) * bytes, (uint32_t)local, kind << 16 | bytes};
}

static bool read_is_free(void) { return reads_asked - reads_handled < ENTRIES; }
static bool writes_are_free(uint32_t count) { return writes_asked + count - writes_done <= ENTRIES; }

TASK(fetch_send_bd) static void fetch_send_descriptors(void)
{
    uint32_t end = mailboxes->send_produced;
    for (; send_asked != end && send_asked - frames_sent < ENTRIES && read_is_free(); send_asked++)
        read_host(entry(host->send_ring_high, host->send_ring_low, host->send_ring_entries, send_asked,
                        &send_buffers[send_asked % ENTRIES], SEND_DESCRIPTOR));
}

TASK(fetch_receive_bd) static void fetch_receive_descriptors(void)
{
    uint32_t end = mailboxes->receive_produced;
    for (; receive_asked != end && receive_asked - receive_freed < ENTRIES && read_is_free(); receive_asked++)
        read_host(entry(host->receive_ring_high, host->receive_ring_low, host->receive_ring_entries, receive_asked,
                        &receive_buffers[receive_asked % ENTRIES], RECEIVE_DESCRIPTOR));
}

/* Handles what has come from the host, in the order in which it was asked for. */
TASK(send_frame) static void handle_reads(void)
{
    uint32_t end = reads_done;
    while (reads_handled != end) {
        uint32_t kind = reads[reads_handled++ % ENTRIES].flags_length >> 16;
        if (kind == SEND_DESCRIPTOR) {
            struct buffer_descriptor *buffer = &send_buffers[send_described % ENTRIES];
            read_host((struct dma_descriptor){buffer->host_high, buffer->host_low, SEND_BUFFER(send_described++),
                                              SEND_FRAME << 16 | BD_LENGTH(buffer->flags_length)});
        } else if (kind == SEND_FRAME) {
            uint32_t slot = send_fetched % ENTRIES;
            transmits[slot] = (struct transmit_descriptor){SEND_BUFFER(slot), BD_LENGTH(send_buffers[slot].flags_length)};
            compiler_barrier();
            mac_transmit->producer = ++send_fetched;
        } else {
            receive_described++;
        }
    }
}

/* Writes frames that have come to the host's buffers, and behind each its return descriptor. */
TASK(receive_frame) static void return_frames(void)
{
    uint32_t end = frames_received;
    for (; receive_returned != end && receive_returned != receive_described && writes_are_free(2); receive_returned++) {
        uint32_t slot = receive_returned % ENTRIES;
        struct buffer_descriptor *buffer = &receive_buffers[slot];
        uint32_t length = RECEIVED_LENGTH(received[slot].status_length);
        returns[slot] = (struct buffer_descriptor){buffer->host_high, buffer->host_low, BD_END | length, buffer->opaque};
        write_host((struct dma_descriptor){buffer->host_high, buffer->host_low, received[slot].address, length});
        write_host(entry(host->return_ring_high, host->return_ring_low, host->return_ring_entries, receive_returned, &returns[slot], 0));
        write_of_return[slot] = writes_asked;
    }
}

/* Gives the MAC back the memory of frames that the host has. */
TASK(receive_dispatch_ordering) static void free_frames(void)
{
    while (receive_freed != receive_returned && (int32_t)(writes_done - write_of_return[receive_freed % ENTRIES]) >= 0) {
        struct receive_descriptor *frame = &received[receive_freed % ENTRIES];
        uint32_t end = frame->address + RECEIVED_LENGTH(frame->status_length);
        mac_receive->buffer_consumer = (end + RECEIVE_ALIGNMENT - 1) & -RECEIVE_ALIGNMENT;
        mac_receive->ring.consumer = ++receive_freed;
    }
}

/*
 * Writes to the host how far sending and receiving are; when that is there, interrupts. The status must not change while its
 * write is under way: the host would hear of frames whose return descriptors are written after it.
 */
TASK(send_dispatch_ordering) static void tell_host(void)
{
    if (status_is_under_way && (int32_t)(writes_done - status_write) >= 0) {
        status_is_under_way = false;
        interrupt->raise = 1;
    }
    bool is_news = status.send_bd_consumed != frames_sent || status.receive_returned != receive_returned;
    if (is_news && !status_is_under_way && writes_are_free(1)) {
        status.send_bd_consumed = frames_sent;
        status.receive_returned = receive_returned;
        write_host((struct dma_descriptor){host->status_high, host->status_low, (uint32_t)&status, sizeof status});
        status_write = writes_asked;
        status_is_under_way = true;
    }
}

static void start_ring(struct ring_registers *ring, void *base, volatile uint32_t *progress)
{
    ring->ring_base = (uint32_t)base;
    ring->ring_entries = ENTRIES;
    ring->progress_address = (uint32_t)progress;
    ring->control = ASSIST_ENABLE;
}

int core_main(uint32_t core)
{
    (void)core;
    while (host->ready != HOST_RINGS_READY)
        ;
    mac_receive->buffer_base = RECEIVE_BUFFERS;
    mac_receive->buffer_bytes = RECEIVE_BUFFERS_BYTES;
    mac_receive->buffer_consumer = RECEIVE_BUFFERS;
    start_ring(dma_read, reads, &reads_done);
    start_ring(dma_write, writes, &writes_done);
    start_ring(mac_transmit, transmits, &frames_sent);
    start_ring(&mac_receive->ring, received, &frames_received);
    for (;;) {
        fetch_receive_descriptors(); /* first, as frames to send can wait */
        fetch_send_descriptors();
        handle_reads();
        return_frames();
        free_frames();
        tell_host();
    }
}
