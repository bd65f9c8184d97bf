/*
 * Receive coalescing: segments of TCP over IPv4 that continue each other become one, with their payload behind the headers of the first
 * (virtio 1.2, section 5.1.6.4). Only what the driver could cut into the same frames again is coalesced: headers agree but for length,
 * identification, sequence number and checksums, and only the last segment has the push flag or less payload.
 */
#include "hundredgig/nic.h"

#if FIRMWARE_COALESCING
#define NETWORK 14u
#define TRANSPORT 34u /* of IPv4 without options */
#define IP_LENGTH 16u
#define IP_IDENTIFICATION 18u
#define IP_FRAGMENT 20u
#define IP_PROTOCOL 23u
#define IP_CHECKSUM 24u
#define IP_SOURCE 26u
#define TCP_SEQUENCE 38u
#define TCP_ACKNOWLEDGED 42u
#define TCP_OFFSET 46u
#define TCP_FLAGS 47u
#define TCP_WINDOW 48u
#define TCP_CHECKSUM 50u
#define TCP_URGENT 52u
#define SHORTEST_HEADERS 54u
#define PROTOCOL_TCP 6u
#define ACKNOWLEDGE 0x10u
#define PUSH 0x08u
#define LARGEST_PACKET 65535u

typedef uint32_t __attribute__((may_alias)) word;
typedef uint16_t __attribute__((may_alias)) half;

/* A segment that could be coalesced. */
struct segment {
    uint32_t headers, payload, sequence, identification;
    uint32_t sum; /* of what differs in a correct header of IP; equal in all segments of a send */
    uint32_t flags;
};

static struct {
    const uint8_t *frame; /* the first */
    struct segment first;
    uint32_t payload, frames; /* so far */
    uint32_t flags;           /* of all */
    bool is_open;
} run;

static uint32_t word_of(const uint8_t *frame, uint32_t offset) { return *(const word *)(frame + offset); }
static uint32_t half_of(const uint8_t *frame, uint32_t offset) { return *(const half *)(frame + offset); }
static uint32_t big_half(const uint8_t *frame, uint32_t offset) { return (uint32_t)frame[offset] << 8 | frame[offset + 1]; }

/* Finds the segment in a frame whose checksum is right; false if it has no data, or flags and headers that are not coalesced. */
static bool find(const uint8_t *frame, uint32_t completion, struct segment *found)
{
    if (!(completion & RECEIVED_CHECKSUM_RIGHT) || RECEIVED_BYTES(completion) <= SHORTEST_HEADERS ||
        (word_of(frame, NETWORK - 2) & 0xffffffu) != 0x450008u || half_of(frame, IP_FRAGMENT) & 0xff3fu ||
        frame[IP_PROTOCOL] != PROTOCOL_TCP)
        return false;
    uint32_t length = big_half(frame, IP_LENGTH), bytes = NETWORK + length;
    found->flags = frame[TCP_FLAGS];
    found->headers = TRANSPORT + (frame[TCP_OFFSET] >> 4) * 4u;
    found->identification = big_half(frame, IP_IDENTIFICATION);
    if ((found->flags & ~PUSH) != ACKNOWLEDGE || found->headers < SHORTEST_HEADERS || bytes <= found->headers ||
        bytes != RECEIVED_BYTES(completion))
        return false;
    found->payload = bytes - found->headers;
    found->sequence = big_half(frame, TCP_SEQUENCE) << 16 | big_half(frame, TCP_SEQUENCE + 2);
    found->sum = folded(length + found->identification + big_half(frame, IP_CHECKSUM));
    return true;
}

/* True if the headers agree in what is equal in all segments of a send. */
static bool agrees(const uint8_t *frame)
{
    const uint8_t *first = run.frame;
    for (uint32_t at = 0; at < IP_LENGTH; at += sizeof(word))
        if (word_of(first, at) != word_of(frame, at))
            return false;
    if (word_of(first, IP_FRAGMENT) != word_of(frame, IP_FRAGMENT) || half_of(first, IP_SOURCE) != half_of(frame, IP_SOURCE) ||
        word_of(first, IP_SOURCE + 2) != word_of(frame, IP_SOURCE + 2) ||
        word_of(first, TRANSPORT - 2) != word_of(frame, TRANSPORT - 2) ||
        half_of(first, TRANSPORT + 2) != half_of(frame, TRANSPORT + 2) ||
        half_of(first, TCP_ACKNOWLEDGED) != half_of(frame, TCP_ACKNOWLEDGED) ||
        half_of(first, TCP_ACKNOWLEDGED + 2) != half_of(frame, TCP_ACKNOWLEDGED + 2) ||
        first[TCP_OFFSET] != frame[TCP_OFFSET] || half_of(first, TCP_WINDOW) != half_of(frame, TCP_WINDOW))
        return false;
    /* Options begin behind two aligned bytes, and end with two. */
    uint32_t at = TCP_URGENT;
    for (; at + sizeof(word) <= run.first.headers; at += sizeof(word))
        if (word_of(first, at) != word_of(frame, at))
            return false;
    return half_of(first, at) == half_of(frame, at);
}

bool coalesce_begin(const uint8_t *frame, uint32_t completion)
{
    if (!has_feature(VIRTIO_NET_GUEST_TSO4) || !has_feature(VIRTIO_NET_MERGED_BUFFERS) || !find(frame, completion, &run.first))
        return false;
    run.frame = frame;
    run.payload = run.first.payload;
    run.frames = 1;
    run.flags = run.first.flags;
    run.is_open = !(run.flags & PUSH);
    return run.is_open;
}

uint32_t coalesce_payload(const uint8_t *frame, uint32_t completion)
{
    struct segment next;
    if (!run.is_open || !find(frame, completion, &next) || next.headers != run.first.headers || next.payload > run.first.payload ||
        next.sequence != run.first.sequence + run.payload || next.sum != run.first.sum ||
        next.identification != ((run.first.identification + run.frames) & 0xffff) ||
        run.first.headers - NETWORK + run.payload + next.payload > LARGEST_PACKET || !agrees(frame))
        return 0;
    return next.payload;
}

void coalesce_add(const uint8_t *frame, uint32_t payload)
{
    run.payload += payload;
    run.frames++;
    run.flags |= frame[TCP_FLAGS];
    run.is_open = !(run.flags & PUSH) && payload == run.first.payload;
}

uint32_t coalesce_headers(void) { return run.first.headers; }

/* The driver completes the checksum if it needs one: it gets the sum of the pseudo header. */
void coalesce_end(struct virtio_net_header *header, uint8_t *frame)
{
    uint32_t before = big_half(frame, IP_LENGTH), length = run.first.headers - NETWORK + run.payload;
    uint32_t sum = folded((0xffff ^ big_half(frame, IP_CHECKSUM)) + (0xffff ^ before) + length);
    put_half(frame + IP_LENGTH, length);
    put_half(frame + IP_CHECKSUM, 0xffff ^ sum);
    frame[TCP_FLAGS] = (uint8_t)run.flags;
    sum = PROTOCOL_TCP + length - (TRANSPORT - NETWORK);
    for (uint32_t at = IP_SOURCE; at < TRANSPORT; at += 2)
        sum += big_half(frame, at);
    put_half(frame + TCP_CHECKSUM, folded(sum));
    header->flags = VIRTIO_NET_NEEDS_CHECKSUM;
    header->segmentation = VIRTIO_NET_SEGMENT_TCP4;
    header->header_length = (uint16_t)run.first.headers;
    header->segment_size = (uint16_t)run.first.payload;
    header->checksum_start = TRANSPORT;
    header->checksum_offset = TCP_CHECKSUM - TRANSPORT;
}
#endif
