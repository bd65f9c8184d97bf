/*
 * Drops packets whose source address the accelerator finds among its prefixes, and all that are not IPv4; sends the others out of the
 * port that they came in by.
 */
#include "rosebud/packets.h"

#define ETHER_TYPE 12u
#define IPV4_BYTES_REVERSED 0x0008u
#define SOURCE 26u

#define MATCHER_ADDRESS REGISTER(REGION_ACCELERATOR)
#define MATCHER_MATCH BYTE_REGISTER(REGION_ACCELERATOR + 4)

int core_main(void) {
    set_slots(SLOTS);
    for (;;) {
        if (is_received()) {
            const volatile uint8_t *header = received_header();
            uint32_t type = *(const volatile uint16_t *)(header + ETHER_TYPE);
            const volatile uint16_t *source = (const volatile uint16_t *)(header + SOURCE);
            MATCHER_ADDRESS = source[0] | (uint32_t)source[1] << 16;
            take_received();
            if (type != IPV4_BYTES_REVERSED || MATCHER_MATCH) {
                discard();
            } else {
                send();
            }
        }
    }
}
