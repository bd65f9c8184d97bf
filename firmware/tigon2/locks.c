/* The event register that both cores write: that of core B, or of core A if that does everything but the assist. */
#include "tigon2/events.h"
#include "tigon2/task.h"

/* A write takes the semaphore if it is free; then it reads as 1, and the next write gives it back. */
static inline void take(volatile uint32_t *semaphore)
{
    do
        *semaphore = 1;
    while (*semaphore == 0);
}

static inline void give_back(volatile uint32_t *semaphore) { *semaphore = 1; }

#ifdef TIGON2_RELEASED_STYLE

TASK(send_locking) void events_set(uint32_t bits)
{
    take(&SEMAPHORE_A);
    EVENTS_A |= bits;
    give_back(&SEMAPHORE_A);
}

TASK(send_locking) void events_clear(uint32_t bits)
{
    take(&SEMAPHORE_A);
    EVENTS_A &= ~bits;
    give_back(&SEMAPHORE_A);
}

TASK(assist_tick) void events_raise(uint32_t bits)
{
    take(&SEMAPHORE_B);
    EVENTS_A |= bits;
    give_back(&SEMAPHORE_B);
}

#else

TASK(send_locking) void receive_events_raise(uint32_t bits)
{
    take(&SEMAPHORE_A);
    EVENTS_B |= bits;
    give_back(&SEMAPHORE_A);
}

TASK(receive_locking) void receive_events_set(uint32_t bits)
{
    take(&SEMAPHORE_B);
    EVENTS_B |= bits;
    give_back(&SEMAPHORE_B);
}

TASK(receive_locking) void receive_events_clear(uint32_t bits)
{
    take(&SEMAPHORE_B);
    EVENTS_B &= ~bits;
    give_back(&SEMAPHORE_B);
}

#endif
