/* Sending, from the host's mailbox to descriptors that are here, and from frames that have left to the host's consumer. */
#include "tigon2/events.h"
#include "tigon2/functions.h"
#include "tigon2/task.h"
#include "tigon2/transmit.h"

#define DESCRIPTORS_PER_READ 32

/* Takes the host's thresholds for notifications. */
void send_tune(void)
{
    struct send_state *send = send_state();
    send->coalescing = shared->general.send_coalescing;
    send->ticks = at_least(shared->general.send_ticks, SHORTEST_TICKS);
    send->statistics_ticks = shared->general.statistics_ticks;
    if (send->statistics_ticks != 0)
        send_deadline(DEADLINE_STATISTICS, at_least(send->statistics_ticks, SHORTEST_TICKS));
}

/* The rings of the host may be on the card: then what the host produces is here. */
void send_start(void)
{
    struct send_state *send = send_state();
    uint32_t entries = ring_length(&information.send);
    if (entries != 128 && entries != 256 && entries != SEND_DESCRIPTORS_MOST)
        entries = 128;
    send->mask = entries - 1;
    send->host_high = information.send.host_high;
    send->host_low = information.send.host_low;
    send->is_in_host = (ring_flags(&information.send) & RING_IN_HOST) != 0;
    send->ring = send->is_in_host ? descriptors + SEND_OFFSET
                                  : LOCAL_SEND_RING_END - entries * sizeof(struct send_descriptor);
    send->place = send->frame_place = SEND_BUFFER_BASE;
    send->swap = shared->general.mode & MODE_NATIVE_WORDS ? 0 : DMA_SWAP;
#ifdef TIGON2_RELEASED_STYLE
    send->place_left = send->place;
    send->covers_later = ring_flags(&information.send) & (RING_CHECKSUM | RING_IP_CHECKSUM);
    /* The control block of a ring on the card names the address that the ring of this length has. */
    if (!send->is_in_host && (send->host_high != 0 || send->host_low != send->ring))
        host_event(EVENT_ERROR_CONFIGURATION);
#endif
    send_tune();
}

/* Asks the host for the descriptors that it has filled in, in runs that end where the ring does. */
TASK(fetch_send_bd) void send_fetch(void)
{
    struct send_state *send = send_state();
    uint32_t produced = send->produced;
    uint32_t requested = send->requested;
    while (requested != produced) {
        uint32_t pointer = reads_place();
        if (pointer == 0) {
            send_events_set(EVENT_BIT(EVENT_FETCH_SEND));
            break;
        }
        uint32_t end = produced > requested ? produced : send->mask + 1;
        uint32_t count = end - requested;
        if (count > DESCRIPTORS_PER_READ)
            count = DESCRIPTORS_PER_READ;
        struct dma_descriptor *dma = dma_at(pointer);
        uint32_t offset = requested * sizeof(struct send_descriptor);
        requested = (requested + count) & send->mask;
        dma->host_high = send->host_high;
        dma->host_low = send->host_low + offset;
        dma->local = send->ring + offset;
        dma->length = count * sizeof(struct send_descriptor);
        dma->state = DMA_START | send->swap;
        send->tags[dma_slot(pointer)] = READ_SEND_DESCRIPTORS | requested;
        DMA_READ_PRODUCER = dma_after(pointer);
    }
    send->requested = requested;
}

TASK(fetch_send_bd) void handle_fetch_send(void)
{
    send_events_clear(EVENT_BIT(EVENT_FETCH_SEND));
    send_fetch();
}

/*
 * Tells the host which descriptors are done with, once their frames have left: when there are enough, or `now` if there are any. The
 * core that owns the DMA writes does the telling.
 */
TASK(send_frame) void send_report(bool now)
{
    struct send_state *send = send_state();
    uint32_t left = frames_left(send) & (TRANSMIT_FRAMES - 1);
    if (left == send->frames_reported)
        return;
    uint32_t consumer = send->end[(left - 1) & (TRANSMIT_FRAMES - 1)];
    if (!now) {
        if (((consumer - send->reported) & send->mask) < send->coalescing)
            return;
        send->told.thresholds++;
    }
    send->frames_reported = left;
    send->reported = consumer;
    send->is_urgent &= left != send->frames; /* the frame that is urgent may be one that has not left */
    send->told.indices++;
    cross.send_consumer = consumer; /* before the event, which the other core clears before it reads */
    receive_events_raise(EVENT_BIT(EVENT_SEND_CONSUMER));
}
