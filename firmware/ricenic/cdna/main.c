/* The firmware with virtualization contexts: a loop that looks for each kind of work in turn. */
#include "ricenic/cdna.h"

/* Waits for a device while nothing is under way. */
static void rest_without_work(void)
{
    if (!are_transfers_done() || !is_all_sent() || !is_all_delivered() || !is_all_told() || !are_commands_done() ||
        !are_stops_confirmed() || !has_console_said_all())
        return;
    begin_rest(INTERRUPT_EVENTS | INTERRUPT_MAC_RECEIVE);
    wait_for_interrupt();
}

int core_main(uint32_t core)
{
    (void)core;
    interrupts_start();
    contexts_start();
    hypervisor_start();
    DMA_READ->control = QUEUE_ENABLE;
    DMA_WRITE->control = QUEUE_ENABLE;
    MAC_TRANSMIT->control = QUEUE_ENABLE;
    receive_start();
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
        rest_without_work();
    }
}
