/*
 * The firmware of the starter NIC, which also checks the IPv4 header of every frame received: see check_header.
 *
 * Frames to send: descriptor from the host, frame from the host, MAC. Frames received: MAC, frame to the host, descriptor to the
 * host. Each assist completes its ring in order, so everything here is in order, and counters say how far each step is.
 */
#include "spinach/card.h"
#include "spinach/rings.h"
#include "spinach/task.h"

/* Addresses that checksum.py uses. */
#define mailboxes ((struct { volatile uint32_t send_produced, receive_produced; } *)MAILBOXES)
#define host ((struct host_rings *)HOST_RINGS)
#define mac_transmit ((struct ring_registers *)MAC_TRANSMIT_REGISTERS)
#define mac_receive ((struct mac_receive_registers *)MAC_RECEIVE_REGISTERS)
#define interrupt ((struct interrupt_block *)INTERRUPT_REGISTERS)
#define SEND_BUFFER(frame) (FRAME_MEMORY + (frame) % RING_ENTRIES * 0x4000u)
#define RECEIVE_BUFFERS (FRAME_MEMORY + FRAME_MEMORY_BYTES / 2)
#define RECEIVE_BUFFERS_BYTES (FRAME_MEMORY_BYTES / 2)
#define RECEIVE_ALIGNMENT 16u
static struct dma_ring reads = {.assist = (struct ring_registers *)DMA_READ_REGISTERS};
static struct dma_ring writes = {.assist = (struct ring_registers *)DMA_WRITE_REGISTERS};

/* Frames from the host to the network, and how many of them have come how far. */
static struct buffer_ring sends;
static uint32_t send_reads[RING_ENTRIES]; /* marks of the DMA reads of frames */
static struct mac_descriptor transmits[RING_ENTRIES];
static uint32_t send_described, send_fetched;
static volatile uint32_t frames_sent; /* the MAC counts */

/* Frames from the network to the host. */
static struct buffer_ring receives;
static struct mac_descriptor received[RING_ENTRIES];
static struct buffer_descriptor returns[RING_ENTRIES];
static uint32_t return_writes[RING_ENTRIES]; /* marks of the DMA writes of `returns` */
static uint32_t receive_returned, receive_freed;
static volatile uint32_t frames_received; /* the MAC counts */

static struct status_words status;
static uint32_t status_write; /* the mark of its last DMA write */
static bool interrupt_is_due;

TASK(fetch_send_bd) static void fetch_send_descriptors(void)
{
    buffers_fetch(&sends, &reads, &host->send, mailboxes->send_produced, frames_sent);
}

TASK(fetch_receive_bd) static void fetch_receive_descriptors(void)
{
    buffers_fetch(&receives, &reads, &host->receive, mailboxes->receive_produced, receive_freed);
}

TASK(send_frame) static void fetch_frames(void)
{
    const struct buffer_descriptor *buffer;
    while (dma_has_room(&reads, 1) && (buffer = buffer_at(&sends, &reads, send_described)) != NULL) {
        uint32_t slot = send_described++ % RING_ENTRIES;
        send_reads[slot] = dma_copy(&reads, buffer->address, SEND_BUFFER(slot), BD_LENGTH(buffer->flags_length));
    }
}

TASK(send_frame) static void transmit_frames(void)
{
    while (send_fetched != send_described && dma_is_done(&reads, send_reads[send_fetched % RING_ENTRIES])) {
        uint32_t slot = send_fetched++ % RING_ENTRIES;
        transmits[slot] = (struct mac_descriptor){SEND_BUFFER(slot), BD_LENGTH(sends.buffers[slot].flags_length)};
        ring_announce(mac_transmit, send_fetched);
    }
}

static volatile uint32_t headers_right, headers_wrong; /* read from outside when the run has ended */

/*
 * Counts whether the IPv4 header of a frame is right. The frame begins at a multiple of 16; the header begins at byte 14, so 16 bits at
 * a time: their sum, with the carries added in again, is all ones.
 */
static void check_header(uint32_t frame)
{
    const uint16_t *words = (const uint16_t *)(frame + 14);
    if (*(const uint16_t *)(frame + 12) != 0x0800)
        return;
    uint32_t sum = 0;
    uint32_t length = (words[0] >> 8 & 15) * 2;
    for (uint32_t i = 0; i < length; i++)
        sum += words[i];
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    if (sum == 0xffff)
        headers_right++;
    else
        headers_wrong++;
}

/* Writes frames that have come to the host's buffers, and behind each its return descriptor. */
TASK(receive_frame) static void return_frames(void)
{
    uint32_t end = ring_completed(&frames_received);
    const struct buffer_descriptor *buffer;
    while (receive_returned != end && dma_has_room(&writes, 2) && (buffer = buffer_at(&receives, &reads, receive_returned)) != NULL) {
        uint32_t slot = receive_returned % RING_ENTRIES;
        uint32_t length = RECEIVED_LENGTH(received[slot].status_length);
        check_header(received[slot].address);
        returns[slot] = (struct buffer_descriptor){buffer->address, BD_END | length, buffer->opaque};
        dma_copy(&writes, buffer->address, received[slot].address, length);
        struct host_address entry = host_ring_entry(&host->returned, receive_returned++);
        return_writes[slot] = dma_copy(&writes, entry, (uint32_t)&returns[slot], sizeof returns[slot]);
    }
}

/* Gives the MAC back the memory of frames that the host has. */
TASK(receive_dispatch_ordering) static void free_frames(void)
{
    while (receive_freed != receive_returned && dma_is_done(&writes, return_writes[receive_freed % RING_ENTRIES])) {
        const struct mac_descriptor *frame = &received[receive_freed++ % RING_ENTRIES];
        receive_free(mac_receive, frame, RECEIVE_ALIGNMENT, receive_freed);
    }
}

/*
 * Writes to the host how far sending and receiving are; when that is there, interrupts. The status must not change while its
 * write is under way: the host would learn of frames whose return descriptors are written after it.
 */
TASK(send_dispatch_ordering) static void tell_host(void)
{
    if (!dma_is_done(&writes, status_write) || !dma_has_room(&writes, 1))
        return;
    if (interrupt_is_due)
        interrupt->raise = 1;
    interrupt_is_due = status.send_bd_consumed != frames_sent || status.receive_returned != receive_returned;
    if (interrupt_is_due) {
        status.send_bd_consumed = frames_sent;
        status.receive_returned = receive_returned;
        status_write = dma_copy(&writes, host->status, (uint32_t)&status, sizeof status);
    }
}

int core_main(uint32_t core)
{
    (void)core;
    while (host->ready != HOST_RINGS_READY)
        spin_pause();
    dma_start(&reads);
    dma_start(&writes);
    ring_start(mac_transmit, transmits, RING_ENTRIES, &frames_sent);
    receive_start(mac_receive, RECEIVE_BUFFERS, RECEIVE_BUFFERS_BYTES, received, RING_ENTRIES, &frames_received);
    for (;;) {
        fetch_receive_descriptors(); /* first, as frames to send can wait */
        fetch_send_descriptors();
        fetch_frames();
        transmit_frames();
        return_frames();
        free_frames();
        tell_host();
    }
}
