/* The hypervisor: its commands, of which each starts or stops a context. One that must wait holds up those behind it. */
#include "ricenic/cdna.h"

struct cdna_hypervisor hypervisor;
uint32_t commands_announced, vectors_taken;

static uint32_t commands_done;

void hypervisor_start(void)
{
    const volatile struct cdna_hypervisor *own = (const volatile struct cdna_hypervisor *)(SRAM + CDNA_HYPERVISOR_OFFSET);
    while (own->ready != HOST_RINGS_READY) {
        begin_rest(INTERRUPT_EVENTS); /* the mailbox of the first command */
        wait_for_interrupt();
    }
    hypervisor = *own;
}

TASK(idle) bool are_commands_done(void) { return commands_done == commands_announced; }

void take_commands(void)
{
    while (commands_done != commands_announced) {
        uint32_t entry = commands_done % CDNA_COMMAND_ENTRIES;
        uint32_t command = *(const volatile uint32_t *)(SRAM + CDNA_COMMANDS_OFFSET + 4 * entry);
        uint32_t context = command & 0xff, what = command & ~0xffu;
        bool is_guest = context && context < cdna.contexts;
        if (what == CDNA_LISTEN)
            MAC_RECEIVE->control = QUEUE_ENABLE;
        if (is_guest && what == CDNA_STOP)
            stop_context(context, CDNA_FAULT_NONE);
        if (is_guest && what == CDNA_START) {
            stop_context(context, CDNA_FAULT_NONE);
            if (!start_context(context))
                return;
        }
        commands_done++;
    }
}
