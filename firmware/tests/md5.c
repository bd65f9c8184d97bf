/* MD5 (RFC 1321): little-endian words on a big-endian core. */
#include "check.h"

static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static const uint8_t rotations[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t little_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

static void add_block(uint32_t hash[4], const uint8_t *block)
{
    uint32_t a = hash[0], b = hash[1], c = hash[2], d = hash[3];
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t mixed, word;
        switch (i / 16) {
        case 0: mixed = (b & c) | (~b & d), word = i; break;
        case 1: mixed = (d & b) | (~d & c), word = (5 * i + 1) % 16; break;
        case 2: mixed = b ^ c ^ d, word = (3 * i + 5) % 16; break;
        default: mixed = c ^ (b | ~d), word = 7 * i % 16; break;
        }
        uint32_t by = rotations[i / 16][i % 4];
        uint32_t sum = a + mixed + sines[i] + little_endian(block + 4 * word);
        a = d;
        d = c;
        c = b;
        b += sum << by | sum >> (32 - by);
    }
    hash[0] += a;
    hash[1] += b;
    hash[2] += c;
    hash[3] += d;
}

static void hash_message(uint32_t hash[4], const uint8_t *message, size_t count)
{
    static const uint32_t initial[4] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u};
    uint8_t last[128] = {0};
    size_t whole = count / 64 * 64;
    size_t rest = count - whole;
    size_t padded = rest < 56 ? 64 : 128;
    for (size_t i = 0; i < 4; i++)
        hash[i] = initial[i];
    for (size_t i = 0; i < whole; i += 64)
        add_block(hash, message + i);
    for (size_t i = 0; i < rest; i++)
        last[i] = message[whole + i];
    last[rest] = 0x80;
    for (size_t i = 0; i < 4; i++)
        last[padded - 8 + i] = (uint8_t)(count * 8 >> (8 * i));
    for (size_t i = 0; i < padded; i += 64)
        add_block(hash, last + i);
}

void test(void)
{
    static uint8_t message[200];
    static const uint8_t lengths[] = {0, 3, 55, 56, 64, 200};
    uint32_t state = 1;
    uint32_t hash[4];
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)next_random(&state);
    for (size_t i = 0; i < sizeof lengths; i++) {
        hash_message(hash, message, lengths[i]);
        for (size_t j = 0; j < 4; j++)
            report(__builtin_bswap32(hash[j]));
    }
}
