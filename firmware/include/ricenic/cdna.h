/*
 * Virtualization contexts (ExpCS 2007, section 3.1): what the parts of the image `cdna` know of each other.
 *
 * A context is a page of the SRAM, which a guest reaches, with a separate Ethernet address. The place of the rings of a context
 * is written by the hypervisor only. It also writes the descriptors, after it has seen that they name memory of the guest, and
 * numbers them: that of descriptor n is n + 1 modulo 2^16, in the upper half of the upper half of its address. So a guest that
 * announces descriptors that nobody has written is found out. A context that breaks the rules is stopped, by itself.
 *
 * Everything within a context is in order. One core does all.
 */
#ifndef RICENIC_CDNA_H
#define RICENIC_CDNA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ricenic/caches.h"
#include "ricenic/common.h"
#include "ricenic/console.h"
#include "ricenic/registers.h"
#include "spinach/driver.h"
#include "spinach/intrinsics.h"
#include "spinach/queues.h"
#include "spinach/task.h"

#define CONTEXTS_MOST 128u
#define FETCHED 16u /* descriptors of each ring of a context on the card, at most */

#define MAILBOX_OF(context, number) (*(const volatile uint32_t *)(SRAM + (context) * CONTEXT_BYTES + 4 * (number)))
#define SETUP_OF(context) ((volatile struct cdna_setup *)(SRAM + CDNA_SETUPS_OFFSET + (context) * CDNA_SETUP_BYTES))

struct context {
    /* Device-read and device-written data, in separate lines. */
    struct buffer_descriptor send_descriptors[FETCHED] ON_OWN_LINES;
    struct buffer_descriptor receive_descriptors[FETCHED] ON_OWN_LINES;
    struct buffer_descriptor returns[FETCHED] ON_OWN_LINES;
    struct status_words status ON_OWN_LINES;

    struct host_ring send ON_OWN_LINES;
    struct host_ring receive;
    struct host_address returned, status_address;
    uint32_t mac_address_high, mac_address_low;
    uint32_t state, fault;
    uint32_t under_way; /* transfers of either direction, and frames in the MAC */

    /* To send: how many descriptors were announced, asked for, have come, and name what is here. */
    uint32_t send_announced, send_asked, send_described, send_fetched;
    uint32_t slots_taken, slots_ready, slots_given, slots_done; /* frames */
    uint32_t frame_bytes, frame_flags;                          /* of the frame that is described */
    uint32_t is_begun;
    int32_t credit; /* bytes that it may still send before it is another's turn */

    /* Received: how many descriptors were announced, asked for, have come, and are used. */
    uint32_t receive_announced, receive_asked, receive_described, receive_used;
    uint32_t frames_queued, frames_delivered, frames_freed;
    uint32_t mac_address_next; /* with the same last byte in its address; 0 for none */

    uint32_t slot_flags[CDNA_MOST_SLOTS];  /* of each frame's descriptor for the MAC */
    uint16_t buffers[CDNA_MOST_SLOTS];     /* of the frames that are queued */
    uint32_t completions[CDNA_MOST_SLOTS]; /* what the MAC said of them */
};

#define CONTEXT(number) (&((struct context *)CDNA_CONTEXTS)[number])

/* A bit for each context, that of number 0 first. */
struct context_set {
    uint32_t words[CONTEXTS_MOST / 32];
};
#define BIT_OF(context) (0x80000000u >> ((context) & 31))

static inline void put_in(struct context_set *set, uint32_t context) { set->words[context / 32] |= BIT_OF(context); }
static inline void take_out(struct context_set *set, uint32_t context) { set->words[context / 32] &= ~BIT_OF(context); }
static inline bool is_in(const struct context_set *set, uint32_t context) { return set->words[context / 32] & BIT_OF(context); }

/* contexts.c */
extern struct cdna_settings cdna;
extern struct settings settings;
void contexts_start(void);
uint32_t next_in(const struct context_set *set, uint32_t after); /* the next in turn; 0 if there is none */
void stop_context(uint32_t context, enum cdna_fault fault);
bool start_context(uint32_t context); /* false while something of its past is under way */
uint32_t context_of_mac_address(uint32_t high, uint32_t low);
void look_at_events(void);
void confirm_stops(void);
bool are_stops_confirmed(void);
static inline bool is_empty(const struct context_set *set)
{
    uint32_t any = 0;
    for (uint32_t word = 0; word < CONTEXTS_MOST / 32; word++)
        any |= set->words[word];
    return !any;
}

/* hypervisor.c */
void hypervisor_start(void);
void take_commands(void);
bool are_commands_done(void);
extern uint32_t commands_announced, vectors_taken;
extern struct cdna_hypervisor hypervisor;

/* dma.c: `context` is whose transfer it is. */
enum transfer { SEND_DESCRIPTORS, RECEIVE_DESCRIPTORS, PIECE, LAST_PIECE, FRAME, RETURN, OTHER };
extern uint32_t reads_promised; /* pieces that descriptors on their way will name, at most */
uint32_t reads_free(void);
void read_host(struct host_address host, uint32_t local, uint32_t bytes, enum transfer transfer, uint32_t context, uint32_t count);
bool writes_are_free(uint32_t count);
uint32_t write_host(struct host_address host, uint32_t local, uint32_t bytes, enum transfer transfer, uint32_t context,
                    uint32_t what); /* returns how many were asked for with it */
bool have_reads_come(void);
void take_reads(void);
bool have_writes_ended(void);
void take_writes(void);
extern uint32_t writes_taken; /* done and seen */
bool are_transfers_done(void);

/* send.c */
bool wants_to_fetch(void);
void fetch(void);
void send_announced_by(uint32_t context);
void send_descriptors_came(uint32_t context, uint32_t count);
void piece_came(uint32_t context, bool is_last);
bool can_give(void); /* to the MAC */
void give(void);
bool have_frames_left(void);
void take_sent(void);
void stop_sending(uint32_t context);
bool is_all_sent(void);

/* receive.c */
void receive_start(void);
void receive_announced_by(uint32_t context);
void receive_descriptors_came(uint32_t context, uint32_t count);
void take_received(void);
bool can_deliver(void);
void deliver(void);
void frame_is_delivered(uint32_t context, uint32_t buffer);
void stop_receiving(uint32_t context);
bool is_all_delivered(void); /* as far as guests have buffers */

/* tell.c */
void has_news(uint32_t context);
void was_stopped(uint32_t context);
bool is_to_be_told(void);
void tell(void);
bool is_all_told(void);

#endif
