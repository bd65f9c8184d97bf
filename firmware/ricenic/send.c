/*
 * Frames to send. The driver's descriptors come in batches; each names a piece of a frame, which the DMA unit brings into a buffer of
 * its own. The MAC gathers the pieces.
 *
 * The image `cache` keeps content for the driver, at offsets that the driver chooses: a piece may go there instead, and be sent from there
 * again without the host's memory. The driver does not replace content before the frames with it have left.
 */
#include "ricenic/nic.h"

static struct buffer_descriptor descriptors[SLOTS] ON_OWN_LINES; /* written by the DMA unit */
static OF_SENDER uint32_t lower_half[SLOTS]; /* of each piece's descriptor for the MAC */
static OF_SENDER uint32_t ends[SLOTS];       /* of each frame, the piece behind its last */
static OF_SENDER uint32_t asked, described, fetched, frames_given, frames_done;
static OF_SENDER bool is_begun; /* the pieces that are described end within a frame */
#ifdef RICENIC_NAT
static OF_SENDER uint32_t frames[SLOTS]; /* where each frame lies, by its last piece */
static OF_SENDER uint32_t frame, frame_bytes, frame_flags;
#endif
#ifdef RICENIC_CACHE
static OF_SENDER uint32_t places[SLOTS]; /* where each piece lies */
static OF_SENDER bool is_kept[SLOTS];    /* it is there, and not read from the host */
#endif

void send_start(void)
{
    asked = described = fetched = rings.first_index;
    MAC_TRANSMIT->control = QUEUE_ENABLE;
}

TASK(idle) bool wants_to_fetch(void) { return send_announced != asked && SHARED(send_consumed) != asked - SEND_LIMIT; }

TASK(fetch_send_bd) void fetch_send_descriptors(void)
{
    uint32_t room = SEND_LIMIT - (asked - SHARED(send_consumed)), count = send_announced - asked;
    if (count > room)
        count = room;
    asked += read_entries(&rings.send, asked, count, descriptors, READ_SEND_DESCRIPTORS);
}

#ifdef RICENIC_NAT

/* The pieces of a frame lie one behind the other, so that its headers are whole. Returns where the next goes, and what is known of it. */
static uint32_t place_piece(uint32_t slot, uint32_t length, uint32_t *flags)
{
    if (!is_begun) {
        frame = SEND_BUFFERS + slot * BUFFER_BYTES + FRAME_OFFSET;
        frame_bytes = 0;
        frame_flags = 0;
    }
    uint32_t place = frame + frame_bytes;
    frame_bytes += length;
    frame_flags |= *flags & ~0x3fffu;
    frames[slot] = frame;
    *flags = frame_flags | frame_bytes;
    return place;
}

/* Gives a translated frame to the MAC, with flags 0 if it is dropped. What is dropped is done with when those before it are. */
static inline void give_frame(uint32_t place, uint32_t flags, uint32_t end)
{
    if (flags) {
        MAC_TRANSMIT->address = place;
        MAC_TRANSMIT->descriptor = flags;
        ends[frames_given++ % SLOTS] = end;
    } else if (frames_given == frames_done) {
        SHARED(send_consumed) = end;
    } else {
        ends[(frames_given - 1) % SLOTS] = end;
    }
}

#ifdef RICENIC_NAT_SPLIT

static OF_SENDER uint32_t handed_over, taken_back;
static OF_SENDER uint32_t places[SLOTS], ends_of_handed[SLOTS]; /* of each frame at the translator: where it is, and the piece behind its last */

/* A whole frame is handed to the translator. */
static void give_piece(uint32_t slot, uint32_t flags)
{
    if (!(flags & TRANSMIT_LAST))
        return;
    uint32_t number = handed_over++ % SLOTS;
    places[number] = frames[slot];
    ends_of_handed[number] = fetched;
    BETWEEN_CORES(outward_frames[number].frame) = frames[slot];
    BETWEEN_CORES(outward_frames[number].flags) = flags;
    BETWEEN_CORES(outward_asked) = handed_over;
}

static OF_SENDER uint32_t translated;

TASK(idle) bool have_translated_come(void)
{
    if (taken_back == handed_over)
        return false;
    translated = BETWEEN_CORES(outward_done);
    return taken_back != translated;
}

TASK(send_frame) void take_translated(void)
{
    for (; taken_back != translated; taken_back++) {
        uint32_t number = taken_back % SLOTS;
        give_frame(places[number], BETWEEN_CORES(outward_frames[number].flags), ends_of_handed[number]);
    }
}

#else

/* A whole frame is translated and given to the MAC, or dropped. */
static void give_piece(uint32_t slot, uint32_t flags)
{
    if (!(flags & TRANSMIT_LAST))
        return;
    fetch_headers(frames[slot]);
    bool is_passed = translate_outward(frames[slot], flags & 0x3fff, flags & TRANSMIT_CHECKSUM);
    wait_for_cache();
    give_frame(frames[slot], is_passed ? flags : 0, fetched);
}

#endif

#else

static uint32_t place_piece(uint32_t slot, uint32_t length, uint32_t *flags)
{
    (void)length;
    (void)flags;
    return SEND_BUFFERS + slot * BUFFER_BYTES;
}

static void give_piece(uint32_t slot, uint32_t flags)
{
#ifdef RICENIC_CACHE
    MAC_TRANSMIT->address = places[slot];
#else
    MAC_TRANSMIT->address = SEND_BUFFERS + slot * BUFFER_BYTES;
#endif
    MAC_TRANSMIT->descriptor = flags;
    if (flags & TRANSMIT_LAST)
        ends[frames_given++ % SLOTS] = fetched;
}

#endif

#ifdef RICENIC_CACHE

/* The place of a piece, by its descriptor; true if the content is there. */
static bool is_there(uint32_t slot, const struct buffer_descriptor *descriptor, uint32_t *place)
{
    if (descriptor->flags_length & (BD_KEEP_CONTENT | BD_SEND_CONTENT))
        *place = CONTENT + (descriptor->opaque & (CONTENT_BYTES - 1));
    places[slot] = *place;
    return is_kept[slot] = descriptor->flags_length & BD_SEND_CONTENT;
}

/* Gives the MAC the pieces that are next and there. The pieces before them are. */
TASK(send_frame) void give_content(void)
{
    while (fetched != described && is_kept[fetched % SLOTS]) {
        uint32_t slot = fetched++ % SLOTS;
        give_piece(slot, lower_half[slot]);
    }
}

#else

static inline bool is_there(uint32_t slot, const struct buffer_descriptor *descriptor, uint32_t *place)
{
    (void)slot;
    (void)descriptor;
    (void)place;
    return false;
}

static inline void give_content(void) {}

#endif

/* The next descriptors are here; fetches what they name. */
TASK(send_frame) void send_descriptors_came(uint32_t count)
{
    forget_entries(descriptors, described, count);
    for (; count > 0; count--, described++) {
        uint32_t slot = described % SLOTS;
        const struct buffer_descriptor *descriptor = &descriptors[slot];
        uint32_t flags_length = descriptor->flags_length, length = BD_LENGTH(flags_length), flags = length;
        if (flags_length & BD_INSERT_CHECKSUM && !is_begun) {
            uint32_t where = descriptor->opaque;
            flags |= TRANSMIT_CHECKSUM_AT(where >> 8 & 0xff, where & 0xff);
        }
        uint32_t place = place_piece(slot, length, &flags);
        is_begun = !(flags_length & BD_END);
        if (!is_begun)
            flags |= TRANSMIT_LAST;
        lower_half[slot] = flags;
        if (!is_there(slot, descriptor, &place))
            read_host(descriptor->address, place, length, READ_PIECE, 1);
    }
    give_content();
}

/* The next piece is here. */
TASK(send_frame) void send_piece_came(void)
{
    uint32_t slot = fetched++ % SLOTS, flags = lower_half[slot];
    give_piece(slot, flags);
    give_content();
}

#ifdef RICENIC_NAT_SPLIT
TASK(idle) bool is_all_sent(void) { return frames_done == frames_given && taken_back == handed_over; }
#else
TASK(idle) bool is_all_sent(void) { return frames_done == frames_given; }
#endif

static OF_SENDER uint32_t frames_left;

TASK(idle) bool have_frames_left(void)
{
    if (frames_done == frames_given)
        return false;
    frames_left = MAC_TRANSMIT->done;
    return frames_left != frames_done;
}

/* Takes note of the frames that the link has taken. */
TASK(send_frame) void take_sent(void)
{
    SHARED(frames_sent) = frames_done = frames_left;
    SHARED(send_consumed) = ends[(frames_left - 1) % SLOTS];
}
