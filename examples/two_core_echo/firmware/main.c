/*
 * The firmware of an echo at two ports. Core 0 serves port 0, core 1 port 1. Each port has two rings: the MAC fills the first with
 * frames that are whole, the core copies their descriptors to the second, and the MAC sends them. The frames stay where they are in
 * frame memory until they have left.
 */
#include "spinach/card.h"
#include "spinach/rings.h"
#include "spinach/task.h"

#define receive_registers(number) ((struct mac_receive_registers *)(RECEIVE_REGISTERS + REGISTERS_BYTES * (number)))
#define transmit_registers(number) ((struct ring_registers *)(TRANSMIT_REGISTERS + REGISTERS_BYTES * (number)))
#define BUFFER(number) (FRAME_MEMORY + BUFFER_BYTES * (number))
#define BUFFER_BYTES (FRAME_MEMORY_BYTES / 2)
#define ALIGNMENT 16u

/* State of one core for its port. The indices count frames. */
struct port {
    struct mac_descriptor received[RING_ENTRIES];
    struct mac_descriptor transmits[RING_ENTRIES];
    volatile uint32_t frames_received, frames_sent; /* the assists advance these */
    uint32_t forwarded, freed;
    struct mac_receive_registers *from;
    struct ring_registers *to;
};

static struct port ports[2];

/* Hands the frames that are here to the sending side. */
TASK(send_frame) static void echo(struct port *port)
{
    uint32_t end = ring_completed(&port->frames_received);
    if (port->forwarded == end)
        return;
    for (; port->forwarded != end; port->forwarded++) {
        struct mac_descriptor *frame = &port->received[port->forwarded % RING_ENTRIES];
        port->transmits[port->forwarded % RING_ENTRIES] =
            (struct mac_descriptor){frame->address, RECEIVED_LENGTH(frame->status_length)};
    }
    ring_announce(port->to, end);
}

/* Gives back the memory of the frames that have left. */
TASK(receive_frame) static void free_frames(struct port *port)
{
    uint32_t end = ring_completed(&port->frames_sent);
    if (port->freed == end)
        return;
    receive_free(port->from, &port->received[(end - 1) % RING_ENTRIES], ALIGNMENT, end);
    port->freed = end;
}

int core_main(uint32_t core)
{
    struct port *port = &ports[core];
    port->from = receive_registers(core);
    port->to = transmit_registers(core);
    ring_start(port->to, port->transmits, RING_ENTRIES, &port->frames_sent);
    receive_start(port->from, BUFFER(core), BUFFER_BYTES, port->received, RING_ENTRIES, &port->frames_received);
    for (;;) {
        echo(port);
        free_frames(port);
    }
}
