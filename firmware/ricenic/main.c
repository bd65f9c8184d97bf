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
#ifdef RICENIC_NAT
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
    take_sent();
}

static void receive_and_write_host(void)
{
    return_frames();
    free_buffers();
    tell_host();
    console();
#ifdef RICENIC_NAT
    connections_tick();
#endif
}

#ifdef RICENIC_SPLIT

extern char spinach_bss_start[], spinach_bss_end[];
static OF_BOTH uint32_t is_started;

int core_main(uint32_t core)
{
    if (core == 0) {
        start();
        flush_range(spinach_bss_start, (uint32_t)(spinach_bss_end - spinach_bss_start)); /* the other core's variables among them */
        SHARED(is_started) = 1;
        for (;;)
            read_host_and_send();
    }
    while (!SHARED(is_started))
        ;
    interrupts_start();
    for (;;)
        receive_and_write_host();
}

#else

int core_main(uint32_t core)
{
    (void)core;
    start();
    interrupts_start();
    for (;;) {
        read_host_and_send();
        receive_and_write_host();
    }
}

#endif
