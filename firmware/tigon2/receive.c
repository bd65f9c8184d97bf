/* Receiving: from the MAC's ring to the buffers that the host has provided. */
#include "tigon2/events.h"
#include "tigon2/functions.h"
#include "tigon2/task.h"

#define WRITES_KEPT_FREE 8 /* for reports to the host, so that frames cannot starve them */
#define FRAME_ALIGNMENT 8
#define VLAN_TYPE 0x8100u
#define ADDRESSES_BYTES 12 /* destination and source, at the start of a frame */
#define TAG_BYTES 4

static inline volatile uint32_t *word_at(uint32_t address) { return (volatile uint32_t *)(uintptr_t)address; }

/* First byte behind a frame in the receive buffer, which wraps at its end. */
static inline uint32_t frame_end(const struct receive_state *receive, uint32_t address, uint32_t bytes)
{
    uint32_t end = (address + bytes + FRAME_ALIGNMENT - 1) & ~(FRAME_ALIGNMENT - 1);
    return end >= MEMORY_END ? end - MEMORY_END + receive->buffer_base : end;
}

static inline uint32_t in_buffer(const struct receive_state *receive, uint32_t address)
{
    return address >= MEMORY_END ? address - MEMORY_END + receive->buffer_base : address;
}

/* The smallest buffers that a frame fits into; RECEIVE_RINGS if there are none. */
static inline uint32_t choose_ring(const struct receive_state *receive, uint32_t bytes)
{
    if (bytes <= receive->rings[MINI].largest)
        return MINI;
    if (bytes <= receive->rings[STANDARD].largest)
        return STANDARD;
    return bytes <= receive->rings[JUMBO].largest ? JUMBO : RECEIVE_RINGS;
}

/* True if a descriptor of the ring is here. The other core may announce more at any time. */
static inline bool has_descriptor(struct receive_ring *ring, uint32_t number)
{
    if (ring->next != ring->arrived)
        return true;
    ring->arrived = cross.receive_arrived[number];
    return ring->next != ring->arrived;
}

static inline void write_frame(struct receive_state *receive, uint32_t high, uint32_t low, uint32_t local,
                               uint32_t bytes, uint32_t state, uint32_t tag, uint32_t end)
{
    uint32_t pointer = DMA_WRITE_PRODUCER;
    struct dma_descriptor *dma = dma_at(pointer);
    uint32_t slot = dma_slot(pointer);
    dma->host_high = high;
    dma->host_low = low;
    dma->local = local;
    dma->length = bytes;
    if (state & DMA_CHECKSUM_STORE)
        dma_store_checksum(dma);
    dma->state = DMA_START | state;
    receive->tags[slot] = tag;
    receive->ends[slot] = end;
    DMA_WRITE_PRODUCER = dma_after(pointer);
}

/* The host gets the rest of a tagged frame in one piece, and the tag separately. */
TASK(receive_frame) static void write_untagged(struct receive_state *receive, volatile struct receive_descriptor *descriptor,
                           uint32_t address, uint32_t bytes, uint32_t state, uint32_t tag, uint32_t end)
{
    uint32_t high = descriptor->host_high;
    uint32_t low = descriptor->host_low;
    uint32_t first = state & DMA_CHECKSUM ? DMA_CHECKSUM | DMA_CHECKSUM_RESTART : 0;
    write_frame(receive, high, low, address, ADDRESSES_BYTES, first, WRITE_FRAME_PART, end);
    write_frame(receive, high, low + ADDRESSES_BYTES, in_buffer(receive, address + ADDRESSES_BYTES + TAG_BYTES),
                bytes - ADDRESSES_BYTES - TAG_BYTES, state & ~DMA_CHECKSUM_RESTART, tag, end);
}

static inline uint32_t kind_of_address(uint32_t first_word)
{
    if (!(first_word & 0x01000000u))
        return FLAG_UNICAST;
    return first_word == 0xffffffffu ? FLAG_BROADCAST : FLAG_MULTICAST;
}

/* Gives a frame that has an error back to the MAC, when all before it are. */
TASK(receive_frame) static void drop(struct receive_state *receive, uint32_t end)
{
    receive->errors++;
    uint32_t last = DMA_WRITE_PRODUCER;
    for (uint32_t pointer = DMA_WRITE_CONSUMER; pointer != last; pointer = dma_next(pointer)) {
        uint32_t slot = dma_slot(pointer);
        if (TAG_KIND(receive->tags[slot]) <= WRITE_FRAME_CHECKSUM) {
            /* The frame before it is on its way: the space of both is free when that is there. */
            for (; pointer != last; pointer = dma_next(pointer)) {
                if (TAG_KIND(receive->tags[dma_slot(pointer)]) <= WRITE_FRAME_CHECKSUM)
                    slot = dma_slot(pointer);
            }
            receive->ends[slot] = end;
            return;
        }
    }
    RECEIVE_BUFFER_CONSUMER = end;
}

/* Describes the frame in its descriptor, and asks for its data to be written. */
static inline void deliver(struct receive_state *receive, uint32_t number, uint32_t address, uint32_t bytes,
                           uint32_t status, uint32_t end)
{
    struct receive_ring *ring = &receive->rings[number];
    uint32_t index = ring->next;
    uint32_t entry_end = ring->ring + ((index + 1) << ring->shift);
    volatile struct receive_descriptor *descriptor =
        (volatile struct receive_descriptor *)(uintptr_t)(entry_end - sizeof(struct receive_descriptor));
    ring->next = (index + 1) & ring->mask;
    receive->used[receive->taken++ & (RETURNS - 1)] = USED(number, index);
    uint32_t flags = FLAG_END | kind_of_address(*word_at(address));
    uint32_t tag = WRITE_FRAME;
    uint32_t state = FRAME_RELEASE;
    if (ring->flags & (RING_CHECKSUM | RING_IP_CHECKSUM)) {
        /* The frame stays until its sum is verified. */
        state = DMA_CHECKSUM | DMA_CHECKSUM_RESTART | DMA_CHECKSUM_STORE;
        tag = WRITE_FRAME_CHECKSUM;
        flags |= ring->flags & (FLAG_CHECKSUM | FLAG_IP_CHECKSUM);
    }
    if (number != STANDARD)
        flags |= number == JUMBO ? FLAG_JUMBO : FLAG_MINI;
    uint32_t error_vlan = 0;
    if (status != 0) {
        flags |= FLAG_ERROR;
        error_vlan = status;
    }
    /* A frame that ends before its tag may be followed by the tag of an older one. */
    if ((ring->flags & RING_VLAN) && *word_at(in_buffer(receive, address + ADDRESSES_BYTES)) >> 16 == VLAN_TYPE &&
        bytes > ADDRESSES_BYTES + TAG_BYTES) {
        error_vlan |= *word_at(in_buffer(receive, address + ADDRESSES_BYTES)) & 0xffff;
        descriptor->index_length = (descriptor->index_length & 0xffff0000u) | (bytes - TAG_BYTES);
        descriptor->type_flags = flags | FLAG_VLAN;
        descriptor->error_vlan = error_vlan;
        write_untagged(receive, descriptor, address, bytes, state, tag, end);
        return;
    }
    descriptor->index_length = (descriptor->index_length & 0xffff0000u) | bytes;
    descriptor->type_flags = flags;
    descriptor->error_vlan = error_vlan;
    write_frame(receive, descriptor->host_high, descriptor->host_low, address, bytes, state, tag, end);
}

/* Takes a frame from the MAC; returns its bytes, or 0 if it must wait for descriptors or for the DMA. */
static inline uint32_t take(struct receive_state *receive, const volatile struct mac_descriptor *frame)
{
    if (writes_free() < WRITES_KEPT_FREE || receive->taken - receive->announced >= RETURNS)
        return 0;
    uint32_t address = frame->address;
    uint32_t status_length = frame->length;
    uint32_t stored = status_length & 0xffff;
    uint32_t end = frame_end(receive, address, stored);
    uint32_t status = status_length & RECEIVE_BAD;
    uint32_t bytes = stored - receive->check_sequence_bytes;
    if (status != 0 && !(receive->mode & MODE_KEEP_BAD_FRAMES)) {
        drop(receive, end);
        return stored;
    }
    uint32_t number = choose_ring(receive, bytes);
    if (number == RECEIVE_RINGS) {
        receive->too_long++;
        drop(receive, end);
        return stored;
    }
    if (!has_descriptor(&receive->rings[number], number)) {
        /* The other core raises the event when descriptors come, if it sees the word; those that came before it could are seen here. */
        cross.receive_waits = 1;
        if (!has_descriptor(&receive->rings[number], number))
            return 0;
    }
    deliver(receive, number, address, bytes, status, end);
    return stored;
}

/* The place behind `frame` in the ring from `start` on. */
static inline uint32_t next_received(uint32_t start, uint32_t frame)
{
#ifdef TIGON2_RELEASED_STYLE
    (void)start; /* the hardware wraps its pointers */
    RECEIVE_RING_REFERENCE = frame + sizeof(struct mac_descriptor);
    return RECEIVE_RING_REFERENCE;
#else
    return start | ((frame + sizeof(struct mac_descriptor)) & (RECEIVE_RING_BYTES - 1));
#endif
}

/*
 * A frame that must wait leaves its event as it is, so the event is ignored until descriptors come or the DMA has done something.
 */
TASK(receive_frame) void handle_received(void)
{
    struct receive_state *receive = receive_state();
    uint32_t frame = RECEIVE_RING_REFERENCE;
    uint32_t end = RECEIVE_RING_PRODUCER & ~7u;
    uint32_t start = frame & ~(RECEIVE_RING_BYTES - 1);
    uint32_t bytes = 0;
    while (frame != end) {
        uint32_t stored = take(receive, (const volatile struct mac_descriptor *)(uintptr_t)frame);
        bytes += stored;
        if (stored == 0) {
            events_ignore(EVENT_BIT(EVENT_RECEIVED));
            break;
        }
        frame = next_received(start, frame);
    }
    RECEIVE_RING_REFERENCE = frame;
    RECEIVE_RING_CONSUMER = frame;
    octets_add(&receive->octets, bytes);
}

TASK(receive_frame) void handle_receive_buffers(void)
{
    receive_events_clear(EVENT_BIT(EVENT_RECEIVE_BUFFERS));
    events_attend(EVENT_BIT(EVENT_RECEIVED));
}

#ifdef TIGON2_RELEASED_STYLE

#define ROOM_AFTER_RECOVERY 0x800u

/* Bytes from the place of the MAC to a frame in the receive buffer. */
static inline uint32_t room_before(const struct receive_state *receive, uint32_t address)
{
    uint32_t producer = RECEIVE_BUFFER_PRODUCER;
    return address - producer + (address < producer ? MEMORY_END - receive->buffer_base : 0);
}

/*
 * The receive buffer has overflowed. Frames on their way to the host make room when they are there. If there are none, waiting frames are
 * given up, the oldest first, until there is room.
 */
void receive_recover(void)
{
    struct receive_state *receive = receive_state();
    uint32_t last = DMA_WRITE_PRODUCER;
    for (uint32_t pointer = DMA_WRITE_CONSUMER; pointer != last; pointer = dma_next(pointer)) {
        if (TAG_KIND(receive->tags[dma_slot(pointer)]) <= WRITE_FRAME_CHECKSUM)
            return;
    }
    uint32_t frame = RECEIVE_RING_REFERENCE;
    uint32_t end = RECEIVE_RING_PRODUCER & ~7u;
    while (frame != end) {
        const volatile struct mac_descriptor *oldest = (const volatile struct mac_descriptor *)(uintptr_t)frame;
        if (room_before(receive, oldest->address) >= ROOM_AFTER_RECOVERY)
            break;
        RECEIVE_BUFFER_CONSUMER = frame_end(receive, oldest->address, oldest->length & 0xffff);
        receive->discarded++;
        frame = next_received(0, frame);
    }
    RECEIVE_RING_CONSUMER = frame;
}

#endif
