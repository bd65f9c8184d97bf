/*
 * Frames received. The MAC puts each into a buffer of a pool. It goes to the context with its address, or to all if it is for all, as long
 * as that has room; there it waits until the guest has a buffer for it. Meanwhile the MAC gets another from the pool.
 */
#include "ricenic/cdna.h"

#define LOOKS 8u        /* contexts that one call looks at, at most */
#define FRAMES 8u       /* that one call takes, at most */
#define WRITES_KEPT 8u  /* reserved for the notification of contexts */
#define HEADER_BYTES 14u
#define TO_ALL 0x0100u /* in the first two bytes of an address */

#define FREE_BUFFERS ((uint16_t *)CONTEXT(CONTEXTS_MOST))
#define TAKERS ((uint8_t *)(FREE_BUFFERS + CDNA_MOST_BUFFERS)) /* of each buffer: how many contexts have its frame */

static struct context_set to_deliver;
static uint32_t deliver_turn, free_count;
static uint16_t given[QUEUE_ENTRIES]; /* buffers that the MAC has */
static uint32_t buffers_given, frames_taken;

static uint32_t buffer_address(uint32_t buffer) { return CDNA_RECEIVE_BUFFERS + buffer * cdna.slot_bytes; }

static void give_buffer(uint32_t buffer)
{
    given[buffers_given++ % QUEUE_ENTRIES] = (uint16_t)buffer;
    MAC_RECEIVE->address = buffer_address(buffer);
    MAC_RECEIVE->descriptor = cdna.slot_bytes - 1;
}

void receive_start(void)
{
    for (uint32_t buffer = QUEUE_ENTRIES; buffer < QUEUE_ENTRIES + cdna.contexts * cdna.receive_slots; buffer++)
        FREE_BUFFERS[free_count++] = (uint16_t)buffer;
    for (uint32_t buffer = 0; buffer < QUEUE_ENTRIES; buffer++)
        give_buffer(buffer);
}

void receive_announced_by(uint32_t context)
{
    struct context *own = CONTEXT(context);
    uint32_t announced = MAILBOX_OF(context, MAILBOX_RECEIVE), ahead = announced - own->receive_used;
    if (ahead > own->receive.entries || ahead < own->receive_asked - own->receive_used) {
        stop_context(context, CDNA_FAULT_PRODUCER);
        return;
    }
    own->receive_announced = announced;
    put_in(&to_deliver, context);
}

static bool queue_frame(uint32_t context, uint32_t buffer, uint32_t completion)
{
    struct context *own = CONTEXT(context);
    if (own->frames_queued - own->frames_freed >= cdna.receive_slots)
        return false;
    uint32_t place = own->frames_queued++ % CDNA_MOST_SLOTS;
    own->buffers[place] = (uint16_t)buffer;
    own->completions[place] = completion;
    TAKERS[buffer]++;
    put_in(&to_deliver, context);
    return true;
}

static void queue_for_context(uint32_t buffer, uint32_t completion)
{
    const uint16_t *header = (const uint16_t *)buffer_address(buffer);
    invalidate_range(header, HEADER_BYTES);
    TAKERS[buffer] = 0;
    if (header[0] & TO_ALL) {
        for (uint32_t context = 1; context < cdna.contexts; context++)
            if (CONTEXT(context)->state == CDNA_STATE_RUNNING)
                queue_frame(context, buffer, completion);
        if (!TAKERS[buffer])
            TALLY->counts[CDNA_DROP_BUFFER_FULL] = 1;
        return;
    }
    uint32_t context = context_of_mac_address(header[0], (uint32_t)header[1] << 16 | header[2]);
    if (!context)
        TALLY->counts[CDNA_DROP_UNKNOWN_MAC_ADDRESS] = 1;
    else if (!queue_frame(context, buffer, completion))
        TALLY->counts[CDNA_DROP_BUFFER_FULL] = 1;
}

/* The word on a frame, with whether its checksum is right. */
static uint32_t verified(uint32_t completion, uint32_t buffer, uint32_t sum)
{
    uint32_t flags = verify_checksum(buffer_address(buffer), RECEIVED_BYTES(completion), sum);
    if (flags & BD_CHECKSUM_RIGHT)
        return completion | RECEIVED_CHECKSUM_RIGHT;
    return flags ? completion | RECEIVED_CHECKSUM_WRONG : completion;
}

TASK(receive_frame) void take_received(void)
{
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        uint32_t completion = MAC_RECEIVE->completion;
        if (!completion)
            return;
        uint32_t buffer = given[frames_taken++ % QUEUE_ENTRIES];
        counters.frames_received = frames_taken;
        queue_for_context(buffer, verified(completion, buffer, MAC_RECEIVE->sum));
        give_buffer(TAKERS[buffer] ? FREE_BUFFERS[--free_count] : buffer);
    }
}

static void fetch_descriptors(uint32_t context)
{
    struct context *own = CONTEXT(context);
    uint32_t count = own->receive_announced - own->receive_asked, slot = own->receive_asked % FETCHED;
    if (own->receive_asked != own->receive_described)
        return;
    if (!count) {
        take_out(&to_deliver, context); /* until more are announced */
        return;
    }
    if (!reads_free())
        return;
    uint32_t to_end = own->receive.entries - (own->receive_asked & (own->receive.entries - 1));
    if (count > to_end)
        count = to_end;
    if (count > FETCHED - slot)
        count = FETCHED - slot;
    struct host_address place = host_ring_entry(&own->receive, own->receive_asked);
    uint32_t bytes = count * sizeof(struct buffer_descriptor);
    own->receive_asked += count;
    read_host(place, (uint32_t)&own->receive_descriptors[slot], bytes, RECEIVE_DESCRIPTORS, context, count);
}

TASK(fetch_receive_bd) void receive_descriptors_came(uint32_t context, uint32_t count)
{
    struct context *own = CONTEXT(context);
    const struct buffer_descriptor *first = &own->receive_descriptors[own->receive_described % FETCHED];
    if (own->state != CDNA_STATE_RUNNING)
        return;
    invalidate_range(first, count * sizeof *first);
    for (uint32_t number = 0; number < count; number++, own->receive_described++) {
        if (first[number].address.high >> 16 != ((own->receive_described + 1) & 0xffff)) {
            stop_context(context, CDNA_FAULT_SEQUENCE);
            return;
        }
    }
}

static uint32_t checksum_flags(uint32_t completion)
{
    if (completion & RECEIVED_CHECKSUM_RIGHT)
        return BD_CHECKSUM_RIGHT;
    return completion & RECEIVED_CHECKSUM_WRONG ? BD_CHECKSUM_WRONG : 0;
}

/* Writes a frame to its guest, and behind it the descriptor that returns the guest's buffer. */
static void deliver_frame(uint32_t context)
{
    struct context *own = CONTEXT(context);
    uint32_t place = own->frames_delivered % CDNA_MOST_SLOTS, slot = own->receive_used % FETCHED;
    uint32_t completion = own->completions[place], length = RECEIVED_BYTES(completion), buffer = own->buffers[place];
    const struct buffer_descriptor *descriptor = &own->receive_descriptors[slot];
    if (BD_LENGTH(descriptor->flags_length) < length) {
        stop_context(context, CDNA_FAULT_LENGTH);
        return;
    }
    struct host_address address = {descriptor->address.high & 0xffff, descriptor->address.low};
    struct buffer_descriptor *entry = &own->returns[slot];
    entry->address = address;
    entry->flags_length = BD_END | checksum_flags(completion) | length;
    entry->opaque = descriptor->opaque;
    store_range(entry, sizeof *entry);
    struct host_address back = own->returned;
    back.low += (own->receive_used & (own->receive.entries - 1)) * sizeof *entry;
    own->receive_used++;
    own->frames_delivered++;
    write_host(address, buffer_address(buffer), length, FRAME, context, 0);
    write_host(back, (uint32_t)entry, sizeof *entry, RETURN, context, buffer);
    has_news(context);
}

TASK(idle) bool can_deliver(void) { return !is_empty(&to_deliver) && writes_are_free(WRITES_KEPT + 2); }

TASK(receive_frame) void deliver(void)
{
    for (uint32_t look = 0; look < LOOKS && writes_are_free(WRITES_KEPT + 2); look++) {
        uint32_t context = next_in(&to_deliver, deliver_turn);
        if (!context)
            return;
        deliver_turn = context;
        struct context *own = CONTEXT(context);
        if (own->frames_delivered == own->frames_queued)
            take_out(&to_deliver, context);
        else if (own->receive_used == own->receive_described)
            fetch_descriptors(context);
        else if (own->frames_delivered - own->frames_freed < FETCHED) /* their returns are still read */
            deliver_frame(context);
    }
}

TASK(idle) bool is_all_delivered(void) { return is_empty(&to_deliver); }

static void release(uint32_t buffer)
{
    if (!--TAKERS[buffer])
        FREE_BUFFERS[free_count++] = (uint16_t)buffer;
}

void frame_is_delivered(uint32_t context, uint32_t buffer)
{
    CONTEXT(context)->frames_freed++;
    release(buffer);
}

/* Drops what waits for buffers of the guest. */
void stop_receiving(uint32_t context)
{
    struct context *own = CONTEXT(context);
    uint32_t dropped = 0;
    take_out(&to_deliver, context);
    for (; own->frames_delivered != own->frames_queued; own->frames_queued--, dropped++)
        release(own->buffers[(own->frames_queued - 1) % CDNA_MOST_SLOTS]);
    if (dropped)
        TALLY->counts[CDNA_DROP_STOPPED_RECEIVING] = dropped;
}
