/*
 * The firmware of a bridge between two ports. Each way has two rings: the MAC of one port fills the first with frames that are whole,
 * the core copies their descriptors to the second, and the MAC of the other port sends them.
 */
#include "spinach/card.h"
#include "spinach/rings.h"
#include "spinach/task.h"

#define receive_registers(port) ((struct mac_receive_registers *)(RECEIVE_REGISTERS + REGISTERS_BYTES * (port)))
#define transmit_registers(port) ((struct ring_registers *)(TRANSMIT_REGISTERS + REGISTERS_BYTES * (port)))
#define BUFFER_BYTES (FRAME_MEMORY_BYTES / 2)
#define BUFFER(port) (FRAME_MEMORY + BUFFER_BYTES * (port))
#define ALIGNMENT 16u

/* From one port to the other. The indices count frames. */
struct way {
    struct mac_descriptor received[RING_ENTRIES];
    struct mac_descriptor transmits[RING_ENTRIES];
    volatile uint32_t frames_received, frames_sent; /* the assists advance these */
    uint32_t forwarded, freed;
    struct mac_receive_registers *from;
    struct ring_registers *to;
};

static struct way ways[2];

/* Hands the frames that are here to the other port. */
TASK(send_frame) static void forward(struct way *way)
{
    uint32_t end = ring_completed(&way->frames_received);
    if (way->forwarded == end)
        return;
    for (; way->forwarded != end; way->forwarded++) {
        uint32_t slot = way->forwarded % RING_ENTRIES;
        struct mac_descriptor *frame = &way->received[slot];
        way->transmits[slot] = (struct mac_descriptor){frame->address, RECEIVED_LENGTH(frame->status_length)};
    }
    ring_announce(way->to, end);
}

/* Gives back the memory of the frames that have left. */
TASK(receive_frame) static void free_frames(struct way *way)
{
    uint32_t end = ring_completed(&way->frames_sent);
    if (way->freed == end)
        return;
    receive_free(way->from, &way->received[(end - 1) % RING_ENTRIES], ALIGNMENT, end);
    way->freed = end;
}

int core_main(uint32_t core)
{
    (void)core;
    for (uint32_t port = 0; port < 2; port++) {
        struct way *way = &ways[port];
        way->from = receive_registers(port);
        way->to = transmit_registers(1 - port);
        ring_start(way->to, way->transmits, RING_ENTRIES, &way->frames_sent);
        receive_start(way->from, BUFFER(port), BUFFER_BYTES, way->received, RING_ENTRIES, &way->frames_received);
    }
    for (;;) {
        for (uint32_t port = 0; port < 2; port++) {
            forward(&ways[port]);
            free_frames(&ways[port]);
        }
    }
}
