/*
 * Interfaces between the parts of RiceNIC's firmware.
 *
 * Everything is in order: each queue of the hardware completes its descriptors in the order in which they were given, so counters say
 * how far each step is. They run freely modulo 2^32; the place in a ring is the counter modulo its entries, a power of two.
 *
 * Data lies in on-chip memory, in the data cache. Data read or written by devices lies in separate lines: see caches.h.
 */
#ifndef RICENIC_NIC_H
#define RICENIC_NIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ricenic/caches.h"
#include "ricenic/common.h"
#include "ricenic/console.h"
#include "ricenic/registers.h"
#ifdef RICENIC_NAT
#include "ricenic/nat.h"
#else
#define FRAME_OFFSET 0u
#endif
#include "spinach/driver.h"
#include "spinach/intrinsics.h"
#include "spinach/queues.h"
#include "spinach/task.h"

#define SLOTS QUEUE_ENTRIES      /* for pieces of frames to send, and as many for frames received */
#define SEND_LIMIT (SLOTS - 1) /* descriptors to send under way; in addition to their reads there is one for receive buffers */

extern struct settings settings; /* a copy that is near; the receiver's */

/* The driver's context in the SRAM, far away: the mailboxes, and where the rings are. */
#define MAILBOX(number) (*(const volatile uint32_t *)(SRAM + 4 * (number)))
#define HOST_RINGS ((const volatile struct host_rings *)(SRAM + HOST_RINGS_OFFSET))

extern struct host_rings rings; /* a copy of what the driver wrote */

/* The address of on-chip data past the cache. */
static inline void *uncached(const volatile void *data)
{
    return (void *)((uint32_t)data - BRAM + BRAM_UNCACHED);
}

/*
 * Caches know nothing of each other either. A variable that is written after the start belongs to one core, or it is a word by which
 * one core tells another how far it is. One of them writes that; with two cores at work it is reached past their caches. No two of
 * these sorts are on one line.
 */
#define OF_CORE0 __attribute__((section(".bss.core0")))
#define OF_CORE1 __attribute__((section(".bss.core1")))
#define OF_CORES __attribute__((section(".bss.shared"))) /* reached by BETWEEN_CORES only, if two cores are at work */
#define OF_SENDER OF_CORE0
#ifdef RICENIC_NAT_SPLIT
#define OF_RECEIVER OF_CORE0
#define OF_BOTH OF_CORE0
#else
#define OF_RECEIVER OF_CORE1
#define OF_BOTH OF_CORES
#endif
#define BETWEEN_CORES(word) (*(volatile uint32_t *)uncached(&(word)))
#ifdef RICENIC_SPLIT
#define SHARED(word) BETWEEN_CORES(word)
#else
#define SHARED(word) (word)
#endif

/*
 * Functions that look for work are of the task `idle`, as is the loop: what they take is polling. A step is called if there is something
 * for it to do.
 */

/* host.c: descriptors of the driver, and messages to it. */
void host_start(void);
void look_at_mailboxes(void);
void tell_host(void);
bool is_host_told(void); /* of everything */
bool is_host_to_be_told(void); /* now */
extern uint32_t send_announced, receive_announced; /* the driver's producers */
extern uint32_t send_consumed, receive_returned;   /* progress reported to the host; OF_BOTH */

/* dma.c: the two queues of the DMA unit. */
enum read_kind { READ_SEND_DESCRIPTORS, READ_RECEIVE_DESCRIPTORS, READ_PIECE };
void read_host(struct host_address host, uint32_t local, uint32_t bytes, enum read_kind kind, uint32_t count);
bool have_reads_come(void);
void take_reads(void);
bool are_reads_done(void);
bool writes_are_free(uint32_t count);
uint32_t write_host(struct host_address host, uint32_t local, uint32_t bytes); /* returns how many writes were asked for with it */
uint32_t writes_so_far(void); /* asked for */
uint32_t writes_done(void);
uint32_t read_entries(const struct host_ring *ring, uint32_t index, uint32_t count, struct buffer_descriptor *local,
                      enum read_kind kind);
void forget_entries(const struct buffer_descriptor *local, uint32_t index, uint32_t count);

/* send.c */
void send_start(void);
bool wants_to_fetch(void);
void fetch_send_descriptors(void);
void send_descriptors_came(uint32_t count);
void send_piece_came(void);
bool have_frames_left(void); /* on the link */
void take_sent(void);
bool is_all_sent(void);
#ifdef RICENIC_NAT_SPLIT
bool have_translated_come(void);
void take_translated(void); /* frames to send, from the core that translates */
#endif
#ifdef RICENIC_CACHE
void give_content(void); /* to the MAC: what is next and kept on the card */
#endif

/* receive.c */
void receive_start(void);
uint32_t wanted_descriptors(void); /* to be fetched now */
void fetch_receive_descriptors(uint32_t count);
void receive_descriptors_came(uint32_t count);
void return_frames(void);
bool has_host_frames(void); /* whose buffers are not free */
void free_buffers(void);
bool has_descriptor(void);     /* there is a buffer of the host for the next frame */
bool are_buffers_free(void);   /* the MAC has all its buffers */
bool wants_descriptors(void);  /* there are more, once there is room for them */
static inline uint32_t receive_buffer(uint32_t slot) { return RECEIVE_BUFFERS + slot * BUFFER_BYTES + FRAME_OFFSET; }
#ifdef RICENIC_NAT_SPLIT
bool has_frame(void); /* translated */
#endif

/* reset.c: lets the host reset the card from here on. */
void resets_start(void);

#endif
