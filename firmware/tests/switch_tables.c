/* Dense, sparse and nested switches: jump tables, comparison trees and fall-through. */
#include "check.h"

static __attribute__((noinline)) uint32_t dense(uint32_t x, uint32_t a)
{
    switch (x) {
    case 0: return a + 1;
    case 1: return a * 3;
    case 2: return a ^ 0x55;
    case 3: return a >> 3;
    case 4: return a << 5;
    case 5: return ~a;
    case 6: return a % 7;
    case 7: return a / 9;
    case 8: return a & 0xff00ff;
    case 9: return a | 0x0f0f;
    case 10: return -a;
    case 11: return a * a;
    default: return 0xdead;
    }
}

static __attribute__((noinline)) uint32_t sparse(int32_t x)
{
    switch (x) {
    case -2147483647 - 1: return 1;
    case -1000: return 2;
    case -1: return 3;
    case 0: return 4;
    case 17: return 5;
    case 4096: return 6;
    case 65537: return 7;
    case 2147483647: return 8;
    default: return 9;
    }
}

static __attribute__((noinline)) uint32_t falling(uint32_t x)
{
    uint32_t passed = 0;
    switch (x % 6) {
    case 5: passed |= 32; /* fall through */
    case 4: passed |= 16; /* fall through */
    case 3: passed |= 8; break;
    case 2: passed |= 4; /* fall through */
    case 1: passed |= 2; /* fall through */
    default: passed |= 1;
    }
    return passed;
}

static __attribute__((noinline)) uint32_t classify(uint8_t character)
{
    switch (character) {
    case '0' ... '9': return 1;
    case 'a' ... 'z': return 2;
    case 'A' ... 'Z': return 3;
    case ' ': case '\t': case '\n': return 4;
    case '+': case '-': case '*': case '/': return 5;
    default: return 0;
    }
}

void test(void)
{
    static const int32_t values[] = {
        -2147483647 - 1, -1000, -1, 0, 17, 4096, 65537, 2147483647, 1, -999, 4097,
    };
    static const uint8_t fallen[] = {1, 3, 7, 8, 24, 56};
    uint32_t state = 13;
    uint32_t digest = 0;
    for (uint32_t i = 0; i < 200; i++)
        digest = digest * 31 + dense(i % 14, next_random(&state));
    report(digest);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        check(sparse(values[i]) == (i < 8 ? i + 1 : 9));
    for (uint32_t i = 0; i < 12; i++)
        check(falling(i) == fallen[i % 6]);
    uint32_t counts[6] = {0};
    for (uint32_t character = 0; character < 256; character++)
        counts[classify((uint8_t)character)]++;
    for (size_t i = 0; i < 6; i++)
        report(counts[i]);
}
