/*
 * Each core stores bytes and halfwords next to those of others in the same words: no neighbour may be
 * disturbed.
 */
#include "check.h"

#include "spinach/intrinsics.h"
#include "spinach/lock.h"

#define ROUNDS 120
#define WORDS 8

static volatile uint8_t bytes[WORDS * 4] __attribute__((aligned(4)));
static volatile uint16_t halfwords[WORDS * 2] __attribute__((aligned(4)));
static core_barrier_t finished;

void test(void)
{
    uint32_t me = core_number();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t word = 0; word < WORDS; word++)
            bytes[4 * word + me] = (uint8_t)(round + 50 * me + word);
        for (uint32_t i = me & 1; i < 2 * WORDS && me < 2; i += 2)
            halfwords[i] = (uint16_t)(round * 300 + me);
        for (uint32_t word = 0; word < WORDS; word++)
            check(bytes[4 * word + me] == (uint8_t)(round + 50 * me + word));
        for (uint32_t i = me & 1; i < 2 * WORDS && me < 2; i += 2)
            check(halfwords[i] == (uint16_t)(round * 300 + me));
    }
    core_barrier_wait(&finished);
    if (me == 0) {
        for (uint32_t word = 0; word < WORDS; word++) {
            report(((volatile uint32_t *)bytes)[word]);
            report(((volatile uint32_t *)halfwords)[word]);
        }
    }
}
