/*
 * The event queue in hardware (thesis, chapter 5: future work). A core waits with a load for its next piece of work.
 *
 * Counters of devices reach cores as ranges of elements. A signal reaches one core, which holds it until it is done with it: so
 * there is one handler of a signal at a time, and its data needs no lock. Without the queue, functions of this header do nothing.
 */
#ifndef TENGIG_EVENT_QUEUE_H
#define TENGIG_EVENT_QUEUE_H

#include <stdint.h>

#include "spinach/intrinsics.h"
#include "tengig/addresses.h"

/* The registers of a core. */
struct event_queue_registers {
    volatile uint32_t wait;      /* the next event; ends the hold of a signal */
    volatile uint32_t start;     /* its first element, or the word that was written to the signal */
    volatile uint32_t done;      /* write: ends the hold of a signal */
    volatile uint32_t raise;     /* write: raises signals */
    volatile uint32_t add_start; /* write: first element of the next event to add */
    volatile uint32_t add;       /* write: adds an event */
    volatile uint32_t timer;     /* write: cycles until the last signal is raised */
};

/* Hidden from compilers, which would build the address anew for every access, the base stays in a register. */
static inline __attribute__((always_inline, const)) struct event_queue_registers *own_event_queue(void)
{
    struct event_queue_registers *registers;
    __asm__("" : "=r"(registers) : "0"(EVENT_QUEUE));
    return registers;
}

#define event_queue (own_event_queue())
#define EVENT_NUMBER(event) ((event) >> 24)
#define EVENT_COUNT(event) ((event) & 0xffffffu)
/* Numbers of events that firmware adds follow those of the sources. */
#define EVENT_ADDED(type) (EVENT_UPDATE_STATUS + (type))

/* Bit of a signal, by its name. */
#define SIGNAL(name) (1u << (EVENT_##name - EVENT_SEND_BD_PRODUCED))

static inline void raise_signals(uint32_t signals)
{
#ifdef TENGIG_EVENT_QUEUE
    compiler_barrier(); /* memory is sequentially consistent: the data of the handlers is stored before */
    event_queue->raise = signals;
#else
    (void)signals;
#endif
}

#endif
