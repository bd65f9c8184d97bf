/*
 * Segmentation of large sends of TCP: the MAC cuts them into frames, or this core does (`FIRMWARE_SEGMENTATION`). Either way headers are
 * checked here. The driver's length of the headers is not trusted: that of the TCP header counts.
 */
#include "hundredgig/nic.h"

#define ETHER_TYPE_IPV4 0x0800u
#define ETHER_TYPE_IPV6 0x86ddu
#define IP_LENGTH 2u
#define IP_IDENTIFICATION 4u
#define IP_CHECKSUM 10u
#define SHORTEST_IPV4 20u
#define IPV6_LENGTH 4u
#define IPV6_BYTES 40u
#define TCP_SEQUENCE 4u
#define TCP_OFFSET 12u
#define TCP_FLAGS 13u
#define TCP_CHECKSUM 16u
#define SHORTEST_TCP 20u
#define FINISH_AND_PUSH 0x09u
#define WINDOW_REDUCED 0x80u
#define PIECE_BYTES 8192u /* of a descriptor of the MAC: it reads pieces as its FIFO has room */

/* The large send behind its virtio header. */
static struct {
    struct parts parts;
    uint32_t bytes, size;                 /* of the whole; of the payload of a frame */
    uint32_t network, transport, headers; /* offsets of the headers of IP and TCP, and of the payload */
    bool is_ipv6;
} send;

static uint8_t *byte_at(uint32_t offset)
{
    const struct part *part = send.parts.part;
    return (uint8_t *)(offset < part->bytes ? part->start + offset : part[1].start + (offset - part->bytes));
}

static uint32_t big_half_at(uint32_t offset) { return (uint32_t)*byte_at(offset) << 8 | *byte_at(offset + 1); }

/* The header of virtio is little-endian. */
static uint32_t field_at(uint32_t offset) { return *byte_at(offset) | (uint32_t)*byte_at(offset + 1) << 8; }

static void skip(uint32_t bytes)
{
    for (struct part *part = send.parts.part; bytes > 0; part++) {
        uint32_t step = bytes < part->bytes ? bytes : part->bytes;
        part->start += step;
        part->bytes -= step;
        bytes -= step;
    }
    send.bytes = send.parts.part[0].bytes + send.parts.part[1].bytes;
}

/* Finds the header of IP behind any tags; false if it is not that of the send's kind. */
static bool find_network(void)
{
    uint32_t at = ETHER_TYPE;
    while (big_half_at(at) == ETHER_TYPE_TAG && at < send.transport)
        at += TAG_BYTES;
    send.network = at + 2;
    if (send.network + SHORTEST_IPV4 > send.transport)
        return false;
    uint32_t first = *byte_at(send.network);
    if (send.is_ipv6)
        return big_half_at(at) == ETHER_TYPE_IPV6 && first >> 4 == 6 && send.network + IPV6_BYTES <= send.transport;
    return big_half_at(at) == ETHER_TYPE_IPV4 && first >> 4 == 4 && send.network + (first & 15) * 4 == send.transport;
}

/* True if frames are short enough because they have a tag. */
static __attribute__((noinline)) bool has_room_by_tag(void)
{
    return send.headers + send.size <= LARGEST_FRAME + TAG_BYTES && big_half_at(ETHER_TYPE) == ETHER_TYPE_TAG;
}

/* Takes the header of virtio off, and finds those of the frames. */
static bool begin(const struct parts *parts)
{
    send.parts = *parts;
    send.bytes = parts->part[0].bytes + parts->part[1].bytes;
    if (send.bytes < HEADER_BYTES + ETHERNET_HEADER_BYTES)
        return false;
    uint32_t flags = *byte_at(offsetof(struct virtio_net_header, flags));
    uint32_t kind = *byte_at(offsetof(struct virtio_net_header, segmentation)) & ~VIRTIO_NET_SEGMENT_ECN;
    uint32_t field = field_at(offsetof(struct virtio_net_header, checksum_offset));
    send.size = field_at(offsetof(struct virtio_net_header, segment_size));
    send.transport = field_at(offsetof(struct virtio_net_header, checksum_start));
    skip(HEADER_BYTES);
    send.is_ipv6 = kind == VIRTIO_NET_SEGMENT_TCP6;
    bool is_offered = (kind == VIRTIO_NET_SEGMENT_TCP4 && has_feature(VIRTIO_NET_HOST_TSO4)) ||
                      (send.is_ipv6 && has_feature(VIRTIO_NET_HOST_TSO6));
    if (!is_offered || !(flags & VIRTIO_NET_NEEDS_CHECKSUM) || field != TCP_CHECKSUM || send.size == 0 ||
        send.transport + SHORTEST_TCP > send.bytes || !find_network())
        return false;
    send.headers = send.transport + (*byte_at(send.transport + TCP_OFFSET) >> 4) * 4;
    return send.headers >= send.transport + SHORTEST_TCP && send.headers <= TRANSMIT_LARGEST_HEADERS &&
           send.headers <= send.bytes && (send.headers + send.size <= LARGEST_FRAME || has_room_by_tag());
}

/* Returns the sum without the length of the whole, which the driver has put in the place of the checksum. */
static uint32_t pseudo_header(void)
{
    return folded(big_half_at(send.transport + TCP_CHECKSUM) + (0xffff ^ folded(send.bytes - send.transport)));
}

#if FIRMWARE_SEGMENTATION
/* Frames under way, each with a copy of the headers. */
#define COPIES 32u

struct block {
    uint32_t words[4];
};

static union {
    struct block blocks[(TRANSMIT_LARGEST_HEADERS + 1) / sizeof(struct block)];
    uint8_t bytes[TRANSMIT_LARGEST_HEADERS + 1];
} whole, copies[COPIES];

static uint32_t cut;            /* payload of the frames until now */
static uint32_t number;         /* frames until now */
static uint32_t sum_of_ip;      /* of its header, without what differs */
static uint32_t chain;          /* counter of the chain that is cut */
static uint32_t chains_waiting; /* chains that have arrived behind it */
static bool is_cutting;

void segment_stop(void)
{
    is_cutting = false;
    chains_waiting = 0;
}

bool segment_holds_up(void)
{
    chains_waiting += is_cutting;
    return is_cutting;
}

bool segment(const struct parts *parts, uint32_t frame)
{
    if (!begin(parts))
        return false;
    for (uint32_t byte = 0; byte < send.headers; byte++)
        whole.bytes[byte] = *byte_at(byte);
    put_half(&whole.bytes[send.transport + TCP_CHECKSUM], pseudo_header());
    if (!send.is_ipv6) {
        put_half(&whole.bytes[send.network + IP_LENGTH], 0);
        put_half(&whole.bytes[send.network + IP_CHECKSUM], 0);
        sum_of_ip = 0;
        for (uint32_t at = send.network; at < send.transport; at += 2)
            if (at != send.network + IP_IDENTIFICATION)
                sum_of_ip += (uint32_t)whole.bytes[at] << 8 | whole.bytes[at + 1];
    }
    skip(send.headers);
    cut = number = 0;
    chain = frame;
    is_cutting = true;
    return true;
}

static uint32_t half_of(const uint8_t *bytes) { return (uint32_t)bytes[0] << 8 | bytes[1]; }

static void write_headers(uint32_t number_of_copy, uint32_t payload, bool is_last)
{
    uint8_t *copy = copies[number_of_copy].bytes;
    /* In blocks: memcpy, which counts the bytes of each word, takes more than twice the cycles. */
    for (uint32_t block = 0; block * sizeof(struct block) < send.headers; block++)
        copies[number_of_copy].blocks[block] = whole.blocks[block];
    uint8_t *ip = copy + send.network, *tcp = copy + send.transport;
    if (send.is_ipv6) {
        put_half(ip + IPV6_LENGTH, send.headers + payload - send.network - IPV6_BYTES);
    } else {
        uint32_t length = send.headers + payload - send.network;
        uint32_t identification = (half_of(ip + IP_IDENTIFICATION) + number) & 0xffff;
        put_half(ip + IP_LENGTH, length);
        put_half(ip + IP_IDENTIFICATION, identification);
        put_half(ip + IP_CHECKSUM, 0xffff ^ folded(sum_of_ip + length + identification));
    }
    uint32_t sequence = (half_of(tcp + TCP_SEQUENCE) << 16 | half_of(tcp + TCP_SEQUENCE + 2)) + cut;
    put_half(tcp + TCP_SEQUENCE, sequence >> 16);
    put_half(tcp + TCP_SEQUENCE + 2, sequence);
    if (!is_last)
        tcp[TCP_FLAGS] &= (uint8_t)~FINISH_AND_PUSH;
    if (number > 0)
        tcp[TCP_FLAGS] &= (uint8_t)~WINDOW_REDUCED;
    put_half(tcp + TCP_CHECKSUM, folded(half_of(tcp + TCP_CHECKSUM) + send.headers - send.transport + payload));
}

/* Gives the MAC one frame: a copy of the headers, then its payload from one part or two. */
static void give_cut(uint32_t payload, bool is_last)
{
    uint32_t number_of_copy = frames_given() % COPIES;
    uint8_t *copy = copies[number_of_copy].bytes;
    write_headers(number_of_copy, payload, is_last);
    struct part pieces[2] = {send.parts.part[0], send.parts.part[1]};
    pieces[0].bytes = payload < pieces[0].bytes ? payload : pieces[0].bytes;
    pieces[1].bytes = payload - pieces[0].bytes;
    uint32_t field = send.transport + TCP_CHECKSUM, checksum = 0;
    if (HARDWARE_CHECKSUMS && field <= TRANSMIT_LARGEST_OFFSET)
        checksum = TRANSMIT_CHECKSUM_AT(send.transport, field);
    else
        insert_checksum(copy, send.headers, pieces, send.transport, field);
    MAC_TRANSMIT->address = (uint32_t)copy;
    MAC_TRANSMIT->descriptor = (payload == 0 ? TRANSMIT_LAST : 0) | checksum | send.headers;
    for (uint32_t piece = 0; piece < 2; piece++) {
        if (pieces[piece].bytes == 0)
            continue;
        bool is_end = piece == 1 || pieces[1].bytes == 0;
        MAC_TRANSMIT->address = (uint32_t)pieces[piece].start;
        MAC_TRANSMIT->descriptor = (is_end ? TRANSMIT_LAST : 0) | pieces[piece].bytes;
    }
    give_frame(chain);
    skip(payload);
}

TASK(send_frame) void segment_advance(void)
{
    while (is_cutting && frames_under_way() < COPIES) {
        bool is_last = send.bytes <= send.size;
        uint32_t payload = is_last ? send.bytes : send.size;
        give_cut(payload, is_last);
        cut += payload;
        number++;
        if (!is_last)
            continue;
        is_cutting = false;
        complete_chain();
        while (chains_waiting > 0 && !is_cutting) {
            chains_waiting--;
            send_frame_came();
        }
    }
}
#else
void segment_stop(void) {}
bool segment_holds_up(void) { return false; }
void segment_advance(void) {}

/* Commands the MAC to cut, and to insert the checksums. */
bool segment(const struct parts *parts, uint32_t frame)
{
    if (!begin(parts) || send.transport + TCP_CHECKSUM > TRANSMIT_LARGEST_OFFSET)
        return false;
    uint32_t field = send.transport + TCP_CHECKSUM, sum = pseudo_header();
    *byte_at(field) = (uint8_t)(sum >> 8);
    *byte_at(field + 1) = (uint8_t)sum;
    uint32_t flags = TRANSMIT_CHECKSUM_AT(send.transport, field);
    MAC_TRANSMIT->segment = TRANSMIT_SEGMENT(send.size, send.headers, send.network);
    for (uint32_t piece; send.bytes > 0; skip(piece), flags = 0) {
        const struct part *part = send.parts.part[0].bytes > 0 ? &send.parts.part[0] : &send.parts.part[1];
        piece = part->bytes < PIECE_BYTES ? part->bytes : PIECE_BYTES;
        MAC_TRANSMIT->address = (uint32_t)part->start;
        MAC_TRANSMIT->descriptor = (piece == send.bytes ? TRANSMIT_LAST : 0) | flags | piece;
    }
    give_frame(frame);
    complete_chain();
    return true;
}
#endif
