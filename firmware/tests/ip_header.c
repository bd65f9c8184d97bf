/*
 * Validates IPv4 headers as a receiver must (RFC 791, RFC 1122) and forwards them: TTL down, checksum
 * repaired.
 */
#include "check.h"

#define HEADERS 8
#define MAXIMUM_BYTES 60

enum verdict { GOOD, BAD_VERSION, BAD_LENGTH, BAD_CHECKSUM, EXPIRED };

static uint32_t sum_halfwords(const uint8_t *bytes, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i += 2)
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    sum = (sum & 0xffff) + (sum >> 16);
    return (sum & 0xffff) + (sum >> 16);
}

static void store_halfword(uint8_t *bytes, uint32_t value)
{
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

static size_t make_header(uint8_t *header, uint32_t *state)
{
    size_t bytes = 20 + 4 * (next_random(state) % 11);
    for (size_t i = 0; i < bytes; i++)
        header[i] = (uint8_t)next_random(state);
    header[0] = (uint8_t)(0x40 | bytes / 4);
    store_halfword(header + 2, (uint32_t)bytes + 100);
    header[8] = (uint8_t)(2 + next_random(state) % 60);
    store_halfword(header + 10, 0);
    store_halfword(header + 10, ~sum_halfwords(header, bytes));
    return bytes;
}

static enum verdict verdict_on(const uint8_t *header)
{
    size_t bytes = (header[0] & 0xfu) * 4;
    if (header[0] >> 4 != 4)
        return BAD_VERSION;
    if (bytes < 20 || ((uint32_t)header[2] << 8 | header[3]) < bytes)
        return BAD_LENGTH;
    if (sum_halfwords(header, bytes) != 0xffff)
        return BAD_CHECKSUM;
    return header[8] == 0 ? EXPIRED : GOOD;
}

static void forward(uint8_t *header)
{
    uint32_t checksum = ((uint32_t)header[10] << 8 | header[11]) + 0x100;
    header[8]--;
    store_halfword(header + 10, checksum + (checksum >> 16));
}

void test(void)
{
    static uint8_t header[MAXIMUM_BYTES];
    uint32_t state = 77;
    for (int i = 0; i < HEADERS; i++) {
        size_t bytes = make_header(header, &state);
        check(verdict_on(header) == GOOD);
        while (header[8] > 1) {
            forward(header);
            check(verdict_on(header) == GOOD);
        }
        report((uint32_t)header[10] << 8 | header[11]);
        forward(header);
        check(verdict_on(header) == EXPIRED);
        header[12 + next_random(&state) % (bytes - 12)] ^= 0x20;
        check(verdict_on(header) == BAD_CHECKSUM);
        header[0] ^= 0xf;
        check(verdict_on(header) != GOOD);
    }
}
