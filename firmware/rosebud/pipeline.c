/*
 * Counts the packets of each flow in two stages. The first half of the cores computes hashes and puts each in front of its packet;
 * the second half counts, and sends packets out. Only the first half should receive packets from the ports (`receivers`).
 */
#include "rosebud/flows.h"
#include "rosebud/packets.h"

/* Bytes in front of a packet, the first word of which is its hash. */
#define HEADROOM 16u
/* The port that a packet came in by is lost on its way: the second word. */
#define PORT_SHIFT 24

volatile uint32_t packets_of_flow[FLOW_COUNTERS];

static void hash_packets(uint32_t next) {
    for (;;) {
        if (is_received()) {
            uint32_t hash = flow_of(received_header());
            uint32_t low = REGISTER(READ_RECEIVED_LOW);
            uint32_t address = REGISTER(READ_RECEIVED_HIGH) - HEADROOM;
            volatile uint32_t *note = (volatile uint32_t *)address;
            note[0] = hash;
            note[1] = low >> PORT_SHIFT;
            REGISTER(WRITE_SEND_LOW) = low + HEADROOM;
            REGISTER(WRITE_SEND_HIGH) = address;
            BYTE_REGISTER(WRITE_RELEASE) = 1;
            send_to_core(next);
        }
    }
}

static void count_packets(void) {
    for (;;) {
        if (is_received()) {
            const volatile uint32_t *note = (const volatile uint32_t *)received_header();
            uint32_t hash = note[0], port = note[1];
            uint32_t low = REGISTER(READ_RECEIVED_LOW) & 0xffffffu;
            REGISTER(WRITE_SEND_LOW) = (low | port << PORT_SHIFT) - HEADROOM;
            REGISTER(WRITE_SEND_HIGH) = REGISTER(READ_RECEIVED_HIGH) + HEADROOM;
            BYTE_REGISTER(WRITE_RELEASE) = 1;
            count_flow(hash);
            send();
        }
    }
}

int core_main(void) {
    uint32_t core = REGISTER(READ_CORE);
    if (core < CORES / 2) {
        set_slots_behind(SLOTS, HEADROOM, TAG_BYTES);
        hash_packets(core + CORES / 2);
    } else {
        set_slots_behind(SLOTS, 0, 0);
        count_packets();
    }
    return 0;
}
