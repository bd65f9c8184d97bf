/* Interface of a test program: it defines test(), reports words and checks facts. */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Defined by the program; called once on every core. The run ends when all cores have returned. */
void test(void);

/* Appends a word to the result block. One core reports at a time. */
void report(uint32_t word);

/* Marks the run as failed if the fact is false. Any core may call it at any time. */
#define check(fact) check_line((fact), __LINE__)
void check_line(bool fact, uint32_t line);

/* The next word of a fixed sequence that looks random: the same on every core, compiler and machine. */
uint32_t next_random(uint32_t *state);

/* Byte order of this core, and the value of big-endian numbers as packets have them. */
#define IS_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define NETWORK16(value) ((uint16_t)(IS_LITTLE_ENDIAN ? __builtin_bswap16(value) : (value)))
#define NETWORK32(value) (IS_LITTLE_ENDIAN ? __builtin_bswap32(value) : (value))

#endif
