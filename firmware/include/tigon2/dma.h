/*
 * The DMA rings. Each has 64 descriptors in SRAM, of which the hardware reads the first 24 bytes. The rest of this file is what
 * the cores that own the rings share: taking the next descriptor, and giving it to the hardware.
 */
#ifndef TIGON2_DMA_H
#define TIGON2_DMA_H

#include <stdbool.h>

#include "tigon2/memory.h"
#include "tigon2/registers.h"

struct dma_descriptor {
    volatile uint32_t host_high;
    volatile uint32_t host_low;
    volatile uint32_t local;
    volatile uint32_t length;
    volatile uint32_t state;
    volatile uint32_t checksum; /* where the sum goes, which is the lower half of this word */
    volatile uint32_t type;     /* the last two are the firmware's */
    volatile uint32_t word;     /* an index that is written to the host from here */
};

_Static_assert(sizeof(struct dma_descriptor) == 32, "the hardware knows this layout");

/* dma_descriptor.state has the fields of DMA_READ_STATE and DMA_WRITE_STATE. */

#define DMA_RING_MASK (32 * DMA_DESCRIPTORS - 1)

static inline uint32_t dma_slot(uint32_t pointer) { return pointer >> 5 & (DMA_DESCRIPTORS - 1); }

static inline uint32_t dma_next(uint32_t pointer)
{
    return (pointer & ~DMA_RING_MASK) | ((pointer + sizeof(struct dma_descriptor)) & DMA_RING_MASK);
}

/* Value that is written to advance a pointer of a ring by one. The hardware wraps these pointers: firmware that relies on it only adds. */
static inline uint32_t dma_after(uint32_t pointer)
{
#ifdef TIGON2_RELEASED_STYLE
    return pointer + sizeof(struct dma_descriptor);
#else
    return dma_next(pointer);
#endif
}

static inline struct dma_descriptor *dma_at(uint32_t pointer) { return (struct dma_descriptor *)(uintptr_t)pointer; }

#ifdef TIGON2_RELEASED_STYLE

#define FRAME_RELEASE DMA_RECEIVE_CONSUMER /* of a written frame: the DMA frees its place in the receive buffer */

/* A consumer may be ahead of the reference: then the reference says which places the hardware has yet to read. */
static inline uint32_t dma_place(uint32_t checked_producer, uint32_t reference)
{
    bool is_full = dma_slot(checked_producer + sizeof(struct dma_descriptor) - reference) == 0;
    return is_full ? 0 : checked_producer;
}

/* The next free place in a ring; 0 if it is full. */
static inline uint32_t reads_place(void) { return dma_place(DMA_READ_ROOM, DMA_READ_REFERENCE); }
static inline uint32_t writes_place(void) { return dma_place(DMA_WRITE_ROOM, DMA_WRITE_REFERENCE); }

static inline uint32_t writes_free(void)
{
    uint32_t producer = DMA_WRITE_PRODUCER;
    uint32_t not_read = dma_slot(producer - DMA_WRITE_REFERENCE);
    uint32_t not_handled = dma_slot(producer - DMA_WRITE_CONSUMER);
    return DMA_DESCRIPTORS - 1 - (not_read > not_handled ? not_read : not_handled);
}

#else

#define FRAME_RELEASE 0u

/* The next free place in a ring; 0 if it is full. */
static inline uint32_t reads_place(void) { return DMA_READ_ROOM; }
static inline uint32_t writes_place(void) { return DMA_WRITE_ROOM; }

/* Number of descriptors that the ring of writes has room for. */
static inline uint32_t writes_free(void)
{
    return DMA_DESCRIPTORS - 1 - dma_slot(DMA_WRITE_PRODUCER - DMA_WRITE_CONSUMER);
}

#endif

/* Says where the sum of this transfer, and of those before it since the last restart, is to be stored. */
static inline void dma_store_checksum(struct dma_descriptor *dma)
{
    dma->checksum = (uint32_t)(uintptr_t)&dma->checksum + 2;
}

static inline uint32_t dma_checksum(const struct dma_descriptor *dma) { return dma->checksum & 0xffff; }

/* Kinds of transfers, kept by the firmware for each place in a ring; below the kind is a number. */
enum {
    READ_SEND_PART = 0,
    READ_SEND_LAST = 1 << 16,
    READ_SEND_CHECKSUM = 2 << 16, /* last as well; the number holds the flags of the descriptor */
    READ_SEND_DESCRIPTORS = 3 << 16,
    READ_RECEIVE_DESCRIPTORS = 4 << 16, /* the number of the ring is above the count */

    WRITE_FRAME = 0,
    WRITE_FRAME_PART = 1 << 16,
    WRITE_FRAME_CHECKSUM = 2 << 16,
    WRITE_RETURNS = 3 << 16,
    WRITE_INDEX = 4 << 16,
    WRITE_INDEX_INTERRUPT = 5 << 16,
};

#define TAG_KIND(tag) ((tag)&0xffff0000u)
#define TAG_NUMBER(tag) ((tag)&0x0000ffffu)

#endif
