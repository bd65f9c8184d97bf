/*
 * Receive coalescing: segments of TCP that continue each other become one, with their payload behind the headers of the first (virtio 1.2,
 * section 5.1.6.4). Only what the driver could cut into the same frames again is coalesced: headers agree but for length, identification,
 * sequence number and checksums, and only the last segment has the push flag or less payload. IP has no options or extension headers.
 */
#include "hundredgig/nic.h"

#if FIRMWARE_COALESCING
#define NETWORK 14u
#define IPV4_TYPE 0x450008u /* with the first byte of the header, as a word from 12 on has them */
#define IPV4_LENGTH 16u
#define IPV4_IDENTIFICATION 18u
#define IPV4_FRAGMENT 20u
#define IPV4_PROTOCOL 23u
#define IPV4_CHECKSUM 24u
#define IPV4_SOURCE 26u
#define IPV4_BYTES 20u
#define IPV6_TYPE 0x60dd86u
#define IPV6_LENGTH 18u
#define IPV6_PROTOCOL 20u
#define IPV6_SOURCE 22u
#define IPV6_BYTES 40u
/* From the beginning of the header of TCP on. */
#define TCP_SEQUENCE 4u
#define TCP_ACKNOWLEDGED 8u
#define TCP_OFFSET 12u
#define TCP_FLAGS 13u
#define TCP_WINDOW 14u
#define TCP_CHECKSUM 16u
#define TCP_URGENT 18u
#define TCP_BYTES 20u
#define PROTOCOL_TCP 6u
#define ACKNOWLEDGE 0x10u
#define PUSH 0x08u
#define LARGEST_PACKET 65535u

typedef uint32_t __attribute__((may_alias)) word;
typedef uint16_t __attribute__((may_alias)) half;

/* A segment that could be coalesced. */
struct segment {
    uint32_t transport; /* where the header of TCP begins, 2 beyond a multiple of 4 */
    uint32_t headers, payload, sequence, identification;
    uint32_t sum; /* of what differs in a correct header of IPv4; equal in all segments of a send */
    uint32_t flags;
};

static struct {
    const uint8_t *frame; /* the first */
    struct segment first;
    uint32_t payload, frames; /* until now */
    uint32_t flags;           /* of all */
    bool is_open;
} run;

static uint32_t word_of(const uint8_t *frame, uint32_t offset) { return *(const word *)(frame + offset); }
static uint32_t half_of(const uint8_t *frame, uint32_t offset) { return *(const half *)(frame + offset); }
static uint32_t big_half(const uint8_t *frame, uint32_t offset) { return (uint32_t)frame[offset] << 8 | frame[offset + 1]; }

static bool is_ipv6(const struct segment *segment) { return segment->transport == NETWORK + IPV6_BYTES; }

/* Finds the length of the packet in a frame, with the header of IP; 0 for packets that are not coalesced. */
static uint32_t find_packet(const uint8_t *frame, struct segment *found)
{
    switch (word_of(frame, NETWORK - 2) & 0xf0ffffu) {
    case IPV4_TYPE & 0xf0ffffu: {
        uint32_t length = big_half(frame, IPV4_LENGTH);
        if (frame[NETWORK] != 0x45 || half_of(frame, IPV4_FRAGMENT) & 0xff3fu || frame[IPV4_PROTOCOL] != PROTOCOL_TCP ||
            !has_feature(VIRTIO_NET_GUEST_TSO4))
            return 0;
        found->transport = NETWORK + IPV4_BYTES;
        found->identification = big_half(frame, IPV4_IDENTIFICATION);
        found->sum = folded(length + found->identification + big_half(frame, IPV4_CHECKSUM));
        return length;
    }
    case IPV6_TYPE:
        if (frame[IPV6_PROTOCOL] != PROTOCOL_TCP || !has_feature(VIRTIO_NET_GUEST_TSO6))
            return 0;
        found->transport = NETWORK + IPV6_BYTES;
        found->identification = found->sum = 0;
        return IPV6_BYTES + big_half(frame, IPV6_LENGTH);
    default:
        return 0;
    }
}

/* Finds the segment in a frame whose checksum is right; false if it has no data, or flags and headers that are not coalesced. */
static bool find(const uint8_t *frame, uint32_t completion, struct segment *found)
{
    if (!(completion & RECEIVED_CHECKSUM_RIGHT))
        return false;
    uint32_t bytes = NETWORK + find_packet(frame, found);
    if (bytes != RECEIVED_BYTES(completion) || bytes <= found->transport + TCP_BYTES)
        return false;
    const uint8_t *tcp = frame + found->transport;
    found->flags = tcp[TCP_FLAGS];
    found->headers = found->transport + (tcp[TCP_OFFSET] >> 4) * 4u;
    if ((found->flags & ~PUSH) != ACKNOWLEDGE || found->headers < found->transport + TCP_BYTES || bytes <= found->headers)
        return false;
    found->payload = bytes - found->headers;
    found->sequence = big_half(tcp, TCP_SEQUENCE) << 16 | big_half(tcp, TCP_SEQUENCE + 2);
    return true;
}

/* True if a frame has the same bytes as the first from one even offset to another. */
static bool same(const uint8_t *frame, uint32_t from, uint32_t to)
{
    const uint8_t *first = run.frame;
    if (from & 2) {
        if (half_of(first, from) != half_of(frame, from))
            return false;
        from += 2;
    }
    for (; from + sizeof(word) <= to; from += sizeof(word))
        if (word_of(first, from) != word_of(frame, from))
            return false;
    return from == to || half_of(first, from) == half_of(frame, from);
}

/* True if the headers agree in what is equal in all segments of a send. */
static bool agrees(const uint8_t *frame)
{
    uint32_t tcp = run.first.transport;
    bool agree = is_ipv6(&run.first)
                     ? same(frame, 0, IPV6_LENGTH) && same(frame, IPV6_PROTOCOL, tcp + TCP_SEQUENCE)
                     : same(frame, 0, IPV4_LENGTH) && same(frame, IPV4_FRAGMENT, IPV4_CHECKSUM) &&
                           same(frame, IPV4_SOURCE, tcp + TCP_SEQUENCE);
    return agree && same(frame, tcp + TCP_ACKNOWLEDGED, tcp + TCP_OFFSET) &&
           run.frame[tcp + TCP_OFFSET] == frame[tcp + TCP_OFFSET] && same(frame, tcp + TCP_WINDOW, tcp + TCP_CHECKSUM) &&
           same(frame, tcp + TCP_URGENT, run.first.headers);
}

bool coalesce_begin(const uint8_t *frame, uint32_t completion)
{
    if (!has_feature(VIRTIO_NET_MERGED_BUFFERS) || !find(frame, completion, &run.first))
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
    if (!run.is_open || !find(frame, completion, &next) || next.headers != run.first.headers ||
        next.transport != run.first.transport || next.payload > run.first.payload ||
        next.sequence != run.first.sequence + run.payload || next.sum != run.first.sum ||
        (!is_ipv6(&next) && next.identification != ((run.first.identification + run.frames) & 0xffff)) ||
        run.first.headers - NETWORK + run.payload + next.payload > LARGEST_PACKET || !agrees(frame))
        return 0;
    return next.payload;
}

void coalesce_add(const uint8_t *frame, uint32_t payload)
{
    run.payload += payload;
    run.frames++;
    run.flags |= frame[run.first.transport + TCP_FLAGS];
    run.is_open = !(run.flags & PUSH) && payload == run.first.payload;
}

uint32_t coalesce_headers(void) { return run.first.headers; }

/* The driver completes the checksum if it needs one: it gets the sum of the pseudo header. */
void coalesce_end(struct virtio_net_header *header, uint8_t *frame)
{
    uint32_t transport = run.first.transport, length = run.first.headers - transport + run.payload;
    uint32_t source = IPV6_SOURCE;
    if (is_ipv6(&run.first)) {
        put_half(frame + IPV6_LENGTH, length);
    } else {
        uint32_t before = big_half(frame, IPV4_LENGTH), whole = IPV4_BYTES + length;
        source = IPV4_SOURCE;
        put_half(frame + IPV4_LENGTH, whole);
        put_half(frame + IPV4_CHECKSUM,
                 0xffff ^ folded((0xffff ^ big_half(frame, IPV4_CHECKSUM)) + (0xffff ^ before) + whole));
    }
    frame[transport + TCP_FLAGS] = (uint8_t)run.flags;
    uint32_t sum = PROTOCOL_TCP + length;
    for (uint32_t at = source; at < transport; at += 2)
        sum += big_half(frame, at);
    put_half(frame + transport + TCP_CHECKSUM, folded(sum));
    header->flags = VIRTIO_NET_NEEDS_CHECKSUM;
    header->segmentation = is_ipv6(&run.first) ? VIRTIO_NET_SEGMENT_TCP6 : VIRTIO_NET_SEGMENT_TCP4;
    header->header_length = (uint16_t)run.first.headers;
    header->segment_size = (uint16_t)run.first.payload;
    header->checksum_start = (uint16_t)transport;
    header->checksum_offset = TCP_CHECKSUM;
}
#endif
