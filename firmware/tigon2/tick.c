/* Work of core A at every tick of core B: it follows what has left, and looks at its deadlines. */
#include "tigon2/events.h"
#include "tigon2/functions.h"
#include "tigon2/task.h"
#include "tigon2/transmit.h"

/* Counts the frames that have left, and with that frees their places: until then their data stays where it is. */
TASK(send_frame) void send_follow(void)
{
    struct send_state *send = send_state();
    uint32_t consumer = SEND_RING_SENT;
    uint32_t ring = consumer & ~(TRANSMIT_RING_BYTES - 1);
    uint32_t left = (consumer - ring) / sizeof(struct mac_descriptor);
    uint32_t index = send->frames_left;
    while (index != left) {
        const struct mac_descriptor *frame = (const struct mac_descriptor *)(uintptr_t)(ring + index * sizeof *frame);
        count_frame(send, frame->address);
        octets_add(&send->octets, bytes_on_the_wire(frame));
        send->place_left = frame_end(send, frame);
        index = (index + 1) & (TRANSMIT_FRAMES - 1);
    }
    send->frames_left = index;
}

TASK(send_dispatch_ordering) void handle_tick(void)
{
    send_events_clear(EVENT_BIT(EVENT_TICK));
    send_follow();
    send_report(send_state()->is_urgent);
    if ((int32_t)(TIMER - TIMER_REFERENCE_A) >= 0)
        handle_timers();
}
