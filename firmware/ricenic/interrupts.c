/*
 * Interrupts of devices. Only the serial line has one that is worth it while there is work: everything else comes so often that the loop
 * finds work at each look. A core without work rests, in the wait state of the 405, until an interrupt ends that.
 */
#include "ricenic/nic.h"

#define EVPR "982"
#define SRR1 "27"
#define WAITS 0x00040000u
#define INTERRUPTS_ENABLED 0x00008000u
#ifdef RICENIC_SPLIT
#define CONSOLE_CORE 1u
#else
#define CONSOLE_CORE 0u
#endif

OF_RECEIVER volatile bool has_input;

static bool has_console(void) { return core_number() == CONSOLE_CORE; }

/* Each core has two lines, the first for interrupts that are not critical. */
static uint32_t line(void) { return 2 * core_number(); }

/* Interrupt sources of a core that is at work. */
static uint32_t usual_sources(void) { return has_console() && !has_input ? INTERRUPT_UART : 0; }

static void let_interrupts_come(void) { __asm__ volatile("wrteei 1" ::: "memory"); }

/* Of this core; the vectors lie where the code begins. */
void interrupts_start(void)
{
    __asm__ volatile("mtspr " EVPR ", %0" ::"r"(CODE));
    if (has_console())
        await_input();
    let_interrupts_come();
}

void await_input(void)
{
    has_input = false;
    INTERRUPTS->enabled[line()] = INTERRUPT_UART;
}

/* Called by the handler of external interrupts. */
void serve_interrupt(void);
void serve_interrupt(void)
{
    if (INTERRUPTS->pending[line()] & INTERRUPT_UART)
        has_input = true; /* until the console has looked */
    INTERRUPTS->enabled[line()] = usual_sources();
    INTERRUPTS->done[line()] = 1;
    uint32_t state;
    __asm__ volatile("mfspr %0, " SRR1 : "=r"(state));
    __asm__ volatile("mtspr " SRR1 ", %0" ::"r"(state & ~WAITS));
}

TASK(idle) void begin_rest(uint32_t sources)
{
    __asm__ volatile("wrteei 0" ::: "memory");
    INTERRUPTS->enabled[line()] = sources | usual_sources();
}

TASK(idle) void wait_for_interrupt(void)
{
    if (has_console() && has_input) {
        end_rest();
        return;
    }
    uint32_t state;
    __asm__ volatile("mfmsr %0" : "=r"(state));
    __asm__ volatile("mtmsr %0" ::"r"(state | WAITS | INTERRUPTS_ENABLED) : "memory");
}

TASK(idle) void end_rest(void)
{
    INTERRUPTS->enabled[line()] = usual_sources();
    let_interrupts_come();
}
