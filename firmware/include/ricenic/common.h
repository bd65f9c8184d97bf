/* What all images have beside the console: checksums of received frames, interrupts, and the profiler. */
#ifndef RICENIC_COMMON_H
#define RICENIC_COMMON_H

#include <stdbool.h>
#include <stdint.h>

/* checksum.c: of a frame at an even address, by the sum that the MAC has computed. Its headers are in the cache anew afterwards. */
uint32_t verify_checksum(uint32_t buffer, uint32_t length, uint32_t sum);

/* vectors.S, interrupts.c: on the core with the console. */
void interrupts_start(void);
extern volatile bool has_input; /* bytes wait at the serial line */
void await_input(void);         /* until more bytes come */

/* profile.c: the command of the console. */
void profile_command(uint32_t count, char *const *words);

#endif
