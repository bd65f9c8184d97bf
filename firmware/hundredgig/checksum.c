/*
 * The Internet checksum (RFC 1071) in software: for cards whose MAC does not compute it, and for headers beyond the reach of the MAC.
 */
#include "hundredgig/nic.h"

#define UDP_CHECKSUM 6u /* offset in a datagram */

/* One's complement sum of little-endian half words: that of big-endian half words with its bytes swapped. */
static uint32_t sum_of(const uint8_t *bytes, uint32_t length)
{
    uint32_t sum = 0;
    if (((uint32_t)bytes & 2) && !((uint32_t)bytes & 1) && length >= 2) {
        sum = *(const uint16_t *)bytes;
        bytes += 2;
        length -= 2;
    }
    if (!((uint32_t)bytes & 3)) {
        for (; length >= 4; bytes += 4, length -= 4) {
            uint32_t word = *(const uint32_t *)bytes;
            sum += word;
            sum += sum < word;
        }
    }
    sum = (sum & 0xffff) + (sum >> 16);
    for (; length >= 2; bytes += 2, length -= 2)
        sum += half_at(bytes);
    if (length)
        sum += *bytes;
    return folded(sum);
}

/* Stores the checksum of the bytes from `start` to the end of the frame at `field`, which holds the sum of the pseudo header. `bytes` are at
   `frame`; the two parts of `payload` follow them, unless it is null. Where UDP has its checksum, zero is sent as ones: the two are equal in
   one's complement, and zero would mean that there is no checksum. */
void insert_checksum(uint8_t *frame, uint32_t bytes, const struct part *payload, uint32_t start, uint32_t field)
{
    uint32_t sum = sum_of(frame + start, bytes - start);
    if (payload) {
        uint32_t second = sum_of(payload[1].start, payload[1].bytes);
        if (payload[0].bytes & 1)
            second = (second << 8 | second >> 8) & 0xffff;
        sum = folded(sum + sum_of(payload[0].start, payload[0].bytes) + second);
    }
    uint32_t checksum = sum ^ 0xffff;
    if (checksum == 0 && field == start + UDP_CHECKSUM)
        checksum = 0xffff;
    frame[field] = (uint8_t)checksum;
    frame[field + 1] = (uint8_t)(checksum >> 8);
}
