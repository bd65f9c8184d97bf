/*
 * Reset of single queues (virtio 1.2, section 2.6.1) while the core works. The chains that the core has taken are completed and announced
 * first; those that it has only read ahead are forgotten. Meanwhile the core serves nothing else.
 */
#include "hundredgig/nic.h"

static bool is_drained(const struct queue *queue, uint32_t number)
{
    bool is_complete = queue->is_broken ? queue->completed == queue->announced
                                        : queue->taken == queue->completed && queue->completed == queue->written;
    return is_complete && !has_transfers(number) && (number != SEND_QUEUE || is_all_sent());
}

/* Ends early if the driver resets the device meanwhile. */
static void drain(struct queue *queue, uint32_t number)
{
    while (is_live && !is_drained(queue, number)) {
        take_reads();
        take_writes();
        take_sent();
        segment_advance();
        if (is_packed)
            packed_announce(queue, number);
        else
            queue_announce(queue, number);
    }
}

static void reset(struct queue *queue, uint32_t number, uint32_t place)
{
    if (number == RECEIVE_QUEUE)
        receive_stop();
    drain(queue, number);
    if (!is_live)
        return;
    if (number == CONTROL_QUEUE)
        control_start();
    bool is_broken = queue->is_broken;
    configuration_clear_queue(place);
    queue_start(queue, &SHARED->queues[place]);
    if (is_broken)
        report_queue(number, false);
}

void reset_queues(void)
{
    for (uint32_t number = 0; number < (core == 0 ? QUEUES : PAIR_QUEUES) && is_live; number++) {
        uint32_t place = number == CONTROL_QUEUE ? HOST_QUEUES - 1 : PAIR_QUEUES * core + number;
        volatile struct virtio_queue_configuration *configured = &SHARED->queues[place];
        if (configured->reset)
            reset(&queues[number], number, place);
        else if (configured->enable && queues[number].size == 0 && !queues[number].is_broken)
            queue_start(&queues[number], configured);
    }
}
