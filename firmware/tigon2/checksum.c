/*
 * Checksums of IP, TCP and UDP (RFC 1071). The DMA sums up all bytes of a frame that passes it; what is not covered by the checksum of
 * the transport is subtracted here, header by header.
 */
#include "tigon2/events.h"
#include "tigon2/functions.h"
#include "tigon2/task.h"

#define TYPE_OFFSET 12
#define TYPE_IP 0x0800u
#define TYPE_VLAN 0x8100u
#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17
#define FRAGMENT 0x3fffu /* more to come, or not the first */
#define MOST_PADDING 46   /* IEEE 802.3: a frame that holds nothing */

/* A frame in a circular buffer. */
struct view {
    uint32_t start;
    uint32_t end;  /* of the buffer */
    uint32_t size; /* of the buffer */
};

/* Positions and contents of the headers of a frame. */
struct headers {
    uint32_t ip;
    uint32_t transport;
    uint32_t end; /* of the datagram: padding may follow */
    uint32_t protocol;
};

static inline volatile uint16_t *half_at(const struct view *view, uint32_t offset)
{
    uint32_t address = view->start + offset;
    if (address >= view->end)
        address -= view->size;
    return (volatile uint16_t *)(uintptr_t)address;
}

static inline uint32_t fold(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    return (sum & 0xffff) + (sum >> 16);
}

static inline uint32_t subtract(uint32_t sum, uint32_t part) { return fold(sum + (~part & 0xffff)); }

static uint32_t sum_of(const struct view *view, uint32_t start, uint32_t end)
{
    uint32_t sum = 0;
    for (uint32_t offset = start; offset < end; offset += 2)
        sum += *half_at(view, offset);
    return fold(sum);
}

/* Finds the headers of an IPv4 datagram that is not a fragment; `skipped` bytes of the frame precede its type. */
static bool find_headers(const struct view *view, uint32_t skipped, struct headers *headers)
{
    uint32_t type = TYPE_OFFSET + skipped;
    if (skipped == 0 && *half_at(view, type) == TYPE_VLAN)
        type += 4;
    if (*half_at(view, type) != TYPE_IP)
        return false;
    headers->ip = type + 2;
    uint32_t first = *half_at(view, headers->ip);
    headers->transport = headers->ip + (first >> 8 & 0xf) * 4;
    headers->end = headers->ip + *half_at(view, headers->ip + 2);
    headers->protocol = *half_at(view, headers->ip + 8) & 0xff;
    bool is_whole = (*half_at(view, headers->ip + 6) & FRAGMENT) == 0;
    return first >> 12 == 4 && is_whole && headers->end >= headers->transport;
}

static uint32_t pseudo_header(const struct view *view, const struct headers *headers)
{
    uint32_t addresses = sum_of(view, headers->ip + 12, headers->ip + 20);
    return fold(addresses + headers->protocol + (headers->end - headers->transport));
}

static void insert_transport(const struct view *view, const struct headers *headers, uint32_t sum)
{
    if (headers->protocol != PROTOCOL_TCP && headers->protocol != PROTOCOL_UDP)
        return;
    uint32_t field = headers->transport + (headers->protocol == PROTOCOL_TCP ? 16 : 6);
    uint32_t checksum = ~fold(sum) & 0xffff;
    if (checksum == 0 && headers->protocol == PROTOCOL_UDP)
        checksum = 0xffff; /* 0 would say that there is none */
    *half_at(view, field) = (uint16_t)checksum;
}

/*
 * Puts the checksums that `flags` ask for into a frame that is to be sent. `sum` is that of its bytes as they are. The host has left
 * the sum of the pseudo-header in the field of the transport, or 0 and the rest to us.
 */
TASK(send_frame) void checksums_insert(uint32_t frame, uint32_t bytes, uint32_t flags, uint32_t sum)
{
    uint32_t size = send_state()->buffer_bytes;
    struct view view = {frame, SEND_BUFFER_BASE + size, size};
    struct headers headers;
    if (bytes < TYPE_OFFSET + 2 + 20 || !find_headers(&view, 0, &headers) || headers.end > bytes)
        return;
    uint32_t covered = subtract(sum, sum_of(&view, 0, headers.transport));
    if (!(ring_flags(&information.send) & RING_NO_PSEUDO_HEADER))
        covered += pseudo_header(&view, &headers);
    if (flags & FLAG_IP_CHECKSUM) {
        *half_at(&view, headers.ip + 10) = 0;
        *half_at(&view, headers.ip + 10) = (uint16_t)~sum_of(&view, headers.ip, headers.transport);
    }
    if (flags & FLAG_CHECKSUM)
        insert_transport(&view, &headers, covered);
}

/* Sum of the padding behind a datagram. Its first byte may be at an odd place. */
static uint32_t sum_of_padding(const struct view *view, uint32_t start, uint32_t end)
{
    uint32_t sum = 0;
    for (uint32_t offset = start; offset < end; offset++) {
        uint32_t half = *half_at(view, offset & ~1u);
        sum += offset & 1 ? half & 0xff : half & 0xff00;
    }
    return fold(sum);
}

/*
 * The checksums of a received frame for the host: the sum of its IP header, which is 0xffff if it is right, and that of its transport
 * with or without pseudo-header, as the host asks. `sum` is that of all bytes but the `skipped` ones, the tag. False for frames
 * of which nothing can be said, or that more follows than may: it would take long to subtract.
 */
bool checksums_verify(uint32_t frame, uint32_t skipped, uint32_t bytes, uint32_t sum, uint32_t *checksums)
{
    uint32_t base = receive_state()->buffer_base;
    struct view view = {frame < base ? frame + MEMORY_END - base : frame, MEMORY_END, MEMORY_END - base};
    struct headers headers;
    uint32_t end = bytes + skipped;
    if (bytes < TYPE_OFFSET + 2 + 20 || !find_headers(&view, skipped, &headers) || end - headers.end > MOST_PADDING)
        return false;
    uint32_t addresses = sum_of(&view, 0, TYPE_OFFSET);
    uint32_t covered = subtract(sum, addresses);
    covered = subtract(covered, sum_of(&view, TYPE_OFFSET + skipped, headers.transport));
    covered = subtract(covered, sum_of_padding(&view, headers.end, end));
    if (!(receive_state()->rings[STANDARD].flags & RING_NO_PSEUDO_HEADER))
        covered = fold(covered + pseudo_header(&view, &headers));
    *checksums = sum_of(&view, headers.ip, headers.transport) << 16 | covered;
    return true;
}
