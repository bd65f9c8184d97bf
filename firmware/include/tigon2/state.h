/*
 * State of the firmware.
 *
 * Each core keeps what only it needs in its own scratch pad, at the same address: one core sends, and owns all DMA reads; one
 * receives, and owns all DMA writes. The same core may do both. What they tell each other lies in SRAM, in `cross`, and each
 * word of it has one writer, or is written under the given rule.
 */
#ifndef TIGON2_STATE_H
#define TIGON2_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tigon2/memory.h"
#include "tigon2/shared.h"

/* Deadlines of a core: what it will look at when the timer gets there. */
enum {
    DEADLINE_SEND,
    DEADLINE_RECEIVE,
    DEADLINE_STATISTICS,
#ifdef TIGON2_RELEASED_STYLE
    DEADLINE_LINK,
#endif
    DEADLINES,
};

/* A count of bytes that does not overflow. */
struct octets {
    uint32_t high;
    uint32_t low;
};

static inline void octets_add(struct octets *octets, uint32_t bytes)
{
    uint32_t low = octets->low + bytes;
    octets->high += low < bytes;
    octets->low = low;
}

/* A core's reports to the host, for the statistics. */
struct told {
    uint32_t thresholds; /* hit: as many frames are done with as one notification of the host covers */
    uint32_t indices;    /* written */
    uint32_t interrupts;
    uint32_t interrupts_avoided; /* because the host has disabled them */
};

struct timer_state {
    uint32_t armed; /* a bit for each deadline */
    uint32_t due[DEADLINES];
};

/* Positions in the host's rings count up to the ring's length and begin again at 0. */
struct send_state {
    uint32_t mask;       /* length of the ring, less one */
    uint32_t host_high;
    uint32_t host_low;
    uint32_t ring;       /* our copy, or the ring itself if it is on the card */
    uint32_t is_in_host;
    uint32_t produced;   /* the host has filled in what lies before */
    uint32_t requested;  /* asked for from the host */
    uint32_t arrived;    /* here */
    uint32_t next;       /* their data is asked for */
    uint32_t reported;   /* the host knows that they are done with */
    uint32_t place;      /* in the transmit buffer: where the next byte goes */
    uint32_t frame_place;
    uint32_t frame_bytes; /* bytes before, of the frame that `next` is inside; 0 between frames */
    uint32_t buffer_bytes;
    uint32_t frames;      /* whose data was asked for, modulo TRANSMIT_FRAMES: their places in the MAC's ring */
    uint32_t frames_reported;
    uint32_t coalescing;
    uint32_t ticks;
    uint32_t swap; /* DMA_SWAP, unless the host keeps our order of bytes */
    uint32_t is_urgent; /* the host must be notified of a frame as soon as it has left */
    uint32_t statistics_ticks;
    struct octets octets; /* sent, as they are on the wire */
    uint32_t unicast; /* frames sent, by their destination */
    uint32_t multicast;
    uint32_t broadcast;
    uint32_t mailboxes; /* how often the host has announced descriptors */
    struct told told;
#ifdef TIGON2_RELEASED_STYLE
    uint32_t frames_left; /* and are counted: their place in the MAC's ring, and in the transmit buffer, is free */
    uint32_t place_left;
    uint32_t covers_later; /* data is made known to the MAC when checksums are in it, not when it is here */
#endif
    /* By place in the DMA ring. */
    uint32_t tags[DMA_DESCRIPTORS];
    struct mac_descriptor frame[DMA_DESCRIPTORS];
    /* By place in the MAC's ring: the position behind the frame's last descriptor. */
    uint16_t end[TRANSMIT_FRAMES];
};

/* The rings of receive buffers, in the order of their mailboxes. */
enum {
    STANDARD,
    JUMBO,
    MINI,
    RECEIVE_RINGS,
};

struct receive_ring {
    uint32_t ring; /* our copy */
    uint32_t next; /* not used yet */
    uint32_t arrived;
    uint32_t mask;
    uint32_t flags; /* of its control block */
    uint32_t shift; /* of the size of an entry */
    uint32_t largest; /* frame, in bytes */
};

#define RETURNS 256 /* frames that are taken from the MAC and not yet returned, at most */

struct receive_state {
    struct receive_ring rings[RECEIVE_RINGS];
    uint32_t buffer_base;
    uint32_t return_mask;
    uint32_t return_high;
    uint32_t return_low;
    uint32_t taken;     /* frames taken from the MAC's ring; these four count on */
    uint32_t done;      /* frames whose data is in host memory */
    uint32_t returned;  /* frames whose descriptors are on their way to the host */
    uint32_t announced; /* frames to report to the host */
    uint32_t coalescing;
    uint32_t ticks;
    uint32_t mode;
    uint32_t swap;
    uint32_t is_flushing; /* what is done is to be returned without delay */
    uint32_t needs_checksums;
    uint32_t check_sequence_bytes; /* to be dropped */
    uint32_t errors; /* frames dropped because of them */
    uint32_t too_long; /* among these */
    uint32_t discarded; /* frames given up because the receive buffer was full: only in the released style */
    uint32_t has_more_to_tell;
    struct octets octets; /* received, with check sequences */
    struct told told;
    /* By place in the DMA ring. */
    uint32_t tags[DMA_DESCRIPTORS];
    uint32_t ends[DMA_DESCRIPTORS]; /* where the frame ends in the receive buffer */
    /* By frame, modulo RETURNS: its descriptor. */
    uint16_t used[RETURNS];
};

/* Minimum distance of deadlines, so that a core whose host requests immediate notification has time for other work. */
#define SHORTEST_TICKS 5u

static inline uint32_t at_least(uint32_t value, uint32_t least) { return value < least ? least : value; }

#define USED(ring, index) ((uint16_t)((ring) << 12 | (index)))
#define USED_RING(used) ((used) >> 12)
#define USED_INDEX(used) ((used)&0xfffu)

#define SCRATCH_PAD 0xc00000u
#define SEND_STATE_OFFSET 0x040u
#define RECEIVE_STATE_OFFSET 0x600u
#define STACK_END 0xc01000u /* the stack grows down to the state */

_Static_assert(sizeof(struct timer_state) <= SEND_STATE_OFFSET, "");
_Static_assert(SEND_STATE_OFFSET + sizeof(struct send_state) <= RECEIVE_STATE_OFFSET, "");
_Static_assert(RECEIVE_STATE_OFFSET + sizeof(struct receive_state) <= 0xb00, "the stack needs a KiB");

static inline __attribute__((always_inline, const)) uint32_t scratch_pad(void)
{
    uint32_t base;
    __asm__("" : "=r"(base) : "0"(SCRATCH_PAD));
    return base;
}

static inline struct timer_state *timer_state(void) { return (struct timer_state *)(uintptr_t)scratch_pad(); }
static inline struct send_state *send_state(void)
{
    return (struct send_state *)(uintptr_t)(scratch_pad() + SEND_STATE_OFFSET);
}
static inline struct receive_state *receive_state(void)
{
    return (struct receive_state *)(uintptr_t)(scratch_pad() + RECEIVE_STATE_OFFSET);
}

#define HOST_EVENTS 16

/* In SRAM. S: written by the core that sends; R: by the one that receives. */
struct cross_state {
    volatile uint32_t receive_arrived[RECEIVE_RINGS]; /* S: receive descriptors that are here; R begins anew at a reset */
    volatile uint32_t receive_waits;    /* R sets it when frames wait for descriptors, S clears it when it raises the event */
    volatile uint32_t send_consumer;    /* S: the index to report to the host */
    volatile uint32_t interrupt_waits;  /* R sets it before looking at the mask, S clears it before: see host.c */
    volatile uint32_t events_produced;  /* S */
    volatile uint32_t events_consumed;  /* R */
    volatile uint32_t events[HOST_EVENTS]; /* S */
    volatile uint32_t statistics_asked; /* S counts requests */
    volatile uint32_t statistics_told;  /* R follows */
    volatile uint32_t statistics_are_cleared; /* S sets it, R clears it when it has begun to count anew */
    volatile uint32_t send_interrupts;  /* S, before it asks */
    volatile uint32_t send_interrupts_avoided; /* likewise */
    volatile uint32_t tuning_is_old;    /* S sets it, R clears it before it reads the host's thresholds */
    volatile uint32_t jumbo_is_reset;   /* likewise */
    volatile uint32_t core_b_is_up;
#ifdef TIGON2_RELEASED_STYLE
    volatile uint32_t assists; /* A: core B is to do what the rings of DMA descriptors say */
#endif
};

extern struct cross_state cross;

/* General information that the host gave at the start. The block that the host receives is built in `statistics`; each word has one writer:
   see statistics.c. */
extern struct general_information information;

/* Beginning of the memory that memory.h divides. */
extern uint32_t descriptors;

#endif
