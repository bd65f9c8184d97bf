/*
 * Notification of guests and the hypervisor. Now and then each context with news gets its status words; then a bit vector of these contexts
 * goes into the hypervisor's ring, with one of those that were stopped behind it, and then the host is interrupted, once for all. The
 * hypervisor turns bits into interrupts of guests.
 */
#include "ricenic/cdna.h"

static struct context_set news, stopped, rest;
static struct {
    struct context_set news, stopped;
} ON_OWN_LINES vector; /* read by the DMA unit */
static struct {
    uint32_t written;
} ON_OWN_LINES producer;
static uint32_t told_at, last_write;
static enum { WAITING, TELLING, RAISING } phase;

void has_news(uint32_t context) { put_in(&news, context); }

void was_stopped(uint32_t context) { put_in(&stopped, context); }

TASK(idle) bool is_all_told(void) { return phase == WAITING && is_empty(&news) && is_empty(&stopped); }

/* There is something for the next step: news that are old enough, writes to ask for, or writes that have ended. */
TASK(idle) bool is_to_be_told(void)
{
    if (phase != WAITING)
        return phase == TELLING || (int32_t)(writes_taken - last_write) >= 0;
    return cycle_count() - told_at >= settings.coalescing_cycles && !(is_empty(&news) && is_empty(&stopped)) &&
           producer.written - vectors_taken < hypervisor.entries;
}

static void begin(void)
{
    told_at = cycle_count();
    rest = vector.news = news;
    vector.stopped = stopped;
    news = stopped = (struct context_set){{0}};
}

/* The status of each context, as far as writes fit; true when all are told. */
static bool tell_guests(void)
{
    for (uint32_t context; (context = next_in(&rest, 0)) != 0; take_out(&rest, context)) {
        struct context *own = CONTEXT(context);
        if (own->state != CDNA_STATE_RUNNING)
            continue;
        if (!writes_are_free(1))
            return false;
        own->status = (struct status_words){own->send_fetched, own->receive_used};
        store_range(&own->status, sizeof own->status);
        write_host(own->status_address, (uint32_t)&own->status, sizeof own->status, OTHER, context, 0);
    }
    return true;
}

static bool tell_hypervisor(void)
{
    if (!writes_are_free(2))
        return false;
    struct host_address place = {hypervisor.vectors_high, hypervisor.vectors_low}, end = place;
    place.low += producer.written++ % hypervisor.entries * sizeof vector;
    end.low += hypervisor.entries * sizeof vector;
    store_range(&vector, sizeof vector);
    store_range(&producer, sizeof producer);
    write_host(place, (uint32_t)&vector, sizeof vector, OTHER, 0, 0);
    last_write = write_host(end, (uint32_t)&producer, sizeof producer.written, OTHER, 0, 0);
    return true;
}

TASK(send_dispatch_ordering) void tell(void)
{
    if (phase == WAITING) {
        begin();
        phase = TELLING;
    }
    if (phase == TELLING && tell_guests() && tell_hypervisor())
        phase = RAISING;
    if (phase == RAISING && (int32_t)(writes_taken - last_write) >= 0) {
        HOST_INTERRUPT->raise = 1;
        counters.interrupts++;
        phase = WAITING;
    }
}
