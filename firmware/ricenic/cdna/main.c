/* The firmware with virtualization contexts: a loop that looks for each kind of work in turn. */
#include "ricenic/cdna.h"

int core_main(uint32_t core)
{
    (void)core;
    contexts_start();
    hypervisor_start();
    DMA_READ->control = QUEUE_ENABLE;
    DMA_WRITE->control = QUEUE_ENABLE;
    MAC_TRANSMIT->control = QUEUE_ENABLE;
    receive_start();
    interrupts_start();
    for (;;) {
        look_at_events();
        confirm_stops();
        take_commands();
        take_received();
        fetch();
        take_reads();
        give();
        take_sent();
        take_writes();
        deliver();
        tell();
        console();
    }
}
