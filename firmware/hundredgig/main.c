/* Main loop of a core: it waits for events in a load, and handles them. */
#include "hundredgig/nic.h"

bool is_live;
uint32_t features;
uint32_t core;
struct queue queues[QUEUES];

/* Waits in a load, which the hardware answers when an enabled event occurs. */
TASK(idle) static uint32_t wait_for_events(uint32_t enabled)
{
    static uint32_t enabled_before = ~0u;
    if (enabled != enabled_before)
        EVENTS->enabled = enabled_before = enabled;
    return EVENTS->wait;
}

int core_main(void)
{
    core = core_number();
    DMA_READ->control = QUEUE_ENABLE;
    DMA_WRITE->control = QUEUE_ENABLE;
    if (core == 0)
        configuration_start();
    send_start();
    receive_start();
    for (;;) {
        /* Received frames do not end the wait while they cannot be delivered; a descriptor or a completed write does. */
        uint32_t events = wait_for_events(can_receive() ? ~0u : ~EVENT_RECEIVED);
        if (events & EVENT_MESSAGE)
            pair_message();
        if (events & EVENT_ACCESS)
            serve_accesses();
        for (uint32_t queue = 0; queue < QUEUES; queue++)
            if (events & EVENT_DOORBELL(queue))
                queues[queue].wants_look = true;
        if (events & EVENT_READ)
            take_reads();
        if (events & EVENT_WRITE)
            take_writes();
        if (events & EVENT_SENT)
            take_sent();
        if (!is_live) {
            receive_discard();
            pair_stop_if_quiet();
            continue;
        }
        if (can_receive())
            receive_frames();
        if (is_packed)
            for (uint32_t queue = 0; queue < QUEUES; queue++)
                packed_advance(&queues[queue], queue);
        else
            for (uint32_t queue = 0; queue < QUEUES; queue++)
                queue_advance(&queues[queue], queue);
        send_advance();
        segment_advance();
        control_advance();
        if (is_packed)
            for (uint32_t queue = 0; queue < QUEUES; queue++)
                packed_announce(&queues[queue], queue);
        else
            for (uint32_t queue = 0; queue < QUEUES; queue++)
                queue_announce(&queues[queue], queue);
    }
}
