/* Computes, and notes the numbers of events of a device in its interrupt handler. A read of the device returns 0 without an event. */
#include <stdint.h>

#define device (*(volatile uint32_t *)DEVICE)
#define EXTERNAL_AND_TIMER 0x880

/* The last word is the result of the computation. */
volatile uint32_t results[EVENTS + 1];
volatile uint32_t event_count;

__attribute__((interrupt("machine"), aligned(4))) static void handle(void)
{
    uint32_t event = device;
    if (event == 0) /* the line was still up after the acknowledgement */
        return;
    results[event_count++] = event;
    device = 0;
}

int core_main(uint32_t core)
{
    (void)core;
    __asm__ volatile("csrw mtvec, %0" : : "r"(handle));
    __asm__ volatile("csrw mie, %0" : : "r"(EXTERNAL_AND_TIMER));
    __asm__ volatile("csrsi mstatus, 8");
    uint32_t value = 1;
    for (uint32_t step = 0; step < STEPS; step++) {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
    }
    while (event_count < EVENTS)
        ;
    results[EVENTS] = value;
    for (;;)
        ;
}
