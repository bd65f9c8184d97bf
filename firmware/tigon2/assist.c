/*
 * The DMA assist in software, on core B: it does what the hardware would do with the rings of DMA descriptors, one transfer of each channel at
 * a time, and sets an event of core A every few microseconds. Everything here runs from the scratch pad of core B.
 */
#include "tigon2/dma.h"
#include "tigon2/events.h"
#include "tigon2/functions.h"
#include "tigon2/task.h"

#define TICKS_BETWEEN_EVENTS 5u /* microseconds */

/* Stores the sum that a descriptor asks for: its field for the checksum holds the address of the lower half of a word. */
static inline void store_sum(const struct dma_descriptor *dma, uint32_t sum)
{
    *(volatile uint16_t *)(uintptr_t)dma->checksum = (uint16_t)sum;
}

TASK(dma_assist) static void start_read(uint32_t pointer)
{
    const struct dma_descriptor *dma = dma_at(pointer);
    DMA_READ_HOST_HIGH = dma->host_high;
    DMA_READ_HOST_LOW = dma->host_low;
    DMA_READ_LOCAL = dma->local;
    DMA_READ_LENGTH = dma->length;
    DMA_READ_STATE = dma->state;
}

TASK(dma_assist) static void start_write(uint32_t pointer)
{
    const struct dma_descriptor *dma = dma_at(pointer);
    DMA_WRITE_HOST_HIGH = dma->host_high;
    DMA_WRITE_HOST_LOW = dma->host_low;
    DMA_WRITE_LOCAL = dma->local;
    DMA_WRITE_LENGTH = dma->length;
    DMA_WRITE_STATE = dma->state;
}

/* A channel that has met an error stays as it is: core A sees that, and the reference stays with the descriptor. */
TASK(dma_assist) static bool end_read(uint32_t pointer)
{
    uint32_t state = DMA_READ_STATE;
    if (state & (DMA_START | DMA_ERRORS))
        return false;
    if (state & DMA_CHECKSUM_STORE)
        store_sum(dma_at(pointer), DMA_READ_CHECKSUM);
    DMA_READ_REFERENCE = dma_after(pointer);
    return true;
}

TASK(dma_assist) static bool end_write(uint32_t pointer)
{
    uint32_t state = DMA_WRITE_STATE;
    if (state & (DMA_START | DMA_ERRORS))
        return false;
    if (state & DMA_CHECKSUM_STORE)
        store_sum(dma_at(pointer), DMA_WRITE_CHECKSUM);
    DMA_WRITE_REFERENCE = dma_after(pointer);
    return true;
}

TASK(assist_tick) static uint32_t tick(uint32_t due)
{
    uint32_t now = TIMER;
    if ((int32_t)(now - due) < 0)
        return due;
    events_raise(EVENT_BIT(EVENT_TICK));
    return now + TICKS_BETWEEN_EVENTS;
}

/* For good. */
TASK(idle) void assist_run(void)
{
    uint32_t due = TIMER;
    bool reads = false;
    bool writes = false;
    bool assists = cross.assists != 0;
    for (;;) {
        if (assists) {
            uint32_t pointer = DMA_READ_REFERENCE;
            if (reads)
                reads = !end_read(pointer);
            else if ((reads = pointer != DMA_READ_PRODUCER))
                start_read(pointer);
            pointer = DMA_WRITE_REFERENCE;
            if (writes)
                writes = !end_write(pointer);
            else if ((writes = pointer != DMA_WRITE_PRODUCER))
                start_write(pointer);
        }
        due = tick(due);
    }
}
