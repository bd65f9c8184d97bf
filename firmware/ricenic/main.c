/*
 * The firmware of RiceNIC: a loop that looks for each kind of work in turn, and does what there was when it looked, so that every kind
 * gets its turn.
 *
 * In the image `base` one core does all of it. In `split` two share it by the queues of the hardware, so that no queue has two owners
 * and nothing needs a lock: one reads host memory and sends, the other receives and writes host memory. They tell each other how far
 * they are in words that only one of them writes.
 */
#include "ricenic/nic.h"

static void start(void)
{
    host_start();
#if defined RICENIC_NAT && !defined RICENIC_NAT_SPLIT
    connections_start();
    forwards_start();
#endif
    DMA_READ->control = QUEUE_ENABLE;
    DMA_WRITE->control = QUEUE_ENABLE;
    send_start();
    receive_start();
}

static void read_host_and_send(void)
{
    look_at_mailboxes();
    fetch_receive_descriptors(); /* first, as frames to send can wait */
    fetch_send_descriptors();
    take_reads();
#ifdef RICENIC_NAT_SPLIT
    take_translated();
#endif
    take_sent();
}

#ifndef RICENIC_NAT_SPLIT
/* What wakes the core that receives: frames only if they can be taken, since the MAC asks as long as it has one. */
static uint32_t sources_of_receiver(void) { return INTERRUPT_EVENTS | (has_descriptor() ? INTERRUPT_MAC_RECEIVE : 0); }
#endif

static bool sender_has_work(void) { return !are_reads_done() || !is_all_sent(); }
static bool receiver_has_work(void) { return !are_buffers_free() || !is_host_told() || !has_console_said_all(); }

#ifdef RICENIC_SPLIT

/*
 * Whether the core that sends rests. It says so before it waits, and that it works before it takes note of what woke it. The other may
 * rest only then, since nothing tells it of what the first has sent; what wakes one wakes both.
 */
static OF_BOTH uint32_t sender_rests;

/* Where frames come, there will be room for more descriptors. */
static uint32_t sources_of_sender(void) { return INTERRUPT_EVENTS | (wants_descriptors() ? INTERRUPT_MAC_RECEIVE : 0); }

static void rest_sender(void)
{
    if (sender_has_work())
        return;
    SHARED(sender_rests) = 1;
    begin_rest(sources_of_sender());
    wait_for_interrupt();
    SHARED(sender_rests) = 0;
}

static void rest_receiver(void)
{
    if (receiver_has_work() || !SHARED(sender_rests))
        return;
    begin_rest(sources_of_receiver());
    if (SHARED(sender_rests) && !receiver_has_work())
        wait_for_interrupt();
    else
        end_rest();
}

#elif defined RICENIC_NAT_SPLIT

static bool can_take_frame(void) { return has_frame() && has_descriptor(); }

/* Rests when the translator does, unless something comes meanwhile. */
static void rest_receiver(void)
{
    if (sender_has_work() || receiver_has_work() || can_take_frame())
        return;
    begin_rest(INTERRUPT_EVENTS | INTERRUPT_MAC_RECEIVE);
    BETWEEN_CORES(host_core_rests) = 1;
    while (!BETWEEN_CORES(translator_rests) && !INTERRUPTS->pending[0] && !can_take_frame())
        ;
    if (!can_take_frame() && !INTERRUPTS->pending[0])
        wait_for_interrupt();
    else
        end_rest();
    BETWEEN_CORES(host_core_rests) = 0;
}

#else

static void rest_receiver(void)
{
    if (sender_has_work() || receiver_has_work())
        return;
    begin_rest(sources_of_receiver());
    wait_for_interrupt();
}

#endif

static void receive_and_write_host(void)
{
    return_frames();
    free_buffers();
    rest_receiver();
    tell_host();
    console();
#if defined RICENIC_NAT && !defined RICENIC_NAT_SPLIT
    connections_tick();
#endif
}

#if defined RICENIC_SPLIT || defined RICENIC_NAT_SPLIT

extern char spinach_bss_start[], spinach_bss_end[];
static OF_CORES uint32_t is_started;

int core_main(uint32_t core)
{
    if (core == 0) {
        interrupts_start();
        start();
        flush_range(spinach_bss_start, (uint32_t)(spinach_bss_end - spinach_bss_start)); /* the other core's variables among them */
        BETWEEN_CORES(is_started) = 1;
        for (;;) {
            read_host_and_send();
#ifdef RICENIC_SPLIT
            rest_sender();
#else
            receive_and_write_host();
#endif
        }
    }
    while (!BETWEEN_CORES(is_started))
        ;
    interrupts_start();
#ifdef RICENIC_SPLIT
    for (;;)
        receive_and_write_host();
#else
    translate_all();
#endif
}

#else

int core_main(uint32_t core)
{
    (void)core;
    interrupts_start();
    start();
    for (;;) {
        read_host_and_send();
        receive_and_write_host();
    }
}

#endif
