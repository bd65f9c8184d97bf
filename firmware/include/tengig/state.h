/*
 * Everything the cores share, in the scratch pad.
 *
 * Counters run freely modulo 2^32 and are compared by subtraction; where one indexes a ring, the ring's size is a power of
 * two and the counter is masked. A counter has one writer at a time: the host, an assist, or the core that holds the lock
 * named with it. Anyone may read it: memory is sequentially consistent.
 */
#ifndef TENGIG_STATE_H
#define TENGIG_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "spinach/lock.h"
#include "tengig/descriptors.h"

#define SEND_BDS 256        /* send buffer descriptors kept on the NIC */
#define RECEIVE_BDS 256     /* receive buffer descriptors kept on the NIC; also the most frames on their way to the host */
#define TRANSMIT_FRAMES 256 /* entries of the ring of the MAC's transmit assist */
#define RECEIVED_FRAMES 256 /* entries of the ring of the MAC's receive assist */
#ifdef TENGIG_CENTRAL_DMA_MANAGER
#define DMA_READS 32        /* entries of the ring of the DMA read assist */
#else
#define DMA_READS DMA_SLOTS
#endif
#define DMA_WRITES DMA_SLOTS /* entries of the ring of the DMA write assist */
#define DMA_SLOTS 256
#define FETCH_BATCHES 16    /* fetches of send descriptors that may be under way */
#define EVENTS 512          /* entries of the event queue: more than there can be unfinished pieces of work */

/* One flag for each element of a ring: set when a step is done with the element, cleared by the step after it. */
#if defined(TENGIG_LOCKED_FLAGS)
typedef struct { volatile uint32_t words[256 / 32]; spin_lock_t lock; } done_flags_t;
#elif defined(TENGIG_BIT_ARRAYS)
typedef struct { volatile uint32_t words[256 / 32]; } done_flags_t;
#else
typedef struct { volatile uint8_t flags[256]; } done_flags_t;
#endif

/* Work for the handler of `type` on the elements from `start` up to, not including, `end`. */
typedef struct {
    uint32_t type;
    uint32_t start;
    uint32_t end;
} event_t;

enum event_type {
    EVENT_RECEIVE_FRAMES = 1,
    EVENT_FETCH_BUFFERS,
    /* The other types of the image `published`. */
    EVENT_READS,
    EVENT_WRITES,
    EVENT_ADD_RECEIVE_BUFFERS,
};

/* Purpose of a DMA slot: a kind and a number. 0 means that the slot is free. */
enum tag_kind {
    TAG_SEND_BDS = 1u << 24,    /* number: fetch batch */
    TAG_SEND_DATA = 2u << 24,   /* number: ring position of the buffer descriptor */
    TAG_RECEIVE_BDS = 3u << 24, /* number: how many arrived */
    TAG_RECEIVED = 4u << 24,    /* number: ring position of the frame */
    TAG_RETURN = 5u << 24,      /* number: how many return descriptors */
    TAG_STATUS = 6u << 24,      /* the status words; the host is notified of them */
};
#define TAG_KIND(tag) ((tag) & 0xff000000u)
#define TAG_NUMBER(tag) ((tag) & 0x00ffffffu)

/* Of send descriptors in the image `published`: their first ring position, and their number. */
#define TAG_FETCHED(position, count) (TAG_SEND_BDS | (position) << 8 | (count))
#define FETCHED_AT(tag) (TAG_NUMBER(tag) >> 8)
#define FETCHED_COUNT(tag) ((tag) & 0xffu)

/* Data written by the host and the assists. The addresses are fixed in the interface with the host, so this comes first. */
struct mailboxes {
    volatile uint32_t send_bd_produced;    /* host: send descriptors it has filled in */
    volatile uint32_t receive_bd_produced; /* host: receive descriptors it has filled in */
    volatile uint32_t dma_reads_done;      /* DMA read assist */
    volatile uint32_t dma_writes_done;     /* DMA write assist */
    volatile uint32_t frames_transmitted;  /* MAC transmit assist */
    volatile uint32_t frames_received;     /* MAC receive assist */
};

/* The ring of a DMA assist. A slot is allocated, written, made ready, then published to the assist in ring order. */
struct dma_queue {
    spin_lock_t lock;            /* of designs in which one core at a time writes descriptors */
    volatile uint32_t allocated; /* ll and sc */
    spin_lock_t publish_lock;    /* for the next */
    volatile uint32_t published;
    volatile uint32_t claimed;   /* completed ones given to a handler; ll and sc */
    done_flags_t ready;
    volatile uint32_t tags[DMA_SLOTS]; /* 0 once the handler of the completion is done with the slot */
#ifdef TENGIG_PUBLISHED
    spin_lock_t claim_lock;            /* for claimed */
#endif
};

struct state {
    struct mailboxes mailboxes; /* at STATE_ADDRESS: the host and the assists know these addresses */
    uint32_t reserved[2];
    struct host_rings host;     /* at HOST_RINGS_ADDRESS */
    struct settings settings;   /* at SETTINGS_ADDRESS */

    /* Sending, in the order of the steps. */
    spin_lock_t fetch_lock; /* for the next counters, up to send_bd_claimed */
    volatile uint32_t send_bd_requested;    /* asked for from the host */
    volatile uint32_t fetch_batches;        /* fetches asked for */
    volatile uint32_t fetch_batches_taken;  /* fetches whose descriptors count as arrived */
    volatile uint32_t send_bd_arrived;      /* here, in order */
    volatile uint32_t send_bd_claimed;      /* given to a handler that fetches their frames */
    spin_lock_t commit_lock; /* for the next two */
    volatile uint32_t send_bd_committed;    /* their data is here and they belong to the MAC */
    volatile uint32_t transmit_committed;   /* frames given to the MAC */
    spin_lock_t transmit_lock; /* for the next two */
    volatile uint32_t transmit_retired;     /* transmitted frames whose descriptors are free again */
    volatile uint32_t send_bd_consumed;     /* transmitted; their places here and at the host are free */

    /* Receiving. */
    spin_lock_t receive_fetch_lock; /* for the next */
    volatile uint32_t receive_bd_requested;
    volatile uint32_t receive_bd_arrived;   /* only the handler of DMA reads adds to it, with ll and sc */
    volatile uint32_t receive_claimed;      /* frames given to a handler; ll and sc */
    spin_lock_t return_lock; /* for the next two */
    volatile uint32_t receive_committed;    /* frames in host memory, in order */
    volatile uint32_t receive_returned;     /* frames whose return descriptors are on their way to the host */
    volatile uint32_t receive_bd_freed;     /* frames whose return descriptors the host has; ll and sc */

    struct dma_queue reads, writes;

    /* Telling the host. */
    spin_lock_t status_lock; /* for the next four */
    volatile uint32_t status_send_told;
    volatile uint32_t status_receive_told;
    volatile uint32_t status_under_way;
    volatile uint32_t timer_due;
    struct status_words status;

    /* The event queue. */
    spin_lock_t event_lock;
    volatile uint32_t events_added;
    volatile uint32_t events_taken;

    done_flags_t send_data_done;
    done_flags_t received_done;

    volatile uint8_t fetch_batch_done[FETCH_BATCHES];
    uint32_t fetch_batch_end[FETCH_BATCHES];
#ifdef TENGIG_PUBLISHED
    spin_lock_t receive_lock;                /* for receive_claimed */
    volatile uint32_t read_slots[SEND_BDS];  /* DMA read of each send descriptor up to send_bd_claimed */
#else
    event_t events[EVENTS];
#endif
#ifdef TENGIG_EVENT_QUEUE
    volatile uint32_t timer_is_set; /* the timer of the event queue will raise the update of the host */
#endif
    struct mac_descriptor pending_transmits[SEND_BDS]; /* by position of the frame's last buffer descriptor */
    uint32_t transmit_bd_end[TRANSMIT_FRAMES];
    uint32_t received_end[RECEIVED_FRAMES]; /* where the frame's bytes end in the receive buffer */
};

/*
 * The state lies at the bottom of the scratch pad, at addresses that the host and the assists know. Compilers would build each
 * of these small addresses anew, with a separate instruction for every access; hidden from them, the base stays in a
 * register and every counter is one instruction away.
 */

static inline __attribute__((always_inline, const)) struct state *shared_state(void)
{
    struct state *state;
    __asm__("" : "=r"(state) : "0"(STATE_ADDRESS));
    return state;
}

#define nic (shared_state())

/* The host and the NIC's parameters count on these places. */
_Static_assert(sizeof(struct host_rings) == 52, "the host knows this layout");
_Static_assert(STATE_ADDRESS + offsetof(struct state, host) == HOST_RINGS_ADDRESS, "the host knows this address");
_Static_assert(STATE_ADDRESS + offsetof(struct state, settings) == SETTINGS_ADDRESS, "the host knows this address");
_Static_assert(STATE_ADDRESS + sizeof(struct state) <= RINGS_ADDRESS, "the state overlaps the rings");

#endif
