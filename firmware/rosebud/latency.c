/*
 * Measures the way of packets from port 0 back to a core. Core 0 makes a packet and sends it by port 0 every INTERVAL cycles, with the time; the
 * others compare the time with theirs when a packet has come, and drop it. The timers of all cores are equal.
 */
#include "rosebud/generated.h"
#include "rosebud/packets.h"

#define INTERVAL 1000u

volatile uint32_t packets_measured, least_cycles = ~0u, most_cycles, sum_of_cycles;

static void send_stamped(void) {
    make_packets(0);
    uint32_t due = REGISTER(READ_TIMER_LOW);
    for (uint32_t number = 0;; number++) {
        uint32_t packet = packet_address(number);
        due += INTERVAL;
        while ((int32_t)(REGISTER(READ_TIMER_LOW) - due) < 0) {
        }
        *(volatile uint32_t *)(packet + SEQUENCE) = number;
        REGISTER(WRITE_SEND_LOW) = GENERATED_BYTES;
        REGISTER(WRITE_SEND_HIGH) = packet;
        *(volatile uint32_t *)(packet + STAMP) = REGISTER(READ_TIMER_LOW);
        send();
    }
}

static void measure(void) {
    set_slots(SLOTS);
    for (;;) {
        if (is_received()) {
            uint32_t now = REGISTER(READ_TIMER_LOW);
            uint32_t packet = REGISTER(READ_RECEIVED_HIGH);
            uint32_t cycles = now - *(const volatile uint32_t *)(packet + STAMP);
            take_received();
            discard();
            least_cycles = cycles < least_cycles ? cycles : least_cycles;
            most_cycles = cycles > most_cycles ? cycles : most_cycles;
            sum_of_cycles += cycles;
            packets_measured++;
        }
    }
}

int core_main(void) {
    if (REGISTER(READ_CORE) == 0) {
        send_stamped();
    } else {
        measure();
    }
    return 0;
}
