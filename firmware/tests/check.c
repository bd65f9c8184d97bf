#include "check.h"

#include "spinach/intrinsics.h"
#include "spinach/lock.h"
#include "spinach/result.h"

volatile result_block_t spinach_result;

static core_barrier_t everyone_started;
static core_barrier_t everyone_finished;

void report(uint32_t word)
{
    uint32_t index = spinach_result.word_count;
    check(index < RESULT_WORDS);
    if (index < RESULT_WORDS) {
        spinach_result.words[index] = word;
        spinach_result.word_count = index + 1;
    }
}

void check_line(bool fact, uint32_t line)
{
    if (!fact)
        atomic_compare_swap(&spinach_result.failed_line, 0, line);
}

uint32_t next_random(uint32_t *state)
{
    /* Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003, page 4: triple 13, 17, 5. */
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

int core_main(uint32_t core)
{
    check(core == core_number());
    core_barrier_wait(&everyone_started);
    test();
    core_barrier_wait(&everyone_finished);
    bool failed = spinach_result.failed_line != 0;
    if (core == 0) {
        spinach_result.magic = RESULT_MAGIC;
        spinach_result.status = failed ? RESULT_FAILED : RESULT_PASSED;
    }
    return failed;
}
