/*
 * Address translation (ExpCS 2007, section 4): what the parts of the image `nat` know of each other.
 *
 * The card is the outer interface of a machine that forwards packets between an inner network and the outer one. Nodes of the inner
 * network begin connections; from the outer one only ports that are forwarded can be reached. Everything else is dropped and
 * counted by its reason. Each connection has a port of the card's own address for itself.
 */
#ifndef RICENIC_NAT_H
#define RICENIC_NAT_H

#include <stdbool.h>
#include <stdint.h>

#include "ricenic/caches.h"
#include "ricenic/registers.h"

#define ICMP 1u
#define TCP 6u
#define UDP 17u

/* One end of a connection; of an ICMP echo the port is its identifier. */
struct endpoint {
    uint32_t address;
    uint16_t port;
};

/* Class of a connection: selects its idle timeout in `settings.nat_timeouts`. */
enum connection_class { CLASS_UDP, CLASS_TCP_OPEN, CLASS_TCP_BRIEF, CLASS_ICMP, CLASSES };

/* TCP state of a connection, from its flags. */
#define SEEN_OUTWARD 0x01u
#define SEEN_INWARD 0x02u
#define ENDED_OUTWARD 0x04u
#define ENDED_INWARD 0x08u
#define WAS_RESET 0x10u

/* Connection, in a separate cache line. */
struct connection {
    struct endpoint inside, remote;
    uint8_t protocol;  /* 0 while there is no connection */
    uint8_t class;     /* enum connection_class */
    uint8_t tcp;       /* what was seen */
    uint8_t reserved;
    uint16_t next;     /* in its chain of the hash table, or in the queue of free places */
    uint16_t older, newer; /* in the list of its class, by the last packet */
    uint16_t reserved_too;
    uint32_t used_at;  /* in ticks */
} __attribute__((aligned(32)));

/* connections.c */
void connections_start(void);
void connections_tick(void);
struct connection *find_outward(uint8_t protocol, struct endpoint inside, struct endpoint remote);
struct connection *find_inward(uint8_t protocol, uint16_t port, struct endpoint remote);
struct connection *add_connection(uint8_t protocol, struct endpoint inside, struct endpoint remote); /* NULL without a free port */
void use_connection(struct connection *connection, enum connection_class class);
uint16_t outer_port(const struct connection *connection);
extern uint32_t connections_open;
extern struct nat_settings nat_settings;

/* forwards.c: ports that can be reached from outside. */
void forwards_start(void);
const struct nat_forward *forward_of_port(uint8_t protocol, uint16_t port);
const struct nat_forward *forward_of_server(uint8_t protocol, struct endpoint server);

/*
 * translate.c: translates a frame where it lies, at an address 2 behind the start of a cache line, after `fetch_headers`. False if it is to
 * be dropped, which is counted. `card_inserts` says that the MAC completes the checksum, so that the frame holds the sum of the pseudo
 * header. A device may read the frame after `wait_for_cache`.
 */
#define FRAME_OFFSET 2u
/* Reach of the headers without options: whole cache lines. */
#define NEAR_BYTES (2 * CACHE_LINE_BYTES - FRAME_OFFSET)
static inline void fetch_headers(uint32_t frame) { fetch_range((const void *)frame, NEAR_BYTES); }
bool translate_outward(uint32_t frame, uint32_t bytes, bool card_inserts);
bool translate_inward(uint32_t frame, uint32_t bytes, bool is_verified); /* with the checksum of its IP header */

/*
 * translator.c, of the image `nat-split`: one core translates all frames. Only it uses the table of connections, so no lock is needed. The
 * other core does everything else. It hands over frames to send; the translator takes received frames directly from the MAC.
 */
struct outward_frame {
    uint32_t frame, flags; /* the second as its descriptor for the MAC has them; 0 of a frame that was dropped */
};
extern struct outward_frame outward_frames[];
extern uint32_t outward_asked, outward_done;
extern uint32_t inward_frames[]; /* flags and length of the return descriptor; 0 of a frame that was dropped */
extern uint32_t inward_done;
extern uint32_t host_core_rests, translator_rests;
_Noreturn void translate_all(void);

/* The commands of the console read and change the forwards of the translator, which waits meanwhile. */
void borrow_forwards(void);
void return_forwards(void);

/* forwards.c: writes what the console commands use back to the memory, and drops it from the cache of this core. */
void flush_forwards(void);

/* icmp.c: errors, which quote a packet of a connection. NAT_DROPS if one passes. */
struct packet;
enum nat_drop translate_error(const struct packet *packet, bool is_outward);

#endif
