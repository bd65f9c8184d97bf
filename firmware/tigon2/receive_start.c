/* Setup of the receive rings by the host. */
#include "tigon2/events.h"
#include "tigon2/functions.h"

#define DESCRIPTOR_SHIFT 5 /* a descriptor has 32 bytes */
#define EXTENDED_SHIFT 6
#define DEFAULT_STANDARD_LARGEST 1518
#define JUMBO_LARGEST 0xffff /* unless the host says how long frames are */
#define RETURNS_WITH_MINI 2048
#define RETURNS_WITHOUT_MINI 1024
#define MOST_COALESCING (RETURNS / 2)

static void start_ring(uint32_t number, const struct ring_control *control, uint32_t offset, uint32_t entries,
                       uint32_t shift, uint32_t largest)
{
    struct receive_ring *ring = &receive_state()->rings[number];
    ring->ring = descriptors + offset;
    ring->next = ring->arrived = 0;
    ring->mask = entries - 1;
    ring->flags = ring_flags(control);
    ring->shift = shift;
    ring->largest = ring->flags & RING_DISABLED ? 0 : largest;
    receive_fetch_start(number, control, offset, entries, shift);
}

static void start_rings(void)
{
    uint32_t standard_largest = ring_length(&information.standard);
    if (standard_largest == 0)
        standard_largest = DEFAULT_STANDARD_LARGEST;
    uint32_t jumbo_shift = ring_flags(&information.jumbo) & RING_EXTENDED ? EXTENDED_SHIFT : DESCRIPTOR_SHIFT;
    start_ring(STANDARD, &information.standard, STANDARD_OFFSET, STANDARD_DESCRIPTORS, DESCRIPTOR_SHIFT, standard_largest);
    start_ring(JUMBO, &information.jumbo, JUMBO_OFFSET, JUMBO_DESCRIPTORS, jumbo_shift, JUMBO_LARGEST);
    start_ring(MINI, &information.mini, MINI_OFFSET, MINI_DESCRIPTORS, DESCRIPTOR_SHIFT, ring_length(&information.mini));
}

/*
 * Takes the host's thresholds for notifications, and the largest length of frames. The host counts the check sequence, which is
 * omitted here: a tag may take its place.
 */
void receive_tune(void)
{
    struct receive_state *receive = receive_state();
    struct receive_ring *jumbo = &receive->rings[JUMBO];
    uint32_t longest = shared->general.largest_unit;
    if (jumbo->largest != 0)
        jumbo->largest = longest != 0 ? longest : JUMBO_LARGEST;
    receive->coalescing = shared->general.receive_coalescing;
    if (receive->coalescing > MOST_COALESCING)
        receive->coalescing = MOST_COALESCING;
    receive->ticks = at_least(shared->general.receive_ticks, SHORTEST_TICKS);
}

void receive_start(void)
{
    struct receive_state *receive = receive_state();
    uint32_t returns = ring_length(&information.returned);
    uint32_t mode = shared->general.mode;
    start_rings();
    receive->buffer_base = RECEIVE_BUFFER_BASE;
    receive->return_mask = (returns == RETURNS_WITHOUT_MINI ? RETURNS_WITHOUT_MINI : RETURNS_WITH_MINI) - 1;
    receive->return_high = information.returned.host_high;
    receive->return_low = information.returned.host_low;
    receive->mode = mode;
    receive->swap = mode & MODE_NATIVE_WORDS ? 0 : DMA_SWAP;
    receive->check_sequence_bytes = mode & MODE_KEEP_CHECK_SEQUENCE ? 0 : CHECK_SEQUENCE_BYTES;
    receive_tune();
}
