/* Makes packets and sends them as fast as it can, even cores by port 0 and odd ones by port 1. */
#include "rosebud/generated.h"
#include "rosebud/packets.h"

int core_main(void) {
    uint32_t core = REGISTER(READ_CORE);
    uint32_t low = GENERATED_BYTES | (core & 1) << PORT_SHIFT;
    make_packets(core);
    for (uint32_t number = 0;; number++) {
        uint32_t packet = packet_address(number);
        *(volatile uint32_t *)(packet + SEQUENCE) = number;
        REGISTER(WRITE_SEND_LOW) = low;
        REGISTER(WRITE_SEND_HIGH) = packet;
        send();
    }
}
