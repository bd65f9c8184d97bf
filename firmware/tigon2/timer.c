/* Deadlines. The timer's reference of each core is the earliest of what the core waits for. */
#include "tigon2/events.h"
#include "tigon2/functions.h"
#include "tigon2/task.h"

#define FAR_FUTURE 0x40000000u

static inline void set(volatile uint32_t *reference, uint32_t deadline, uint32_t ticks)
{
    struct timer_state *timer = timer_state();
    if (timer->armed & 1u << deadline)
        return;
    uint32_t due = TIMER + ticks;
    timer->armed |= 1u << deadline;
    timer->due[deadline] = due;
    if ((int32_t)(due - *reference) < 0)
        *reference = due;
}

TASK(send_dispatch_ordering) void send_deadline(uint32_t deadline, uint32_t ticks)
{
    set(&TIMER_REFERENCE_A, deadline, ticks);
}

TASK(send_dispatch_ordering) void send_deadline_soon(uint32_t deadline)
{
    timer_state()->armed &= ~(1u << deadline);
    set(&TIMER_REFERENCE_A, deadline, SHORTEST_TICKS);
}

TASK(receive_dispatch_ordering) void receive_deadline(uint32_t deadline, uint32_t ticks)
{
    set(&RECEIVE_TIMER_REFERENCE, deadline, ticks);
}

/* The deadlines that have passed; they are set no more, and the reference is the earliest of the others. */
static inline __attribute__((always_inline)) uint32_t take_due(volatile uint32_t *reference)
{
    struct timer_state *timer = timer_state();
    uint32_t now = TIMER;
    uint32_t due = 0;
    uint32_t earliest = now + FAR_FUTURE;
    for (uint32_t deadline = 0; deadline < DEADLINES; deadline++) {
        uint32_t bit = 1u << deadline;
        if (!(timer->armed & bit))
            continue;
        if ((int32_t)(now - timer->due[deadline]) >= 0)
            due |= bit;
        else if ((int32_t)(timer->due[deadline] - earliest) < 0)
            earliest = timer->due[deadline];
    }
    timer->armed &= ~due;
    *reference = earliest;
    return due;
}

static inline void send_due(uint32_t due)
{
    struct send_state *send = send_state();
    if (due & 1u << DEADLINE_SEND) {
        send_report(true);
        if (send->frames != send->frames_reported)
            send_deadline(DEADLINE_SEND, send->is_urgent ? SHORTEST_TICKS : send->ticks);
    }
#ifdef TIGON2_RELEASED_STYLE
    if (due & 1u << DEADLINE_LINK)
        mac_negotiate();
#endif
    if (due & 1u << DEADLINE_STATISTICS) {
        statistics_ask();
        if (send->statistics_ticks != 0)
            send_deadline(DEADLINE_STATISTICS, at_least(send->statistics_ticks, SHORTEST_TICKS));
    }
}

static inline void receive_due(uint32_t due)
{
    struct receive_state *receive = receive_state();
    if (due & 1u << DEADLINE_RECEIVE) {
        if (receive->done != receive->announced)
            returns_flush();
        if (receive->has_more_to_tell)
            receive_events_set(EVENT_BIT(EVENT_TELL_HOST));
    }
}

#ifdef TIGON2_PARALLEL
TASK(send_dispatch_ordering) void handle_send_timer(void) { send_due(take_due(&TIMER_REFERENCE_A)); }
TASK(receive_dispatch_ordering) void handle_receive_timer(void) { receive_due(take_due(&TIMER_REFERENCE_B)); }
#else
TASK(send_dispatch_ordering) void handle_timers(void)
{
    uint32_t due = take_due(&TIMER_REFERENCE_A);
    send_due(due);
    receive_due(due);
}
#endif
