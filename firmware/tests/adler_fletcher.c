/* Adler-32 (RFC 1950) and Fletcher-16, with delayed and with immediate reduction. */
#include "check.h"

#define ADLER_MODULUS 65521u
#define BLOCK 5552 /* the most bytes before 32-bit sums may overflow (RFC 1950's reference code) */

static uint32_t adler_immediate(const uint8_t *bytes, size_t count)
{
    uint32_t a = 1;
    uint32_t b = 0;
    for (size_t i = 0; i < count; i++) {
        a = (a + bytes[i]) % ADLER_MODULUS;
        b = (b + a) % ADLER_MODULUS;
    }
    return b << 16 | a;
}

static uint32_t adler_delayed(const uint8_t *bytes, size_t count)
{
    uint32_t a = 1;
    uint32_t b = 0;
    while (count > 0) {
        size_t block = count < BLOCK ? count : BLOCK;
        for (size_t i = 0; i < block; i++) {
            a += *bytes++;
            b += a;
        }
        a %= ADLER_MODULUS;
        b %= ADLER_MODULUS;
        count -= block;
    }
    return b << 16 | a;
}

static uint32_t fletcher16(const uint8_t *bytes, size_t count)
{
    uint32_t low = 0;
    uint32_t high = 0;
    for (size_t i = 0; i < count; i++) {
        low += bytes[i];
        if (low >= 255)
            low -= 255;
        high += low;
        if (high >= 255)
            high -= 255;
    }
    return high << 8 | low;
}

void test(void)
{
    static uint8_t bytes[5700];
    uint32_t state = 3;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)next_random(&state);
    for (size_t length = 0; length <= sizeof bytes; length += sizeof bytes) {
        uint32_t adler = adler_delayed(bytes, length);
        check(adler == adler_immediate(bytes, length));
        report(adler);
        report(fletcher16(bytes, length));
    }
}
