/* Counts the packets of each flow, and sends them out of the port that they came in by. */
#include "rosebud/flows.h"
#include "rosebud/packets.h"

volatile uint32_t packets_of_flow[FLOW_COUNTERS];

int core_main(void) {
    set_slots(SLOTS);
    for (;;) {
        if (is_received()) {
            uint32_t hash = flow_of(received_header());
            take_received();
            count_flow(hash);
            send();
        }
    }
}
