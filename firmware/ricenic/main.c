/*
 * The firmware of RiceNIC: a loop that looks for each kind of work in turn, and does what there was when it looked, so that every kind
 * gets its turn. One core does all of it.
 */
#include "ricenic/nic.h"

int core_main(uint32_t core)
{
    (void)core;
    host_start();
    DMA_READ->control = QUEUE_ENABLE;
    DMA_WRITE->control = QUEUE_ENABLE;
    send_start();
    receive_start();
    for (;;) {
        look_at_mailboxes();
        fetch_receive_descriptors(); /* first, as frames to send can wait */
        fetch_send_descriptors();
        take_reads();
        return_frames();
        free_buffers();
        take_sent();
        tell_host();
    }
}
