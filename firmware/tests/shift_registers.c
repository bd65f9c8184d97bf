/* Linear feedback shift registers: full period, Galois and Fibonacci forms, scrambling, bytes of PRBS-7. */
#include "check.h"

static uint32_t galois12(uint32_t register_)
{
    return register_ >> 1 ^ (-(register_ & 1) & 0xe08u); /* x^12 + x^11 + x^10 + x^4 + 1 */
}

static uint32_t fibonacci12(uint32_t register_)
{
    uint32_t bit = register_ ^ register_ >> 1 ^ register_ >> 2 ^ register_ >> 8;
    return (register_ >> 1 | bit << 11) & 0xfff;
}

static uint32_t period(uint32_t (*step)(uint32_t), uint32_t start)
{
    uint32_t register_ = start;
    uint32_t steps = 0;
    do {
        register_ = step(register_);
        steps++;
    } while (register_ != start);
    return steps;
}

/* The self-synchronous scrambler 1 + x^39 + x^58 of 10GBASE-R (IEEE 802.3, clause 49). */
static uint64_t scrambler, descrambler;

static uint32_t scrambled(uint32_t bit)
{
    bit ^= (uint32_t)(scrambler >> 38 ^ scrambler >> 57) & 1;
    scrambler = scrambler << 1 | bit;
    return bit;
}

static uint32_t descrambled(uint32_t bit)
{
    uint32_t out = bit ^ ((uint32_t)(descrambler >> 38 ^ descrambler >> 57) & 1);
    descrambler = descrambler << 1 | bit;
    return out;
}

static uint8_t prbs7_byte(uint32_t *register_)
{
    uint8_t byte = 0;
    for (int i = 0; i < 8; i++) {
        uint32_t bit = (*register_ >> 6 ^ *register_ >> 5) & 1; /* x^7 + x^6 + 1 */
        *register_ = (*register_ << 1 | bit) & 0x7f;
        byte = (uint8_t)(byte << 1 | bit);
    }
    return byte;
}

void test(void)
{
    report(period(galois12, 0xace));
    report(period(fibonacci12, 0xace));
    uint32_t state = 53;
    scrambler = 0x123456789abcdefu;
    descrambler = 0; /* finds itself after 58 bits */
    uint32_t digest = 0;
    for (int i = 0; i < 500; i++) {
        uint32_t bit = next_random(&state) >> 31;
        uint32_t sent = scrambled(bit);
        uint32_t received = descrambled(sent);
        check(i < 58 || received == bit);
        digest = digest << 1 ^ digest >> 31 ^ sent;
    }
    report(digest);
    uint32_t prbs = 0x7f;
    uint8_t first = prbs7_byte(&prbs);
    for (int i = 1; i < 127; i++)
        prbs7_byte(&prbs);
    check(prbs == 0x7f); /* 127 bytes are eight periods of 127 bits */
    report(first);
}
