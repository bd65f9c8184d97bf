/* A byte-oriented Lempel-Ziv compressor with a hash of the last three bytes, and its decompressor. */
#include "check.h"

#define SIZE 800
#define MINIMUM 4
#define MAXIMUM 131

static uint8_t plain[SIZE], packed[SIZE + SIZE / 64 + 8], unpacked[SIZE];
static uint16_t last_place[256]; /* plus one; 0 is nowhere */

static uint32_t hash_at(const uint8_t *at)
{
    return (((uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2]) * 2654435769u) >> 24;
}

static size_t put_literals(size_t out, size_t from, size_t to)
{
    while (from < to) {
        size_t count = to - from < 128 ? to - from : 128;
        packed[out++] = (uint8_t)(count - 1);
        while (count-- > 0)
            packed[out++] = plain[from++];
    }
    return out;
}

static size_t compress(void)
{
    size_t out = 0;
    size_t literals = 0;
    size_t at = 0;
    while (at + MINIMUM <= SIZE) {
        uint16_t *slot = &last_place[hash_at(plain + at)];
        size_t before = *slot;
        *slot = (uint16_t)(at + 1);
        size_t length = 0;
        if (before--) {
            while (length < MAXIMUM && at + length < SIZE && plain[before + length] == plain[at + length])
                length++;
        }
        if (length < MINIMUM) {
            at++;
            continue;
        }
        out = put_literals(out, literals, at);
        packed[out++] = (uint8_t)(0x80 | (length - MINIMUM));
        packed[out++] = (uint8_t)((at - before) >> 8);
        packed[out++] = (uint8_t)(at - before);
        at += length;
        literals = at;
    }
    return put_literals(out, literals, SIZE);
}

static size_t decompress(size_t bytes)
{
    size_t out = 0;
    for (size_t in = 0; in < bytes;) {
        uint8_t token = packed[in++];
        if (token & 0x80) {
            size_t distance = (size_t)packed[in] << 8 | packed[in + 1];
            in += 2;
            for (size_t length = (token & 0x7fu) + MINIMUM; length > 0; length--, out++)
                unpacked[out] = unpacked[out - distance];
        } else {
            for (size_t count = token + 1u; count > 0; count--)
                unpacked[out++] = packed[in++];
        }
    }
    return out;
}

void test(void)
{
    uint32_t state = 19;
    for (size_t i = 0; i < SIZE; i++) {
        uint32_t random = next_random(&state);
        plain[i] = i > 40 && random & 7 ? plain[i - 1 - (random >> 27)] : (uint8_t)(random >> 8);
        if (i > 300 && random % 5)
            plain[i] = plain[i - 256];
    }
    size_t bytes = compress();
    check(decompress(bytes) == SIZE);
    for (size_t i = 0; i < SIZE; i++)
        check(unpacked[i] == plain[i]);
    report((uint32_t)bytes);
    uint32_t digest = 0;
    for (size_t i = 0; i < bytes; i++)
        digest = digest * 31 + packed[i];
    report(digest);
}
