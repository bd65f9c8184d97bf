/*
 * Parses Ethernet, VLAN, IPv4 and UDP as a NIC's receive path does, over frames made and damaged on the
 * spot.
 */
#include "check.h"

#define FRAMES 20

enum outcome { ACCEPTED, NOT_IP, FRAGMENT, NOT_UDP, BAD_LENGTH, BAD_CHECKSUM, OTHER_PORT, OUTCOMES };

static uint8_t frame[256] __attribute__((aligned(4)));

static void put(size_t at, uint32_t value)
{
    frame[at] = (uint8_t)(value >> 8);
    frame[at + 1] = (uint8_t)value;
}

static uint32_t get(size_t at)
{
    return (uint32_t)frame[at] << 8 | frame[at + 1];
}

static uint32_t add_up(uint32_t sum, size_t from, size_t count)
{
    for (; count > 1; from += 2, count -= 2)
        sum += get(from);
    return count ? sum + ((uint32_t)frame[from] << 8) : sum;
}

static uint32_t folded(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    return (sum & 0xffff) + (sum >> 16);
}

/* Pseudo header, header and payload (RFC 768). */
static uint32_t udp_sum(size_t ip, size_t udp, size_t length)
{
    return folded(add_up(add_up(17 + (uint32_t)length, ip + 12, 8), udp, length));
}

static size_t make_frame(uint32_t *state)
{
    uint32_t random = next_random(state);
    bool tagged = random & 1;
    size_t ip = tagged ? 18 : 14;
    size_t payload = random >> 4 & 127;
    size_t options = 4 * (random >> 12 & 3);
    size_t udp = ip + 20 + options;
    for (size_t i = 0; i < sizeof frame; i++)
        frame[i] = (uint8_t)next_random(state);
    if (tagged)
        put(12, 0x8100);
    put(ip - 2, 0x0800);
    frame[ip] = (uint8_t)(0x40 | (20 + options) / 4);
    put(ip + 2, (uint32_t)(20 + options + 8 + payload));
    put(ip + 6, 0x4000);
    frame[ip + 9] = 17;
    put(udp + 2, random >> 14 & 3 ? 4791 : 53);
    put(udp + 4, (uint32_t)(8 + payload));
    put(udp + 6, 0);
    uint32_t checksum = udp_sum(ip, udp, 8 + payload) ^ 0xffff;
    put(udp + 6, checksum ? checksum : 0xffff);
    return udp + 8 + payload;
}

static enum outcome parse(size_t bytes, uint32_t *payload_sum)
{
    size_t ip = get(12) == 0x8100 ? 18 : 14;
    if (get(ip - 2) != 0x0800 || frame[ip] >> 4 != 4)
        return NOT_IP;
    size_t header = (frame[ip] & 15u) * 4;
    size_t total = get(ip + 2);
    if (header < 20 || total < header + 8 || ip + total > bytes)
        return BAD_LENGTH;
    if (get(ip + 6) & 0x3fff)
        return FRAGMENT;
    if (frame[ip + 9] != 17)
        return NOT_UDP;
    size_t udp = ip + header;
    size_t length = get(udp + 4);
    if (length < 8 || length > total - header)
        return BAD_LENGTH;
    if (udp_sum(ip, udp, length) != 0xffff)
        return BAD_CHECKSUM;
    if (get(udp + 2) != 4791)
        return OTHER_PORT;
    *payload_sum = *payload_sum * 31 + add_up(0, udp + 8, length - 8);
    return ACCEPTED;
}

void test(void)
{
    uint32_t counts[OUTCOMES] = {0};
    uint32_t state = 41;
    uint32_t payload_sum = 0;
    for (int i = 0; i < FRAMES; i++) {
        size_t bytes = make_frame(&state);
        size_t ip = get(12) == 0x8100 ? 18 : 14;
        switch (i % 8) {
        case 1: put(ip - 2, 0x86dd); break;
        case 2: put(ip + 6, 0x2001); break;
        case 3: frame[ip + 9] = 6; break;
        case 4: bytes -= 1; break;
        case 5: frame[bytes - 1] ^= 0x10; break;
        default: break;
        }
        counts[parse(bytes, &payload_sum)]++;
    }
    for (size_t i = 0; i < OUTCOMES; i++) {
        check(counts[i] > 0);
        report(counts[i]);
    }
    report(payload_sum);
}
