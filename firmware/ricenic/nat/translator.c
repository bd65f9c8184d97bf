/*
 * The core that translates, in the image `nat-split`. It verifies the checksums of frames received, too, since it has their headers in its
 * cache.
 */
#include "ricenic/nic.h"

#define FRAMES_AT_ONCE 8u /* of one direction */

struct outward_frame outward_frames[SLOTS] OF_CORES;
uint32_t outward_asked OF_CORES, outward_done OF_CORES, inward_done OF_CORES;
uint32_t inward_frames[SLOTS] OF_CORES;
uint32_t host_core_rests OF_CORES, translator_rests OF_CORES;
static OF_CORES uint32_t are_forwards_wanted, are_forwards_lent;

static OF_CORE1 uint32_t outward_known, outward_translated, inward_translated;

static inline bool has_frame_to_send(void)
{
    if (outward_translated == outward_known)
        outward_known = BETWEEN_CORES(outward_asked);
    return outward_translated != outward_known;
}

static void translate_sent(void)
{
    for (uint32_t count = 0; count < FRAMES_AT_ONCE && has_frame_to_send(); count++) {
        struct outward_frame *handed = &outward_frames[outward_translated % SLOTS];
        uint32_t frame = BETWEEN_CORES(handed->frame), flags = BETWEEN_CORES(handed->flags);
        fetch_headers(frame);
        bool is_passed = translate_outward(frame, flags & 0x3fff, flags & TRANSMIT_CHECKSUM);
        wait_for_cache();
        if (!is_passed)
            BETWEEN_CORES(handed->flags) = 0;
        BETWEEN_CORES(outward_done) = ++outward_translated;
    }
}

/* There is room for every frame: each lies in a buffer, which the MAC has again only when the other core has seen it. */
static bool translate_received(void)
{
    for (uint32_t count = 0; count < FRAMES_AT_ONCE; count++) {
        uint32_t completion = MAC_RECEIVE->completion;
        if (completion == 0)
            return count;
        uint32_t number = inward_translated % SLOTS, frame = receive_buffer(number), length = RECEIVED_BYTES(completion);
        uint32_t checksum_flags = verify_checksum(frame, length, MAC_RECEIVE->sum);
        bool is_passed = translate_inward(frame, length, checksum_flags);
        wait_for_cache();
        BETWEEN_CORES(inward_frames[number]) = is_passed ? checksum_flags | length : 0;
        BETWEEN_CORES(inward_done) = ++inward_translated;
    }
    return true;
}

/*
 * Rests while the other core does. That core enables its interrupts before it says that it rests, so a frame that wakes this core wakes
 * that one, too, however soon the frame is taken from the MAC. Input of the console wakes this core, since commands borrow the forwards.
 */
TASK(idle) static void rest(void)
{
    if (!BETWEEN_CORES(host_core_rests))
        return;
    begin_rest(INTERRUPT_EVENTS | INTERRUPT_MAC_RECEIVE | INTERRUPT_UART);
    if (!BETWEEN_CORES(host_core_rests) || has_frame_to_send()) {
        end_rest();
        return;
    }
    BETWEEN_CORES(translator_rests) = 1;
    wait_for_interrupt();
    BETWEEN_CORES(translator_rests) = 0;
}

/* Polls while there is nothing to translate. */
TASK(idle) static void await_frame(void)
{
    while (!has_frame_to_send() && !(INTERRUPTS->sources & INTERRUPT_MAC_RECEIVE) && !BETWEEN_CORES(host_core_rests) &&
           !BETWEEN_CORES(are_forwards_wanted))
        ;
}

static void lend_forwards(void)
{
    flush_forwards();
    BETWEEN_CORES(are_forwards_lent) = 1;
    while (BETWEEN_CORES(are_forwards_wanted))
        ;
    BETWEEN_CORES(are_forwards_lent) = 0;
}

void borrow_forwards(void)
{
    BETWEEN_CORES(are_forwards_wanted) = 1;
    while (!BETWEEN_CORES(are_forwards_lent))
        ;
}

void return_forwards(void)
{
    flush_forwards();
    BETWEEN_CORES(are_forwards_wanted) = 0;
    while (BETWEEN_CORES(are_forwards_lent))
        ;
}

_Noreturn void translate_all(void)
{
    connections_start();
    forwards_start();
    for (;;) {
        connections_tick();
        translate_sent();
        if (!translate_received() && !has_frame_to_send()) {
            rest();
            await_frame();
        }
        if (BETWEEN_CORES(are_forwards_wanted))
            lend_forwards();
    }
}
