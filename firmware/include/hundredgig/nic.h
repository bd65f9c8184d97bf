/*
 * Declarations shared by the parts of the firmware.
 *
 * Counters run freely modulo 2^32; the place in a ring is the counter modulo its entries, a power of two. Queues of the hardware complete
 * their descriptors in order, so counters say how far each step is.
 *
 * Every core runs this image in private memories and serves one pair of queues from the doorbell to the wire, without locks. Core 0 also
 * serves the registers that the host sees, and the control queue. Cores share only struct shared.
 */
#ifndef HUNDREDGIG_NIC_H
#define HUNDREDGIG_NIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hundredgig/registers.h"
#include "spinach/card.h"
#include "spinach/intrinsics.h"
#include "spinach/queues.h"
#include "spinach/task.h"
#include "spinach/virtio.h"

#define SLOTS 64u /* frames of each direction on the card, at most; entries of each queue of the hardware */
#define QUEUES 3u
#define RECEIVE_QUEUE 0u
#define SEND_QUEUE 1u
#define CONTROL_QUEUE 2u /* of core 0 */
#define PAIR_QUEUES 2u
#define HOST_QUEUES (PAIR_QUEUES * CORES + 1) /* that the host sees; the last is the control queue */
#define ETHERNET_HEADER_BYTES 14u
#define TAG_BYTES 4u /* of a VLAN: a frame with a tag may be longer by them (IEEE 802.3, section 3.2.7) */
#define ETHER_TYPE 12u
#define ETHER_TYPE_TAG 0x8100u
#define HEADER_BYTES ((uint32_t)sizeof(struct virtio_net_header))

/* A queue of the driver, with a split ring or a packed one. For each of its counters, what it counts has gone through all steps before. */
struct queue {
    struct guest_address descriptors, driver, device;
    uint32_t size;
    uint32_t vector;            /* of the interrupts, or VIRTIO_NO_VECTOR for the line */
    uint32_t known;             /* chains that the driver has made available, as far as the card has seen */
    uint32_t heads_asked;       /* heads of chains asked for */
    uint32_t heads_here;        /* heads read */
    uint32_t descriptors_asked; /* first descriptors of chains asked for */
    uint32_t descriptors_here;  /* first descriptors read */
    uint32_t taken;             /* chains that a frame was assigned to */
    uint32_t completed;         /* chains whose used element is ready */
    uint32_t announced;         /* chains whose used element and index the DMA unit was given */
    uint32_t written;           /* chains whose used element and index are in host memory */
    uint32_t indices;           /* index words in use */
    uint32_t asked;             /* chains written when the driver's event index was asked for */
    uint32_t signalled;         /* chains written at the last decision on an interrupt */
    bool is_served;             /* enabled, and its rings have been valid */
    bool is_broken;             /* the driver broke the protocol: no further chains until it resets the queue or the device */
    bool wants_look;            /* the driver may have made chains available */
    bool is_looking;            /* the driver's index was asked for */
    bool is_used;               /* used elements were written since the driver's flags were asked for */
    bool is_signalling;         /* used elements were written before the flags or the event index that were asked for */
    bool wants_event;           /* the driver has made chains available since the card's event index was written */
    /* Read and written by the DMA units. */
    struct virtq_available available;
    uint16_t heads[SLOTS];
    struct virtq_descriptor table[SLOTS];
    struct virtq_used_element used[SLOTS];
    uint16_t index_words[SLOTS];
    uint16_t used_event;      /* index of the driver */
    uint16_t available_event; /* index of the card */
    /* Of a packed ring. */
    uint8_t spans[SLOTS]; /* entries of the chain that begins at each and is taken; else 1 */
    struct virtq_packed_used packed[SLOTS];
    uint32_t driver_event, device_event;
};

/* Reasons for which firmware drops frames, by number in the tally; the card names them. */
enum { TALLY_SEND_INVALID, TALLY_RECEIVE_DISABLED, TALLY_RECEIVE_TOO_LONG };

/* State shared by the cores. Core 0 writes it; a core writes only its state, that of its queues, and words that core 0 clears. */
struct shared {
    struct virtio_queue_configuration queues[PAIR_QUEUES * CORES + 2]; /* the last is of queues that do not exist */
    uint32_t features;           /* lower half of those that the driver has accepted */
    uint32_t is_packed;          /* rings are packed */
    uint32_t runs[CORES];        /* the core is to work */
    uint32_t is_running[CORES];  /* the core works, or has transfers under way */
    uint32_t is_broken[HOST_QUEUES]; /* the driver broke the protocol in this queue */
    uint32_t queue_reason, configuration_reason; /* of an interrupt */
};

#define SHARED ((volatile struct shared *)SHARED_MEMORY)

extern struct queue queues[QUEUES];
extern uint32_t core; /* number of this core */
extern bool is_live;             /* the driver works */
extern uint32_t features; /* as in struct shared */
extern bool is_packed;    /* likewise */

/* configuration.c: registers that the host sees. */
void configuration_start(void);
void serve_accesses(void);
void configuration_message(void); /* a core has stopped, or a queue is broken or no longer broken */
void configuration_set_address(const uint8_t *address);
const uint8_t *configuration_address(void);
void configuration_clear_queue(uint32_t number); /* back to its defaults, which ends a reset of the queue */

/* pair.c: the start and the end of the work of this core. */
void pair_message(void);
void pair_stop_if_quiet(void);
void break_queue(uint32_t number); /* the driver broke the protocol: no further chains of this queue until it resets it */
void report_queue(uint32_t number, bool is_broken);
void signal_driver(const struct queue *queue);

/* reset.c: queues that the driver resets or enables while the core works. */
void reset_queues(void);

/* dma.c: both queues of the DMA units. */
enum read_kind {
    READ_AVAILABLE,
    READ_EVENT,
    READ_HEADS,
    READ_DESCRIPTORS,
    READ_CHAIN,
    READ_PIECE,
    READ_LAST_PIECE,
    READ_CONTROL_PIECE,
    READ_CONTROL_CHAIN,
    READ_FORGOTTEN
};
enum write_kind { WRITE_PIECE, WRITE_LAST_PIECE, WRITE_LOST_PIECE, WRITE_INDEX, WRITE_EVENT };
bool reads_are_free(uint32_t count);
bool writes_are_free(uint32_t count);
void read_host(struct guest_address host, const volatile void *local, uint32_t bytes, enum read_kind kind, uint32_t queue,
               uint32_t count);
void write_host(struct guest_address host, const volatile void *local, uint32_t bytes, enum write_kind kind, uint32_t queue,
                uint32_t count);
void take_reads(void);
void take_writes(void);
bool is_dma_quiet(void);
bool has_transfers(uint32_t queue);
void forget_reads(uint32_t queue); /* all but those of complete chains to send */

/* queue.c: both rings of a queue, if they are split. */
void queue_start(struct queue *queue, const volatile struct virtio_queue_configuration *configuration);
void queue_available_came(struct queue *queue);
void queue_event_came(struct queue *queue);
void queue_advance(struct queue *queue, uint32_t number);
void queue_announce(struct queue *queue, uint32_t number);

/* packed.c: the same of a packed ring. */
void packed_came(struct queue *queue);
void packed_event_came(struct queue *queue);
void packed_advance(struct queue *queue, uint32_t number);
void packed_announce(struct queue *queue, uint32_t number);
void packed_take(struct queue *queue, uint32_t pieces);            /* a chain of `pieces` descriptors */
bool packed_continues(const struct queue *queue, uint32_t pieces); /* the descriptor behind `pieces` of a chain is here */

/* Bytes of a large send: first those in the slot of its chain, then those in its buffer. */
struct part {
    const uint8_t *start;
    uint32_t bytes;
};

struct parts {
    struct part part[2];
};

/* send.c */
void send_start(void);
void send_advance(void);
void send_chain_came(void);
void send_stop(void); /* a chain that is not complete never will be */
void send_frame_came(void);
void take_sent(void);
bool is_all_sent(void);
uint32_t frames_released(void);    /* counter of the oldest chain that is still on the card */
uint32_t frames_given(void);       /* to the MAC */
uint32_t frames_under_way(void);   /* those that it has not sent */
void give_frame(uint32_t frame);   /* the MAC has got a frame of this chain */
void complete_chain(void);         /* the MAC has got all of the oldest chain */

/* large.c */
enum large_piece { LARGE_TAKEN, LARGE_WAITS, LARGE_INVALID };
enum large_piece large_take(const struct virtq_descriptor *descriptor, uint32_t frame, uint32_t small, bool is_last);
struct parts large_parts(uint32_t frame, const uint8_t *slot, uint32_t bytes);
void large_stop(void);

/* segment.c */
bool segment(const struct parts *parts, uint32_t frame); /* false if it is not a large send, or an invalid one */
bool segment_holds_up(void);                             /* a chain that has arrived waits for one before it */
void segment_advance(void);
void segment_stop(void);

/* receive.c */
void receive_start(void);
void receive_clear(void); /* for another driver */
void receive_begin(void); /* as soon as the driver has given buffers */
void receive_stop(void);
void receive_frames(void);
void receive_discard(void); /* what came while no driver works */
void give_back_buffer(uint32_t slot);
void lose_buffer(uint32_t slot); /* its frame did not reach the host */
bool can_receive(void);

/* coalesce.c: one run of segments at a time. */
bool coalesce_begin(const uint8_t *frame, uint32_t completion);        /* further segments may follow it */
uint32_t coalesce_payload(const uint8_t *frame, uint32_t completion);  /* of a frame that continues the run; else 0 */
void coalesce_add(const uint8_t *frame, uint32_t payload);
uint32_t coalesce_headers(void);                                       /* bytes of those of a frame */
void coalesce_end(struct virtio_net_header *header, uint8_t *frame);   /* adapts the headers of the first frame */

/* checksum.c */
void insert_checksum(uint8_t *frame, uint32_t bytes, const struct part *payload, uint32_t start, uint32_t field);

/* control.c */
void control_start(void);
void control_advance(void);
void control_chain_came(void);
void control_piece_came(void);

/* commands.c */
#define COMMAND_BYTES 512u /* of a command that are read */
bool execute_command(const uint8_t *command, uint32_t bytes);
void commands_reset(void);
void commands_start(void); /* the driver has accepted its features */

static inline bool has_feature(uint32_t feature) { return features >> feature & 1; }

static inline bool is_tagged(const uint8_t *frame)
{
    return frame[ETHER_TYPE] == ETHER_TYPE_TAG >> 8 && frame[ETHER_TYPE + 1] == (ETHER_TYPE_TAG & 0xff);
}

static inline uint32_t half_at(const uint8_t *bytes) { return bytes[0] | (uint32_t)bytes[1] << 8; }

/* Stores a big-endian half word. */
static inline void put_half(uint8_t *place, uint32_t half)
{
    place[0] = (uint8_t)(half >> 8);
    place[1] = (uint8_t)half;
}

/* The half word of a one's complement sum (RFC 1071). */
static inline uint32_t folded(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    return (sum & 0xffff) + (sum >> 16);
}

static inline struct guest_address offset_by(struct guest_address address, uint32_t bytes)
{
    uint32_t low = address.low + bytes;
    return (struct guest_address){low, address.high + (low < bytes)};
}

#endif
