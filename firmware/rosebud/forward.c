/* Sends each packet out of the port that it came in by. */
#include "rosebud/packets.h"

int core_main(void) {
    set_slots(SLOTS);
    for (;;) {
        if (is_received()) {
            take_received();
            send();
        }
    }
}
