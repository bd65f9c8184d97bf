/* The Internet checksum of RFC 1071, three ways, and its incremental update of RFC 1624. */
#include "check.h"

static uint16_t fold(uint32_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

static uint16_t by_byte(const uint8_t *bytes, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += i & 1 ? bytes[i] : (uint32_t)bytes[i] << 8;
    return (uint16_t)~fold(sum);
}

static uint16_t by_halfword(const uint8_t *bytes, size_t count)
{
    const uint16_t *halfwords = (const uint16_t *)bytes;
    uint32_t sum = 0;
    for (; count >= 2; count -= 2)
        sum += NETWORK16(*halfwords), halfwords++;
    if (count)
        sum += (uint32_t) * (const uint8_t *)halfwords << 8;
    return (uint16_t)~fold(sum);
}

/* Adds whole words and carries around the end: the sum modulo 2^32 - 1 is the sum modulo 2^16 - 1. */
static uint16_t by_word(const uint8_t *bytes, size_t count)
{
    const uint32_t *words = (const uint32_t *)bytes;
    uint32_t sum = 0;
    for (; count >= 4; count -= 4) {
        uint32_t word = NETWORK32(*words);
        words++;
        sum += word;
        sum += sum < word;
    }
    uint32_t rest = 0;
    for (size_t i = 0; i < count; i++)
        rest |= (uint32_t)((const uint8_t *)words)[i] << (24 - 8 * i);
    sum += rest;
    sum += sum < rest;
    return (uint16_t)~fold(sum);
}

/* RFC 1624, equation 3: HC' = ~(~HC + ~m + m'). */
static uint16_t updated(uint16_t checksum, uint16_t old, uint16_t new)
{
    return (uint16_t)~fold((uint32_t)(uint16_t)~checksum + (uint16_t)~old + new);
}

void test(void)
{
    static uint8_t bytes[256] __attribute__((aligned(4)));
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)next_random(&state);
    for (size_t length = 1; length <= sizeof bytes; length += 15) {
        uint16_t checksum = by_byte(bytes, length);
        check(by_halfword(bytes, length) == checksum);
        check(by_word(bytes, length) == checksum);
        report(checksum);
    }
    uint16_t before = by_byte(bytes, 64);
    uint16_t *field = (uint16_t *)(bytes + 8);
    uint16_t old = NETWORK16(*field);
    *field = NETWORK16(0x1234);
    check(by_byte(bytes, 64) == updated(before, old, 0x1234));
}
