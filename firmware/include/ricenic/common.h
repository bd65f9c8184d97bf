/* Parts common to all images besides the console: checksums of received frames, interrupts, and the profiler. */
#ifndef RICENIC_COMMON_H
#define RICENIC_COMMON_H

#include <stdbool.h>
#include <stdint.h>

/* checksum.c: of a frame at an even address, by the sum that the MAC has computed. Its headers are in the cache anew afterwards. */
uint32_t verify_checksum(uint32_t buffer, uint32_t length, uint32_t sum);

/* vectors.S, interrupts.c: of this core. */
void interrupts_start(void);
extern volatile bool has_input; /* bytes wait at the serial line; of the core with the console */
void await_input(void);         /* until more bytes come */

/*
 * A core without work waits until a device of `sources` asks, or something is typed. Devices ask for as long as there is something for
 * them to ask for, so none is missed: first the core enables them, then it looks once more whether there is work, and then it waits
 * or goes on.
 */
void begin_rest(uint32_t sources);
void wait_for_interrupt(void);
void end_rest(void);

/* profile.c: the command of the console. */
void profile_command(uint32_t count, char *const *words);

#endif
