/* Building blocks of console commands. */
#ifndef RICENIC_CONSOLE_H
#define RICENIC_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

struct counters {
    uint32_t frames_received, interrupts; /* since the start */
};
extern struct counters counters;
extern uint32_t frames_sent; /* since the start; written by the core that sends */

void console(void);
bool has_console_said_all(void);
bool is_console_busy(void);

void write_character(char character);
void write_text(const char *text);
void write_decimal(uint32_t number);
void write_hexadecimal(uint32_t number);
void write_named(const char *name, uint32_t number); /* a separate line */
bool is_same(const char *one, const char *other);
bool read_number(const char *text, uint32_t *number); /* in hexadecimal behind 0x; false if the text is not a valid one */

/* Commands of an image in addition to the common ones: their lines in the list, and true if `words` is one and was executed. */
#if defined RICENIC_NAT || defined RICENIC_CDNA
#define HAS_OWN_COMMANDS
#endif
void own_help(void);
bool obey_own(uint32_t count, char *const *words);

#endif
