/*
 * Verification of the checksum of a received frame. The MAC sums all that lies behind the Ethernet header. What does not belong to the TCP
 * segment or UDP datagram is taken off here, and the pseudo header added.
 */
#include "ricenic/nic.h"

#define ETHERNET_HALVES 7u
#define TYPE_IP 0x0800u
#define ADDRESS_HALVES 6u /* in the IP header */
#define TCP 6u
#define UDP 17u
#define TCP_CHECKSUM_AT 16u
#define UDP_CHECKSUM_AT 6u
#define USUAL_HEADERS (14u + 20u + 20u)
#define HEADER_LINES_END (2 * CACHE_LINE_BYTES - FRAME_OFFSET) /* where the last cache line with these ends */

typedef const uint16_t __attribute__((may_alias)) half_word;

static uint32_t sum_of(const half_word *halves, uint32_t count)
{
    uint32_t sum = 0;
    while (count--)
        sum += *halves++;
    return sum;
}

static uint16_t folded(uint32_t sum)
{
    sum = (sum >> 16) + (sum & 0xffff);
    return (uint16_t)((sum >> 16) + sum);
}

/* Number to add so that a part of a sum is removed. */
static uint32_t without(uint32_t part) { return (uint16_t)~folded(part); }

/* The bytes behind a packet that fill the frame up, as half words of the sum. */
static uint32_t sum_of_padding(const uint8_t *frame, uint32_t from, uint32_t end)
{
    uint32_t sum = 0;
    uint32_t known = from < HEADER_LINES_END ? HEADER_LINES_END : from;
    if (end > known)
        invalidate_range(frame + known, end - known);
    for (; from < end; from++)
        sum += from & 1 ? frame[from] : (uint32_t)frame[from] << 8;
    return sum;
}

/* BD_CHECKSUM_RIGHT or BD_CHECKSUM_WRONG; 0 for a frame without a checksum of TCP or UDP over IPv4, or in pieces. */
TASK(receive_frame) uint32_t verify_checksum(uint32_t buffer, uint32_t length, uint32_t sum)
{
    const uint8_t *frame = (const uint8_t *)buffer;
#ifdef RICENIC_NAT
    fetch_headers(buffer);
#else
    invalidate_range(frame, USUAL_HEADERS);
#endif
    const half_word *ip = (const half_word *)frame + ETHERNET_HALVES;
    uint32_t header = 4 * (frame[14] & 15), total = ip[1], protocol = frame[23], end = 14 + total;
    if (ip[-1] != TYPE_IP || frame[14] >> 4 != 4 || header < 20 || ip[3] & 0x3fff || end > length)
        return 0;
    uint32_t field = header + (protocol == TCP ? TCP_CHECKSUM_AT : UDP_CHECKSUM_AT);
    if ((protocol != TCP && protocol != UDP) || field + 2 > total)
        return 0;
    if (header > 20)
        invalidate_range(frame + USUAL_HEADERS, header - 20);
    if (protocol == UDP && ip[field / 2] == 0)
        return 0;
    uint32_t header_sum = sum_of(ip, header / 2);
    if (folded(header_sum) != 0xffff)
        return 0; /* the host sees for itself */
    uint32_t pseudo_header = sum_of(ip + ADDRESS_HALVES, 4) + protocol + total - header;
    sum += without(header_sum) + pseudo_header;
    if (end < length)
        sum = folded(sum) + without(sum_of_padding(frame, end, length));
    return folded(sum) == 0xffff ? BD_CHECKSUM_RIGHT : BD_CHECKSUM_WRONG;
}
