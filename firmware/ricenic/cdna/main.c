/* The firmware with virtualization contexts: a loop that looks for each kind of work in turn. */
#include "ricenic/cdna.h"

/* Waits for a device while nothing is under way. */
static inline void rest_without_work(void)
{
    if (!are_transfers_done() || !is_all_sent() || !is_all_delivered() || !is_all_told() || !are_commands_done() ||
        !are_stops_confirmed() || !has_console_said_all())
        return;
    begin_rest(INTERRUPT_EVENTS | INTERRUPT_MAC_RECEIVE);
    wait_for_interrupt();
}

/* A step is called if there is something for it to do; looking for that is polling. */
TASK(idle) _Noreturn static void serve(void)
{
    for (;;) {
        uint32_t sources = INTERRUPTS->sources;
        if (sources & INTERRUPT_EVENTS)
            look_at_events();
        if (!are_stops_confirmed())
            confirm_stops();
        if (!are_commands_done())
            take_commands();
        if (sources & INTERRUPT_MAC_RECEIVE)
            take_received();
        if (wants_to_fetch())
            fetch();
        if (have_reads_come())
            take_reads();
        if (can_give())
            give();
        if (have_frames_left())
            take_sent();
        if (have_writes_ended())
            take_writes();
        if (can_deliver())
            deliver();
        if (is_to_be_told())
            tell();
        if (is_console_busy())
            console();
        rest_without_work();
    }
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
    serve();
}
