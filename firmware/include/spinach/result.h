/*
 * The result block: where a self-checking program leaves its answer for whoever ran it.
 *
 * The linker script places it at the symbol spinach_result, inside .bss, so it reads as all zeros until
 * core_main begins. Words are in the core's byte order.
 */
#ifndef SPINACH_RESULT_H
#define SPINACH_RESULT_H

#include <stdint.h>

#define RESULT_MAGIC 0x53504e43u /* "SPNC" */
#define RESULT_WORDS 60

enum result_status {
    RESULT_RUNNING = 0,
    RESULT_PASSED = 1,
    RESULT_FAILED = 2,
};

typedef struct {
    uint32_t magic;
    uint32_t status;
    uint32_t failed_line; /* of the first check that failed, else 0 */
    uint32_t word_count;
    uint32_t words[RESULT_WORDS];
} result_block_t;

extern volatile result_block_t spinach_result;

#endif
