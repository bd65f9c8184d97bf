/*
 * Frames finish out of order on many cores and are committed in order with the bit-array instructions:
 * the core that finishes frame n sets bit n; core 0 commits the runs that `update` hands it.
 */
#include "check.h"

#include "spinach/bit_array.h"
#include "spinach/intrinsics.h"
#include "spinach/lock.h"

#define SIZE 64u /* bits in the ring, and the most frames in flight */
#define FRAMES 400u

static volatile uint32_t done[SIZE / 32];
static volatile uint32_t next_frame, committed;
static volatile uint32_t work_of[SIZE];
static core_barrier_t finished;

static void work(void)
{
    for (;;) {
        uint32_t frame = next_frame;
        if (frame >= FRAMES)
            return;
        if (frame - committed >= SIZE) {
            spin_pause();
            continue;
        }
        if (atomic_compare_swap(&next_frame, frame, frame + 1) != frame)
            continue;
        uint32_t state = frame + 1;
        for (uint32_t delay = frame * 7 % 13; delay > 0; delay--)
            next_random(&state);
        work_of[frame % SIZE] = frame ^ 0x5a5a;
        memory_barrier();
        bit_array_set(done, frame % SIZE);
    }
}

static void commit(void)
{
    uint32_t first = 0;
    uint32_t digest = 0;
    while (committed < FRAMES) {
        uint32_t last = bit_array_update(done, first);
        uint32_t count = last + 1 - first;
        check(count <= 32 - first % 32);
        if (count == 0)
            spin_pause();
        memory_barrier();
        for (uint32_t i = 0; i < count; i++) {
            check(work_of[first + i] == ((committed + i) ^ 0x5a5a));
            digest = digest * 31 + work_of[first + i];
        }
        memory_barrier();
        committed = committed + count;
        first = (last + 1) & (SIZE - 1);
    }
    report(digest);
}

void test(void)
{
    if (core_number() == 0)
        commit();
    else
        work();
    core_barrier_wait(&finished);
    if (core_number() == 0) {
        for (uint32_t word = 0; word < SIZE / 32; word++)
            check(done[word] == 0);
        report(committed);
    }
}
