/*
 * Reset by the host, while the card runs: it writes a word of the SRAM, of which an event unit tells every core by a critical interrupt. So
 * no loop of the firmware has to look. Everything is as after the start then: the queues of the hardware are empty, and nothing of the host's
 * memory is used. The card says so by clearing `ready`; the host writes that again behind the addresses of its rings.
 *
 * No image changes its initial data but the gate of the start code, so the code begins once more without being loaded again.
 */
#include "ricenic/nic.h"

#define TCR "986"
#define TSR "984"
#define CRITICAL_INTERRUPTS 0x00020000u

extern uint32_t start_gate;

#if defined RICENIC_SPLIT || defined RICENIC_NAT_SPLIT
#define BOTH_CORES
#endif

/* The vector of critical interrupts leads here, on the stack of what was interrupted. */
_Noreturn void critical_interrupt(void);

static uint32_t critical_line(void) { return 2 * core_number() + 1; }

/* Of this core. The host may have asked before. */
void resets_start(void)
{
    INTERRUPTS->enabled[critical_line()] = INTERRUPT_RESET;
    uint32_t state;
    __asm__ volatile("mfmsr %0" : "=r"(state));
    __asm__ volatile("mtmsr %0" ::"r"(state | CRITICAL_INTERRUPTS) : "memory");
}

static void reset_queue(volatile uint32_t *control)
{
    *control = QUEUE_RESET;
    while (*control & QUEUE_RESET)
        ;
}

/* Both cores are here, or the other is halted. */
static void reset_devices(void)
{
    reset_queue(&MAC_RECEIVE->control);
    reset_queue(&MAC_TRANSMIT->control);
    reset_queue(&DMA_READ->control);
    reset_queue(&DMA_WRITE->control);
    for (uint32_t line = 0; line < 4; line++)
        INTERRUPTS->enabled[line] = 0;
    (void)EVENTS->mailboxes; /* what was written before is void */
    (void)RESET->mailboxes;
    for (uint32_t line = 0; line < 4; line++)
        INTERRUPTS->done[line] = 1;
    BETWEEN_CORES(start_gate) = 0;
    *(volatile uint32_t *)&HOST_RINGS->ready = 0;
}

/* The caches are dropped with all that is in them. */
_Noreturn static void begin_again(void)
{
    __asm__ volatile("mtspr " TCR ", %0\n\tmtspr " TSR ", %1\n\tsync\n\tmtmsr %0" ::"r"(0), "r"(~0u) : "memory");
    ((void (*)(void))CODE)();
    for (;;)
        ;
}

#ifdef BOTH_CORES

static OF_CORES uint32_t other_waits;

void critical_interrupt(void)
{
    if (core_number() == 0) {
        while (!BETWEEN_CORES(other_waits))
            ;
        reset_devices();
        BETWEEN_CORES(other_waits) = 0;
    } else {
        BETWEEN_CORES(other_waits) = 1;
        while (BETWEEN_CORES(other_waits))
            ;
    }
    begin_again();
}

#else

void critical_interrupt(void)
{
    reset_devices();
    begin_again();
}

#endif
