/*
 * The event registers, by which each core finds its next work. Bits of the hardware follow their sources; the others are
 * set and cleared by firmware. A higher bit comes first.
 */
#ifndef TIGON2_EVENTS_H
#define TIGON2_EVENTS_H

#include <stdint.h>

#include "tigon2/registers.h"

/* The number of a bit that the hardware makes. */
#define HARDWARE_EVENT(name) __builtin_ctz(EVENTS_##name)

enum {
    EVENT_FETCH_SEND = 2,        /* send descriptors of the host could not all be asked for */
    EVENT_SEND_DESCRIPTORS = 4,  /* send descriptors are here */
    EVENT_FETCH_RECEIVE = 5,     /* as EVENT_FETCH_SEND */
    EVENT_RECEIVED = HARDWARE_EVENT(RECEIVED), /* the MAC has received frames */
    EVENT_RECEIVE_BUFFERS = 9,   /* receive descriptors are here, and frames wait for them */
    EVENT_WRITES_DONE = HARDWARE_EVENT(WRITES_DONE),
    EVENT_READS_DONE = HARDWARE_EVENT(READS_DONE),
    EVENT_WRITE_ATTENTION = HARDWARE_EVENT(WRITE_ATTENTION),
    EVENT_READ_ATTENTION = HARDWARE_EVENT(READ_ATTENTION),
    EVENT_TELL_HOST = 21,        /* host events or statistics wait to be written */
    EVENT_MAILBOX = HARDWARE_EVENT(MAILBOX),
    EVENT_TICK = 23,             /* core B sets it every few microseconds, in firmware that does the assist in software */
    EVENT_SEND_CONSUMER = 24,    /* the host's send consumer is to be written */
    EVENT_MAC_RECEIVE = HARDWARE_EVENT(MAC_RECEIVE), /* attention */
    EVENT_MAC_TRANSMIT = HARDWARE_EVENT(MAC_SEND), /* attention */
    EVENT_TIMER = HARDWARE_EVENT(TIMER),
};

#define EVENT_BIT(event) (1u << (event))

#ifdef TIGON2_RELEASED_STYLE
#define EVENT_OF_TIME EVENT_TICK
#else
#define EVENT_OF_TIME EVENT_TIMER
#endif

#define SEND_EVENTS                                                                                           \
    (EVENT_BIT(EVENT_FETCH_SEND) | EVENT_BIT(EVENT_SEND_DESCRIPTORS) | EVENT_BIT(EVENT_FETCH_RECEIVE) |       \
     EVENT_BIT(EVENT_READS_DONE) | EVENT_BIT(EVENT_READ_ATTENTION) | EVENT_BIT(EVENT_MAILBOX) |               \
     EVENT_BIT(EVENT_MAC_RECEIVE) | EVENT_BIT(EVENT_MAC_TRANSMIT) | EVENT_BIT(EVENT_OF_TIME))
#define RECEIVE_EVENTS                                                                                        \
    (EVENT_BIT(EVENT_RECEIVED) | EVENT_BIT(EVENT_RECEIVE_BUFFERS) | EVENT_BIT(EVENT_WRITES_DONE) |            \
     EVENT_BIT(EVENT_WRITE_ATTENTION) | EVENT_BIT(EVENT_TELL_HOST) | EVENT_BIT(EVENT_SEND_CONSUMER) |         \
     EVENT_BIT(EVENT_OF_TIME))

/*
 * The mask of events that the core attends to is in its register k1, which compiled code leaves alone; the loop in dispatch.S reads it.
 */
static inline void events_attend(uint32_t bits)
{
    __asm__ volatile("or $27, $27, %0" : : "r"(bits));
}

static inline void events_ignore(uint32_t bits)
{
    __asm__ volatile("and $27, $27, %0" : : "r"(~bits));
}

#ifdef TIGON2_RELEASED_STYLE

/* Both cores write the register of core A, so a writer holds the semaphore. */
void events_set(uint32_t bits);   /* on core A */
void events_clear(uint32_t bits); /* likewise */
void events_raise(uint32_t bits); /* on core B */
static inline void send_events_set(uint32_t bits) { events_set(bits); }
static inline void send_events_clear(uint32_t bits) { events_clear(bits); }
static inline void receive_events_raise(uint32_t bits) { events_set(bits); }
static inline void receive_events_set(uint32_t bits) { events_set(bits); }
static inline void receive_events_clear(uint32_t bits) { events_clear(bits); }
#define RECEIVE_TIMER_REFERENCE TIMER_REFERENCE_A

#else

/* Events of the core that sends. Only that core writes its register. */
static inline void send_events_set(uint32_t bits) { EVENTS_A |= bits; }
static inline void send_events_clear(uint32_t bits) { EVENTS_A &= ~bits; }

#endif

#ifdef TIGON2_PARALLEL

/* Both cores write the register of core B, so a writer holds the semaphore. The data of an event is written before it. */
void receive_events_raise(uint32_t bits); /* on the core that sends */
void receive_events_set(uint32_t bits);   /* on the core that receives */
void receive_events_clear(uint32_t bits); /* likewise */
#define RECEIVE_TIMER_REFERENCE TIMER_REFERENCE_B

#elif !defined(TIGON2_RELEASED_STYLE)

static inline void receive_events_raise(uint32_t bits) { EVENTS_A |= bits; }
static inline void receive_events_set(uint32_t bits) { EVENTS_A |= bits; }
static inline void receive_events_clear(uint32_t bits) { EVENTS_A &= ~bits; }
#define RECEIVE_TIMER_REFERENCE TIMER_REFERENCE_A

#endif

/* Handlers, by what they handle; dispatch.S names them in its tables. */
void handle_fetch_send(void);
void handle_send_descriptors(void);
void handle_fetch_receive(void);
void handle_received(void);
void handle_receive_buffers(void);
void handle_writes_done(void);
void handle_reads_done(void);
void handle_write_attention(void);
void handle_read_attention(void);
void handle_tell_host(void);
void handle_mailbox(void);
void handle_send_consumer(void);
void handle_mac_receive(void);
void handle_mac_transmit(void);
void handle_send_timer(void);
void handle_receive_timer(void);
void handle_timers(void);
void handle_tick(void);

#endif
