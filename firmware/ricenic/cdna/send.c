/*
 * Frames that guests send. Descriptors are fetched for one context after the other, a few at a time; what they name comes into buffers
 * of the context, the pieces of a frame one behind the other. A frame counts as sent for its guest when it is here. From there contexts
 * take turns on the link, each for as many bytes (deficit round robin).
 */
#include "ricenic/cdna.h"

#define LOOKS 8u           /* contexts that one call looks at, at most */
#define READS_KEPT 2u      /* reads that sending leaves to the descriptors of others */
#define FRAMES_IN_MAC 16u  /* so few that turns are short */
#define BYTES_MASK 0x3fffu /* of a descriptor for the MAC */
#define HEADER_BYTES 14u

static struct context_set to_fetch, to_give;
static uint32_t fetch_turn, give_turn, serving;
static uint8_t owners[QUEUE_ENTRIES]; /* of the frames in the MAC */
static uint32_t frames_given, frames_left;

static uint32_t slot_address(uint32_t context, uint32_t frame)
{
    return CDNA_SEND_BUFFERS + (context * cdna.send_slots + frame % cdna.send_slots) * cdna.slot_bytes;
}

void send_announced_by(uint32_t context)
{
    struct context *own = CONTEXT(context);
    uint32_t announced = MAILBOX_OF(context, MAILBOX_SEND), ahead = announced - own->send_fetched;
    if (ahead > own->send.entries || ahead < own->send_asked - own->send_fetched) {
        stop_context(context, CDNA_FAULT_PRODUCER);
        return;
    }
    own->send_announced = announced;
    put_in(&to_fetch, context);
}

static uint32_t least(uint32_t one, uint32_t other) { return one < other ? one : other; }

static void fetch_for(uint32_t context)
{
    struct context *own = CONTEXT(context);
    uint32_t count = own->send_announced - own->send_asked;
    if (!count) {
        take_out(&to_fetch, context);
        return;
    }
    uint32_t reads = reads_free();
    if (own->send_asked != own->send_described || reads <= READS_KEPT + 1)
        return;
    /* Each may begin a frame, but for the first if one is begun. */
    uint32_t slots = cdna.send_slots - (own->slots_taken - own->slots_done) + own->is_begun;
    count = least(least(count, FETCHED), least(slots, reads - READS_KEPT - 1));
    count = least(count, own->send.entries - (own->send_asked & (own->send.entries - 1)));
    if (!count)
        return;
    struct host_address place = host_ring_entry(&own->send, own->send_asked);
    reads_promised += count;
    own->send_asked += count;
    read_host(place, (uint32_t)own->send_descriptors, count * sizeof(struct buffer_descriptor), SEND_DESCRIPTORS, context, count);
}

TASK(idle) bool wants_to_fetch(void) { return !is_empty(&to_fetch); }

TASK(fetch_send_bd) void fetch(void)
{
    uint32_t first = 0;
    for (uint32_t look = 0; look < LOOKS; look++) {
        uint32_t context = next_in(&to_fetch, fetch_turn);
        if (!context || context == first)
            return;
        if (!first)
            first = context;
        fetch_turn = context;
        fetch_for(context);
    }
}

/* Begins or continues a frame, and fetches a piece. */
static enum cdna_fault take_descriptor(uint32_t context, const struct buffer_descriptor *descriptor)
{
    struct context *own = CONTEXT(context);
    uint32_t flags_length = descriptor->flags_length, length = BD_LENGTH(flags_length);
    if (descriptor->address.high >> 16 != ((own->send_described + 1) & 0xffff))
        return CDNA_FAULT_SEQUENCE;
    if (!own->is_begun) {
        own->slots_taken++;
        own->frame_bytes = own->frame_flags = 0;
        if (flags_length & BD_INSERT_CHECKSUM)
            own->frame_flags = TRANSMIT_CHECKSUM_AT(descriptor->opaque >> 8 & 0xff, descriptor->opaque & 0xff);
    }
    uint32_t frame = own->slots_taken - 1, place = slot_address(context, frame) + own->frame_bytes;
    own->frame_bytes += length;
    own->is_begun = !(flags_length & BD_END);
    if (!length || own->frame_bytes > cdna.longest_frame)
        return CDNA_FAULT_LENGTH;
    if (!own->is_begun) {
        uint32_t start = own->frame_flags >> 14 & 0xff, insert = own->frame_flags >> 22 & 0xff;
        bool is_within = !own->frame_flags || (insert >= start && insert + 2 <= own->frame_bytes);
        if (own->frame_bytes < HEADER_BYTES || !is_within)
            return CDNA_FAULT_LENGTH;
        own->slot_flags[frame % CDNA_MOST_SLOTS] = TRANSMIT_LAST | own->frame_flags | own->frame_bytes;
    }
    own->send_described++;
    struct host_address source = {descriptor->address.high & 0xffff, descriptor->address.low};
    read_host(source, place, length, own->is_begun ? PIECE : LAST_PIECE, context, 0);
    return CDNA_FAULT_NONE;
}

TASK(send_frame) void send_descriptors_came(uint32_t context, uint32_t count)
{
    struct context *own = CONTEXT(context);
    invalidate_range(own->send_descriptors, count * sizeof(struct buffer_descriptor));
    for (uint32_t number = 0; number < count && own->state == CDNA_STATE_RUNNING; number++) {
        enum cdna_fault fault = take_descriptor(context, &own->send_descriptors[number]);
        if (fault)
            stop_context(context, fault);
    }
}

TASK(send_frame) void piece_came(uint32_t context, bool is_last)
{
    struct context *own = CONTEXT(context);
    if (own->state != CDNA_STATE_RUNNING)
        return;
    own->send_fetched++;
    has_news(context);
    if (!is_last)
        return;
    /* A context cannot send with another's address. */
    uint32_t address = slot_address(context, own->slots_ready);
    invalidate_range((void *)address, HEADER_BYTES);
    if (*(const uint16_t *)(address + 6) != own->mac_address_high || *(const uint32_t *)(address + 8) != own->mac_address_low) {
        stop_context(context, CDNA_FAULT_MAC_ADDRESS);
        return;
    }
    own->slots_ready++;
    put_in(&to_give, context);
}

TASK(idle) bool can_give(void)
{
    return (serving || !is_empty(&to_give)) && frames_given - frames_sent < FRAMES_IN_MAC;
}

/* Gives frames to the MAC, for each context in turn as many bytes as for the others. */
TASK(send_frame) void give(void)
{
    while (frames_given - frames_sent < FRAMES_IN_MAC) {
        if (!serving) {
            serving = give_turn = next_in(&to_give, give_turn);
            if (!serving)
                return;
            CONTEXT(serving)->credit += (int32_t)cdna.longest_frame;
        }
        struct context *own = CONTEXT(serving);
        if (own->slots_given == own->slots_ready) {
            take_out(&to_give, serving);
            own->credit = 0;
            serving = 0;
            continue;
        }
        uint32_t flags = own->slot_flags[own->slots_given % CDNA_MOST_SLOTS], bytes = flags & BYTES_MASK;
        if ((int32_t)bytes > own->credit) {
            serving = 0;
            continue;
        }
        own->credit -= (int32_t)bytes;
        MAC_TRANSMIT->address = slot_address(serving, own->slots_given++);
        MAC_TRANSMIT->descriptor = flags;
        own->under_way++;
        owners[frames_given++ % QUEUE_ENTRIES] = (uint8_t)serving;
    }
}

TASK(idle) bool is_all_sent(void) { return frames_sent == frames_given && is_empty(&to_fetch) && is_empty(&to_give); }

TASK(idle) bool have_frames_left(void)
{
    if (frames_sent == frames_given)
        return false;
    frames_left = MAC_TRANSMIT->done;
    return frames_sent != frames_left;
}

/* Takes note of the frames that the link has taken. */
TASK(send_frame) void take_sent(void)
{
    for (; frames_sent != frames_left; frames_sent++) {
        struct context *own = CONTEXT(owners[frames_sent % QUEUE_ENTRIES]);
        own->slots_done++;
        own->under_way--;
    }
}

/* Drops what is here and not in the MAC. */
void stop_sending(uint32_t context)
{
    struct context *own = CONTEXT(context);
    take_out(&to_fetch, context);
    take_out(&to_give, context);
    if (serving == context)
        serving = 0;
    if (own->slots_ready != own->slots_given)
        TALLY->counts[CDNA_DROP_STOPPED_SENDING] = own->slots_ready - own->slots_given;
    own->slots_given = own->slots_ready;
}
