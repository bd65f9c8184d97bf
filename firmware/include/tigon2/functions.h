/* Functions that the files of the firmware offer each other. */
#ifndef TIGON2_FUNCTIONS_H
#define TIGON2_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "tigon2/dma.h"
#include "tigon2/state.h"

/* send.c, send_buffers.c */
void send_fetch(void);
void send_start(void);
void send_tune(void);
void send_report(bool now);
void send_follow(void); /* what has left: only in the released style, in tick.c */

/* receive_buffers.c: which of the rings, and what the host's mailbox says. */
void receive_fetch(uint32_t ring);
void receive_reset_jumbo(void);
void receive_jumbo_arrived(uint32_t arrived);
void receive_fetch_start(uint32_t ring, const struct ring_control *control, uint32_t offset, uint32_t entries, uint32_t shift);

/* receive_start.c, receive.c, returns.c */
void receive_start(void);
void receive_tune(void);
void returns_flush(void);
void receive_recover(void); /* only in the released style */

/* checksum.c */
void checksums_insert(uint32_t frame, uint32_t bytes, uint32_t flags, uint32_t sum);
bool checksums_verify(uint32_t frame, uint32_t skipped, uint32_t bytes, uint32_t sum, uint32_t *checksums);

/* host.c, on the core that receives */
void host_interrupt(void);
bool host_write_word(uint32_t high, uint32_t low, uint32_t word, uint32_t tag);

/* statistics.c: first those of the core that receives. */
void statistics_of_receiving(void);
void statistics_begin_anew(void);
void statistics_ask(void);
void statistics_clear(void);
void statistics_count_command(uint32_t command);
void statistics_count_event(uint32_t event);

/* commands.c and host.c, on the core that sends */
void host_event(uint32_t event);
void commands_obey(void);
void mailbox_interrupt(void);

/* link.c */
void mac_set_address(void);
void mac_start(void);
void mac_stop(void);
void mac_negotiate(void); /* likewise only there */
void mac_all_multicast(bool accept);
void mac_promiscuous(bool accept);
bool mac_is_promiscuous(void);
void mac_multicast(uint32_t high, uint32_t low, bool add);

/* assist.c, on core B */
void assist_run(void);

/* timer.c: `ticks` from now, unless the deadline is already set. */
void send_deadline(uint32_t deadline, uint32_t ticks);
void send_deadline_soon(uint32_t deadline); /* even if it is set for later */
void receive_deadline(uint32_t deadline, uint32_t ticks);

#endif
