/*
 * The result block: where a self-checking program leaves its answer.
 *
 * It is the symbol spinach_result, in .bss, and reads as all zeros until core_main begins. Words are in the
 * core's byte order. This file is included by C and by assembly.
 */
#ifndef SPINACH_RESULT_H
#define SPINACH_RESULT_H

#define RESULT_BYTES 256
#define RESULT_MAGIC 0x53504e43 /* "SPNC" */

#ifndef __ASSEMBLER__

#include <stdint.h>

enum result_status {
    RESULT_RUNNING = 0,
    RESULT_PASSED = 1,
    RESULT_FAILED = 2,
};

#define RESULT_WORDS 60

typedef struct {
    uint32_t magic;
    uint32_t status;
    uint32_t failed_line; /* of the first check that failed, else 0 */
    uint32_t word_count;
    uint32_t words[RESULT_WORDS];
} result_block_t;

_Static_assert(sizeof(result_block_t) == RESULT_BYTES, "assembly counts on the size");

extern volatile result_block_t spinach_result;

#endif
#endif
