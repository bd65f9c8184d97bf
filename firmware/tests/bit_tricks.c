/* Counting, reversing, scattering and interleaving bits, each done in two ways. */
#include "check.h"

static uint32_t ones_by_loop(uint32_t x)
{
    uint32_t ones = 0;
    for (; x; x &= x - 1)
        ones++;
    return ones;
}

static uint32_t leading_zeros_by_loop(uint32_t x)
{
    uint32_t zeros = 0;
    for (uint32_t bit = 0x80000000u; bit && !(x & bit); bit >>= 1)
        zeros++;
    return zeros;
}

static uint32_t reversed_by_loop(uint32_t x)
{
    uint32_t out = 0;
    for (int i = 0; i < 32; i++)
        out |= (x >> i & 1) << (31 - i);
    return out;
}

static uint32_t reversed_by_swaps(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

static uint32_t spread(uint32_t half)
{
    half = (half | half << 8) & 0x00ff00ffu;
    half = (half | half << 4) & 0x0f0f0f0fu;
    half = (half | half << 2) & 0x33333333u;
    return (half | half << 1) & 0x55555555u;
}

static uint32_t interleaved_by_loop(uint32_t x, uint32_t y)
{
    uint32_t out = 0;
    for (int i = 0; i < 16; i++)
        out |= (x >> i & 1) << (2 * i) | (y >> i & 1) << (2 * i + 1);
    return out;
}

static uint32_t rotated(uint32_t x, uint32_t by)
{
    by &= 31;
    return by ? x << by | x >> (32 - by) : x;
}

static uint32_t square_root(uint32_t x)
{
    uint32_t root = 0;
    for (uint32_t bit = 1u << 30; bit; bit >>= 2) {
        if (x >= root + bit) {
            x -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return root;
}

void test(void)
{
    uint32_t state = 99;
    uint32_t digest = 0;
    for (int i = 0; i < 60; i++) {
        uint32_t x = next_random(&state) >> (i & 31);
        uint64_t wide = (uint64_t)x << (i & 31) | 1;
        check((uint32_t)__builtin_popcount(x) == ones_by_loop(x));
        check(__builtin_parity(x) == (int)(ones_by_loop(x) & 1));
        check(reversed_by_loop(x) == reversed_by_swaps(x));
        check(interleaved_by_loop(x & 0xffff, x >> 16) == (spread(x & 0xffff) | spread(x >> 16) << 1));
        uint32_t ones = ones_by_loop((uint32_t)(wide >> 32)) + ones_by_loop((uint32_t)wide);
        check((uint32_t)__builtin_popcountll(wide) == ones);
        check(__builtin_ctzll(wide << (i & 31)) == (i & 31));
        if (x) {
            check((uint32_t)__builtin_clz(x) == leading_zeros_by_loop(x));
            check((uint32_t)__builtin_ctz(x) == leading_zeros_by_loop(reversed_by_loop(x)));
            check(__builtin_clzll(x) == __builtin_clz(x) + 32);
        }
        uint32_t root = square_root(x);
        check(root * root <= x && (root == 65535 || (root + 1) * (root + 1) > x));
        digest = rotated(digest, x) + rotated(x, (uint32_t)i) + root;
        if (i % 20 == 19)
            report(digest);
    }
}
