/* Gives back the slot of each packet. */
#include "rosebud/packets.h"

int core_main(void) {
    set_slots(SLOTS);
    for (;;) {
        if (is_received()) {
            take_received();
            discard();
        }
    }
}
