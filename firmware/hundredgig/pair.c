/*
 * The work of this core: one pair of queues, between the command to run and the end of the last transfer.
 */
#include "hundredgig/nic.h"

static bool is_stopping;

static void start(void)
{
    volatile struct virtio_queue_configuration *configured = &SHARED->queues[PAIR_QUEUES * core];
    features = SHARED->features;
    is_packed = SHARED->is_packed;
    receive_clear();
    queue_start(&queues[RECEIVE_QUEUE], &configured[RECEIVE_QUEUE]);
    queue_start(&queues[SEND_QUEUE], &configured[SEND_QUEUE]);
    if (core == 0) {
        queue_start(&queues[CONTROL_QUEUE], &SHARED->queues[HOST_QUEUES - 1]);
        control_start();
    }
    is_live = true;
}

static void stop(void)
{
    is_live = false;
    is_stopping = true;
    receive_stop();
}

/* Core 0 has sent a command, or another core has changed its state. */
void pair_message(void)
{
    if (!SHARED->runs[core]) {
        stop();
        pair_stop_if_quiet();
    } else if (is_live) {
        reset_queues();
    } else {
        start();
    }
    if (core == 0)
        configuration_message();
}

void pair_stop_if_quiet(void)
{
    if (!is_stopping || !is_dma_quiet() || !is_all_sent())
        return;
    is_stopping = false;
    SHARED->is_running[core] = 0;
    if (core == 0)
        configuration_message();
    else
        FUNCTION->ring = RING_MESSAGE(0u);
}

static uint32_t place_of(uint32_t number) { return number == CONTROL_QUEUE ? HOST_QUEUES - 1 : PAIR_QUEUES * core + number; }

void report_queue(uint32_t number, bool is_broken)
{
    SHARED->is_broken[place_of(number)] = is_broken;
    if (core == 0)
        configuration_message();
    else
        FUNCTION->ring = RING_MESSAGE(0u);
}

/* Chains that are complete on the card are still sent, and used elements that are ready are still written. */
void break_queue(uint32_t number)
{
    struct queue *queue = &queues[number];
    if (!is_live || queue->is_broken)
        return;
    queue->is_broken = true;
    queue->is_served = false;
    queue->descriptors_here = queue->taken;
    forget_reads(number);
    if (number == RECEIVE_QUEUE)
        receive_stop();
    else if (number == SEND_QUEUE)
        send_stop();
    else
        control_start();
    report_queue(number, true);
}

void signal_driver(const struct queue *queue)
{
    if (queue->vector != VIRTIO_NO_VECTOR) {
        FUNCTION->message = queue->vector;
        return;
    }
    SHARED->queue_reason = VIRTIO_ISR_QUEUE;
    FUNCTION->level = 1;
}
