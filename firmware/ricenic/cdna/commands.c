/* Commands of the console about contexts. */
#include "ricenic/cdna.h"

static const char *const states[] = {"off", "running", "stopped"};
static const char *const faults[] = {"", ": a producer that cannot be", ": a descriptor of another number", ": a length that cannot be",
                                     ": a frame with the address of another", ": a setup that cannot be"};

static void show_contexts(void)
{
    for (uint32_t context = 1; context < cdna.contexts; context++) {
        const struct context *own = CONTEXT(context);
        if (own->state == CDNA_STATE_OFF)
            continue;
        write_decimal(context);
        write_character(' ');
        write_text(states[own->state]);
        write_text(faults[own->fault]);
        write_named(", descriptors sent", own->send_fetched);
        write_named("  frames received", own->receive_used);
        write_named("  waiting", own->frames_queued - own->frames_delivered);
    }
}

void own_help(void) { write_text("contexts             the guests, and why one was stopped\r\n"); }

bool obey_own(uint32_t count, char *const *words)
{
    if (count != 1 || !is_same(words[0], "contexts"))
        return false;
    show_contexts();
    return true;
}
