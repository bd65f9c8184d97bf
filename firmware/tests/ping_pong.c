/* Messages with a flag behind them: who sees the flag must see the message. */
#include "check.h"

#include "spinach/intrinsics.h"

#define ROUNDS 60u
#define WORDS 6

static volatile uint32_t message[WORDS], turn;

void test(void)
{
    uint32_t me = core_number();
    uint32_t cores = core_count();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t mine = round * cores + me;
        while (turn != mine)
            spin_pause();
        memory_barrier();
        for (uint32_t i = 0; i < WORDS; i++) {
            check(message[i] == mine * (i + 1));
            message[i] = (mine + 1) * (i + 1);
        }
        memory_barrier();
        turn = mine + 1;
    }
    if (me == cores - 1)
        report(message[WORDS - 1]);
}
