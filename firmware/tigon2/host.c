/* Reports to the host: words in its memory, and interrupts. The sending core leaves events and releases interrupts; the receiving core does the rest. */
#include "tigon2/events.h"
#include "tigon2/functions.h"
#include "tigon2/task.h"

#define STATISTICS_BYTES (4 * STATISTICS_WORDS)

/* Leaves an event for the host. It is lost if the host does not empty its ring: there is nothing better to do. */
void host_event(uint32_t event)
{
    uint32_t produced = cross.events_produced;
    if (produced - cross.events_consumed == HOST_EVENTS)
        return;
    statistics_count_event(event);
    cross.events[produced & (HOST_EVENTS - 1)] = event;
    cross.events_produced = produced + 1;
    receive_events_raise(EVENT_BIT(EVENT_TELL_HOST));
}

/* True if the host accepts interrupts now: it writes its mailbox when it does again. */
static inline bool interrupts_are_wanted(struct told *told)
{
    bool is_wanted = shared->mailboxes[MAILBOX_INTERRUPT].value == 0 && shared->general.mask_interrupts == 0;
    if (is_wanted)
        told->interrupts++;
    else
        told->interrupts_avoided++;
    return is_wanted;
}

/* Taken before looking: a later request of the other core waits by itself. A write to the mailbox leads back here. */
void mailbox_interrupt(void)
{
    if (!cross.interrupt_waits)
        return;
    cross.interrupt_waits = 0;
    if (interrupts_are_wanted(&send_state()->told))
        LOCAL_CONTROL |= LOCAL_CONTROL_INTERRUPT;
    else
        cross.interrupt_waits = 1;
}

/* Waits before looking: a host that accepts it only after the look writes its mailbox, and the other core finds it waiting. */
TASK(receive_dispatch_ordering) void host_interrupt(void)
{
    cross.interrupt_waits = 1;
    if (interrupts_are_wanted(&receive_state()->told)) {
        cross.interrupt_waits = 0;
        LOCAL_CONTROL |= LOCAL_CONTROL_INTERRUPT;
    }
}

/* Writes one word to the host; false if the ring is full. The word lies in the descriptor. */
TASK(receive_frame) bool host_write_word(uint32_t high, uint32_t low, uint32_t word, uint32_t tag)
{
    struct receive_state *receive = receive_state();
    uint32_t pointer = writes_place();
    if (pointer == 0)
        return false;
    struct dma_descriptor *dma = dma_at(pointer);
    dma->word = word;
    dma->host_high = high;
    dma->host_low = low;
    dma->local = (uint32_t)(uintptr_t)&dma->word;
    dma->length = sizeof dma->word;
    dma->state = DMA_START | receive->swap;
    receive->tags[dma_slot(pointer)] = tag;
    DMA_WRITE_PRODUCER = dma_after(pointer);
    return true;
}

TASK(receive_frame) void handle_send_consumer(void)
{
    const struct host_pointer *consumer = &information.send_consumer;
    uint32_t mode = receive_state()->mode;
    uint32_t tag = mode & MODE_NO_SEND_INTERRUPTS ? WRITE_INDEX : WRITE_INDEX_INTERRUPT;
    receive_events_clear(EVENT_BIT(EVENT_SEND_CONSUMER));
    if (!host_write_word(consumer->high, consumer->low, cross.send_consumer, tag)) {
        /* Until the DMA has done something: this event comes before that of the DMA, which makes room. */
        receive_events_set(EVENT_BIT(EVENT_SEND_CONSUMER));
        events_ignore(EVENT_BIT(EVENT_SEND_CONSUMER));
    }
}

/* The first word of an entry is the event; the second is the host's. */
static bool write_event(uint32_t number)
{
    uint32_t index = number & (EVENT_RING_ENTRIES - 1);
    const struct ring_control *ring = &information.event;
    return host_write_word(ring->host_high, ring->host_low + 8 * index, cross.events[number & (HOST_EVENTS - 1)], WRITE_INDEX);
}

static bool event_ring_is_full(uint32_t produced)
{
    return ((produced + 1 - shared->general.event_consumer) & (EVENT_RING_ENTRIES - 1)) == 0;
}

static bool write_statistics(const struct host_pointer *to)
{
    uint32_t pointer = writes_place();
    if (pointer == 0)
        return false;
    statistics_of_receiving();
    struct dma_descriptor *dma = dma_at(pointer);
    dma->host_high = to->high;
    dma->host_low = to->low;
    dma->local = (uint32_t)(uintptr_t)information.statistics;
    dma->length = STATISTICS_BYTES;
    dma->state = DMA_START | receive_state()->swap;
    receive_state()->tags[dma_slot(pointer)] = WRITE_INDEX;
    DMA_WRITE_PRODUCER = dma_after(pointer);
    return true;
}

/* Statistics before events, since an event may say that they are there. */
static bool tell_host(uint32_t events, uint32_t asked)
{
    const struct host_pointer *producer = &information.event_producer;
    if (cross.statistics_told != asked) {
        if (!write_statistics(&information.refresh_statistics))
            return false;
        cross.statistics_told = asked;
    }
    uint32_t number = cross.events_consumed;
    while (number != events) {
        if (writes_free() < 2 || event_ring_is_full(number) || !write_event(number))
            return false;
        number++;
        uint32_t tag = receive_state()->mode & MODE_NO_EVENT_INTERRUPTS ? WRITE_INDEX : WRITE_INDEX_INTERRUPT;
        host_write_word(producer->high, producer->low, number & (EVENT_RING_ENTRIES - 1), tag);
        cross.events_consumed = number;
    }
    return true;
}

/* Follows commands of the host that change its settings. */
static void follow_commands(void)
{
    if (cross.tuning_is_old) {
        cross.tuning_is_old = 0;
        receive_tune();
    }
    if (cross.statistics_are_cleared)
        statistics_begin_anew();
    if (cross.jumbo_is_reset) {
        /* All at once for this core. The other writes the word again when the host, which learns of this later, has filled in more. */
        receive_state()->rings[JUMBO].next = receive_state()->rings[JUMBO].arrived = 0;
        cross.receive_arrived[JUMBO] = 0;
        cross.jumbo_is_reset = 0;
    }
}

/* Events that do not fit now are tried again soon. */
void handle_tell_host(void)
{
    receive_events_clear(EVENT_BIT(EVENT_TELL_HOST));
    /* In the order opposite to that of the writes: no event is reported before its statistics, and neither before its command is carried out. */
    uint32_t events = cross.events_produced;
    uint32_t asked = cross.statistics_asked;
    follow_commands();
    receive_state()->has_more_to_tell = !tell_host(events, asked);
    if (receive_state()->has_more_to_tell)
        receive_deadline(DEADLINE_RECEIVE, SHORTEST_TICKS);
}
