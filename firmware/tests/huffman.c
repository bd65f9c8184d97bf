/* Huffman coding: build the tree, make canonical codes, encode, decode. */
#include "check.h"

#define SYMBOLS 32
#define COUNT 200

static uint8_t text[COUNT], decoded[COUNT], packed[COUNT * 2];
static uint32_t weight[2 * SYMBOLS];
static uint8_t parent[2 * SYMBOLS];
static uint8_t length_of[SYMBOLS];
static uint32_t code_of[SYMBOLS];

static uint32_t lightest(uint32_t nodes)
{
    uint32_t best = nodes;
    for (uint32_t node = 0; node < nodes; node++) {
        if (weight[node] && !parent[node] && (best == nodes || weight[node] < weight[best]))
            best = node;
    }
    return best;
}

/* Nodes from SYMBOLS up are inner ones; 0 means "no parent", which is not the number of an inner node. */
static void find_lengths(void)
{
    uint32_t nodes = SYMBOLS;
    for (;;) {
        uint32_t first = lightest(nodes);
        parent[first] = 1; /* out of the way for the second search */
        uint32_t second = lightest(nodes);
        parent[first] = 0;
        if (second == nodes)
            break;
        weight[nodes] = weight[first] + weight[second];
        parent[first] = parent[second] = (uint8_t)nodes++;
    }
    for (uint32_t symbol = 0; symbol < SYMBOLS; symbol++) {
        for (uint32_t node = symbol; parent[node]; node = parent[node])
            length_of[symbol]++;
    }
}

static void assign_codes(void)
{
    uint32_t code = 0;
    for (uint32_t length = 1; length < SYMBOLS; length++, code <<= 1) {
        for (uint32_t symbol = 0; symbol < SYMBOLS; symbol++) {
            if (length_of[symbol] == length)
                code_of[symbol] = code++;
        }
    }
}

static uint32_t encode(void)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t bit = length_of[text[i]]; bit-- > 0; bits++)
            packed[bits / 8] |= (uint8_t)((code_of[text[i]] >> bit & 1) << (7 - bits % 8));
    }
    return bits;
}

static void decode(uint32_t bits)
{
    uint32_t count = 0;
    uint32_t code = 0;
    uint32_t length = 0;
    for (uint32_t i = 0; i < bits; i++) {
        code = code << 1 | (packed[i / 8] >> (7 - i % 8) & 1);
        length++;
        for (uint32_t symbol = 0; symbol < SYMBOLS; symbol++) {
            if (length_of[symbol] == length && code_of[symbol] == code) {
                decoded[count++] = (uint8_t)symbol;
                code = length = 0;
                break;
            }
        }
    }
    check(count == COUNT && length == 0);
}

void test(void)
{
    uint32_t state = 23;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t random = next_random(&state);
        text[i] = (uint8_t)(__builtin_ctz(random | 0x80000000u) * 2 % SYMBOLS + (random >> 31));
        weight[text[i]]++;
    }
    find_lengths();
    assign_codes();
    uint32_t bits = encode();
    decode(bits);
    for (uint32_t i = 0; i < COUNT; i++)
        check(decoded[i] == text[i]);
    report(bits);
    for (uint32_t symbol = 0; symbol < 8; symbol++)
        report((uint32_t)length_of[symbol] << 24 | code_of[symbol]);
}
