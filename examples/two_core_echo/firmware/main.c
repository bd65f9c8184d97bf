/*
 * The firmware of an echo at two ports. Core 0 serves port 0, core 1 port 1. Each port has two rings: the MAC fills the first with
 * frames that are whole, the core copies their descriptors to the second, and the MAC sends them. The frames stay where they are in
 * frame memory until they have left.
 */
#include <stdint.h>

#include "spinach/assists.h"
#include "spinach/intrinsics.h"
#include "spinach/task.h"

#define receive_registers(number) ((struct mac_receive_registers *)(0x20000000u + 0x100u * (number)))
#define transmit_registers(number) ((struct ring_registers *)(0x20000200u + 0x100u * (number)))
#define BUFFER(number) (0x40000000u + 0x80000u * (number))
#define BUFFER_BYTES 0x80000u
#define ALIGNMENT 16u
#define ENTRIES 64u /* of each ring; a power of two */

/* What one core needs for its port. The indices count frames. */
struct port {
    struct receive_descriptor received[ENTRIES];
    struct transmit_descriptor transmits[ENTRIES];
    volatile uint32_t frames_received, frames_sent; /* the assists advance these */
    uint32_t forwarded, freed;
    struct mac_receive_registers *from;
    struct ring_registers *to;
};

static struct port ports[2];

/* Hands the frames that are here to the sending side. */
TASK(send_frame) static void echo(struct port *port)
{
    uint32_t end = port->frames_received;
    if (port->forwarded == end)
        return;
    for (; port->forwarded != end; port->forwarded++) {
        struct receive_descriptor *frame = &port->received[port->forwarded % ENTRIES];
        port->transmits[port->forwarded % ENTRIES] =
            (struct transmit_descriptor){frame->address, RECEIVED_LENGTH(frame->status_length)};
    }
    compiler_barrier(); /* the descriptors before their announcement */
    port->to->producer = end;
}

/* Gives back the memory of the frames that have left. */
TASK(receive_frame) static void free_frames(struct port *port)
{
    uint32_t end = port->frames_sent;
    if (port->freed == end)
        return;
    struct receive_descriptor *last = &port->received[(end - 1) % ENTRIES];
    uint32_t after = last->address + RECEIVED_LENGTH(last->status_length);
    port->from->buffer_consumer = (after + ALIGNMENT - 1) & -ALIGNMENT;
    port->from->ring.consumer = port->freed = end;
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
    struct port *port = &ports[core];
    port->from = receive_registers(core);
    port->to = transmit_registers(core);
    port->from->buffer_base = BUFFER(core);
    port->from->buffer_bytes = BUFFER_BYTES;
    port->from->buffer_consumer = BUFFER(core);
    start_ring(port->to, port->transmits, &port->frames_sent);
    start_ring(&port->from->ring, port->received, &port->frames_received);
    for (;;) {
        echo(port);
        free_frames(port);
    }
}
