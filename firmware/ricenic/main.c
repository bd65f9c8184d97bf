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

/* `sources` are of interrupts, here and below. */
static inline void read_host_and_send(uint32_t sources)
{
    if (sources & INTERRUPT_EVENTS)
        look_at_mailboxes();
    uint32_t wanted = wanted_descriptors(); /* first, as frames to send can wait */
    if (wanted)
        fetch_receive_descriptors(wanted);
    if (wants_to_fetch())
        fetch_send_descriptors();
    if (have_reads_come())
        take_reads();
#ifdef RICENIC_NAT_SPLIT
    if (have_translated_come())
        take_translated();
#endif
    if (have_frames_left())
        take_sent();
}

#ifndef RICENIC_NAT_SPLIT
/* Events that wake the core that receives: frames only if they can be taken, since the MAC asks as long as it has one. */
static inline uint32_t sources_of_receiver(void) { return INTERRUPT_EVENTS | (has_descriptor() ? INTERRUPT_MAC_RECEIVE : 0); }
#endif

static inline bool sender_has_work(void) { return !are_reads_done() || !is_all_sent(); }
static inline bool receiver_has_work(void) { return !are_buffers_free() || !is_host_told() || !has_console_said_all(); }

#ifdef RICENIC_SPLIT

/*
 * True while the core that sends rests. It says so before it waits, and that it works before it takes note of what woke it. The other may
 * rest only then, since nothing tells it of what the first has sent; what wakes one wakes both.
 */
static OF_BOTH uint32_t sender_rests;

/* A waiting frame takes a descriptor, so there will be room for more. */
static inline uint32_t sources_of_sender(void) { return INTERRUPT_EVENTS | (wants_descriptors() ? INTERRUPT_MAC_RECEIVE : 0); }

static inline void rest_sender(void)
{
    if (sender_has_work())
        return;
    SHARED(sender_rests) = 1;
    begin_rest(sources_of_sender());
    wait_for_interrupt();
    SHARED(sender_rests) = 0;
}

static inline void rest_receiver(void)
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

static inline bool can_take_frame(void) { return has_frame() && has_descriptor(); }

/* Rests when the translator does, unless something comes meanwhile. */
static inline void rest_receiver(void)
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

static inline void rest_receiver(void)
{
    if (sender_has_work() || receiver_has_work())
        return;
    begin_rest(sources_of_receiver());
    wait_for_interrupt();
}

#endif

static inline void receive_and_write_host(uint32_t sources)
{
#ifdef RICENIC_NAT_SPLIT
    (void)sources;
    if (has_frame())
        return_frames();
#else
    if (sources & INTERRUPT_MAC_RECEIVE)
        return_frames();
#endif
    if (has_host_frames())
        free_buffers();
    rest_receiver();
    if (is_host_to_be_told())
        tell_host();
    if (is_console_busy())
        console();
#if defined RICENIC_NAT && !defined RICENIC_NAT_SPLIT
    connections_tick();
#endif
}

#if defined RICENIC_SPLIT || defined RICENIC_NAT_SPLIT

extern char spinach_bss_start[], spinach_bss_end[];
static OF_CORES uint32_t is_started;

TASK(idle) _Noreturn static void serve(uint32_t core)
{
    (void)core;
#ifdef RICENIC_SPLIT
    while (core == 1)
        receive_and_write_host(INTERRUPTS->sources);
#endif
    for (;;) {
        uint32_t sources = INTERRUPTS->sources;
        read_host_and_send(sources);
#ifdef RICENIC_SPLIT
        rest_sender();
#else
        receive_and_write_host(sources);
#endif
    }
}

int core_main(uint32_t core)
{
    if (core == 0) {
        interrupts_start();
        resets_start();
        start();
        flush_range(spinach_bss_start, (uint32_t)(spinach_bss_end - spinach_bss_start)); /* the other core's variables among them */
        BETWEEN_CORES(is_started) = 1;
        serve(core);
    }
    while (!BETWEEN_CORES(is_started))
        ;
    interrupts_start();
    resets_start();
#ifdef RICENIC_SPLIT
    serve(core);
#else
    translate_all();
#endif
}

#else

TASK(idle) _Noreturn static void serve(void)
{
    for (;;) {
        uint32_t sources = INTERRUPTS->sources;
        read_host_and_send(sources);
        receive_and_write_host(sources);
    }
}

int core_main(uint32_t core)
{
    (void)core;
    interrupts_start();
    resets_start();
    start();
    serve();
}

#endif
