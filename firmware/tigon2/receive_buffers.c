/*
 * Receive descriptors of the host, kept here in full: a place is written again only after the host has had its frame and filled it in
 * anew, so nothing has to be asked before fetching.
 */
#include "tigon2/events.h"
#include "tigon2/functions.h"
#include "tigon2/task.h"

#define DESCRIPTORS_PER_READ 16

/* Position of a ring, for the core that sends to fetch its descriptors. */
struct fetch_ring {
    uint32_t host_high;
    uint32_t host_low;
    uint32_t local;
    uint32_t mask;
    uint32_t shift;
    uint32_t produced;
    uint32_t requested;
};

static struct fetch_ring fetch_rings[RECEIVE_RINGS];
static uint32_t jumbo_arrived; /* as this core has it; the other begins anew later */
static bool jumbo_reset_waits;

void receive_fetch_start(uint32_t ring, const struct ring_control *control, uint32_t offset, uint32_t entries, uint32_t shift)
{
    struct fetch_ring *fetch = &fetch_rings[ring];
    fetch->host_high = control->host_high;
    fetch->host_low = control->host_low;
    fetch->local = descriptors + offset;
    fetch->mask = ring_flags(control) & RING_DISABLED ? 0 : entries - 1;
    fetch->shift = shift;
    fetch->produced = fetch->requested = 0;
}

/*
 * Forgets the buffers of the host, which begins again at 0 once both cores have confirmed this. Descriptors that were asked for come first,
 * so that they are not taken for new ones.
 */
void receive_reset_jumbo(void)
{
    struct fetch_ring *fetch = &fetch_rings[JUMBO];
    jumbo_reset_waits = fetch->requested != jumbo_arrived;
    if (jumbo_reset_waits)
        return;
    fetch->produced = fetch->requested = jumbo_arrived = 0;
    cross.jumbo_is_reset = 1;
    host_event(EVENT_JUMBO_RESET);
}

void receive_jumbo_arrived(uint32_t arrived)
{
    jumbo_arrived = arrived;
    if (jumbo_reset_waits)
        receive_reset_jumbo();
}

/* Asks for what the host has filled in. */
static inline void fetch(struct send_state *send, uint32_t ring)
{
    struct fetch_ring *fetch = &fetch_rings[ring];
    uint32_t requested = fetch->requested;
    uint32_t produced = fetch->produced;
    while (requested != produced) {
        uint32_t pointer = reads_place();
        if (pointer == 0) {
            send_events_set(EVENT_BIT(EVENT_FETCH_RECEIVE));
            break;
        }
        uint32_t end = produced > requested ? produced : fetch->mask + 1;
        uint32_t count = end - requested;
        if (count > DESCRIPTORS_PER_READ)
            count = DESCRIPTORS_PER_READ;
        struct dma_descriptor *dma = dma_at(pointer);
        uint32_t offset = requested << fetch->shift;
        requested = (requested + count) & fetch->mask;
        dma->host_high = fetch->host_high;
        dma->host_low = fetch->host_low + offset;
        dma->local = fetch->local + offset;
        dma->length = count << fetch->shift;
        dma->state = DMA_START | send->swap;
        send->tags[dma_slot(pointer)] = READ_RECEIVE_DESCRIPTORS | ring << 12 | requested;
        DMA_READ_PRODUCER = dma_after(pointer);
    }
    fetch->requested = requested;
}

TASK(fetch_receive_bd) void receive_fetch(uint32_t ring)
{
    struct fetch_ring *ring_of_host = &fetch_rings[ring];
    ring_of_host->produced = shared->mailboxes[MAILBOX_STANDARD + ring].value & ring_of_host->mask;
    fetch(send_state(), ring);
}

TASK(fetch_receive_bd) void handle_fetch_receive(void)
{
    send_events_clear(EVENT_BIT(EVENT_FETCH_RECEIVE));
    for (uint32_t ring = 0; ring < RECEIVE_RINGS; ring++)
        fetch(send_state(), ring);
}
