/*
 * The data cache of this processor, and what it takes to share memory with devices: the cache knows nothing of what they write, and
 * they know nothing of what it holds.
 *
 *   - Before a device reads what firmware wrote:     store_range, or flush_range if firmware is done with it.
 *   - Before firmware reads what a device wrote:     invalidate_range, once the device is done.
 *
 * Device-written data lies in separate lines (ON_OWN_LINES): a line is written back whole, over the bytes that the device
 * wrote meanwhile.
 */
#ifndef RICENIC_CACHES_H
#define RICENIC_CACHES_H

#include <stdint.h>

#define CACHE_LINE_BYTES 32u

/* Of a type: its objects begin with a line. Their size must be a multiple of a line, as that of a structure declared so is. */
#define ON_OWN_LINES __attribute__((aligned(CACHE_LINE_BYTES)))

/* Waits until all operations on the cache are performed. */
static inline void wait_for_cache(void) { __asm__ volatile("sync" ::: "memory"); }

/* Does `operation` to each line that holds bytes of a range. */
#define BEGIN_CACHE_OPERATION_(operation, data, bytes)                                                    \
    do {                                                                                                  \
        uint32_t line_ = (uint32_t)(data) & ~(CACHE_LINE_BYTES - 1);                                      \
        uint32_t lines_ = ((uint32_t)(data) - line_ + (bytes) + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES; \
        for (; lines_; lines_--, line_ += CACHE_LINE_BYTES)                                               \
            __asm__ volatile(operation " 0, %0" ::"r"(line_) : "memory");                                 \
    } while (0)

/* The same, and waits until all is performed. */
#define CACHE_OPERATION_(operation, data, bytes)       \
    do {                                               \
        BEGIN_CACHE_OPERATION_(operation, data, bytes); \
        wait_for_cache();                              \
    } while (0)

/* Writes a range back to the memory, and keeps it: what a device is to read. */
static inline void store_range(const volatile void *data, uint32_t bytes) { CACHE_OPERATION_("dcbst", data, bytes); }

/* Writes a range back to the memory and drops it. */
static inline void flush_range(const volatile void *data, uint32_t bytes) { CACHE_OPERATION_("dcbf", data, bytes); }

/* Drops a range, with whatever firmware wrote to its lines: what a device has written. */
static inline void invalidate_range(const volatile void *data, uint32_t bytes) { CACHE_OPERATION_("dcbi", data, bytes); }

/* Begins to load a range anew: what a device has written, and firmware reads soon. */
static inline void fetch_range(const volatile void *data, uint32_t bytes)
{
    BEGIN_CACHE_OPERATION_("dcbi", data, bytes);
    BEGIN_CACHE_OPERATION_("dcbt", data, bytes);
}

/* Begins to write a range back and to drop it; until the next `wait_for_cache`. */
static inline void begin_flush(const volatile void *data, uint32_t bytes) { BEGIN_CACHE_OPERATION_("dcbf", data, bytes); }

#endif
