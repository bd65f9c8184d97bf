/*
 * Interrupts of devices. Only the serial line has one that is worth it: everything else comes so often that the loop finds work at each
 * look.
 */
#include "ricenic/nic.h"

#define EVPR "982"
#ifdef RICENIC_SPLIT
#define LINE 2 /* of the core with the console */
#else
#define LINE 0
#endif

OF_RECEIVER volatile bool has_input;

/* Of this core; the vectors lie where the code begins. */
void interrupts_start(void)
{
    __asm__ volatile("mtspr " EVPR ", %0" ::"r"(CODE));
    await_input();
    __asm__ volatile("wrteei 1" ::: "memory");
}

void await_input(void)
{
    has_input = false;
    INTERRUPTS->enabled[LINE] = INTERRUPT_UART;
}

/* Called by the handler of external interrupts. */
void serve_interrupt(void);
void serve_interrupt(void)
{
    if (INTERRUPTS->pending[LINE] & INTERRUPT_UART) {
        has_input = true;
        INTERRUPTS->enabled[LINE] = 0; /* until the console has looked */
    }
    INTERRUPTS->done[LINE] = 1;
}
