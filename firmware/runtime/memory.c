/*
 * The four functions that compilers call without being asked. Freestanding compilation keeps compilers from
 * turning these loops into calls of the same functions.
 */
#include <stddef.h>
#include <stdint.h>

#define WORD_BYTES sizeof(uint32_t)

/* A word that may overlie an object of any other type. */
typedef uint32_t __attribute__((may_alias)) any_word_t;

static int is_word_aligned(const void *pointer)
{
    return ((uintptr_t)pointer & (WORD_BYTES - 1)) == 0;
}

void *memcpy(void *restrict destination, const void *restrict source, size_t bytes)
{
    uint8_t *to = destination;
    const uint8_t *from = source;
    if (is_word_aligned(to) && is_word_aligned(from)) {
        for (; bytes >= WORD_BYTES; bytes -= WORD_BYTES, to += WORD_BYTES, from += WORD_BYTES)
            *(any_word_t *)to = *(const any_word_t *)from;
    }
    while (bytes-- > 0)
        *to++ = *from++;
    return destination;
}

void *memmove(void *destination, const void *source, size_t bytes)
{
    uint8_t *to = destination;
    const uint8_t *from = source;
    if ((uintptr_t)to - (uintptr_t)from >= bytes)
        return memcpy(destination, source, bytes);
    while (bytes-- > 0)
        to[bytes] = from[bytes];
    return destination;
}

void *memset(void *destination, int value, size_t bytes)
{
    uint8_t *to = destination;
    uint8_t byte = (uint8_t)value;
    if (is_word_aligned(to)) {
        uint32_t word = byte * 0x01010101u;
        for (; bytes >= WORD_BYTES; bytes -= WORD_BYTES, to += WORD_BYTES)
            *(any_word_t *)to = word;
    }
    while (bytes-- > 0)
        *to++ = byte;
    return destination;
}

int memcmp(const void *left, const void *right, size_t bytes)
{
    const uint8_t *a = left;
    const uint8_t *b = right;
    for (; bytes > 0; bytes--, a++, b++) {
        if (*a != *b)
            return *a - *b;
    }
    return 0;
}
