/* Bytes, halfwords and words at every alignment, through packed structures and through each other. */
#include "check.h"

struct __attribute__((packed)) header {
    uint8_t kind;
    uint32_t sequence;
    uint16_t length;
    int8_t delta;
    uint64_t stamp;
    int16_t offset;
};

static uint8_t bytes[64] __attribute__((aligned(8)));

static uint32_t word_at(const uint8_t *at)
{
    if (IS_LITTLE_ENDIAN)
        return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void fields_at_every_offset(void)
{
    for (size_t offset = 0; offset < 8; offset++) {
        struct header *header = (struct header *)(bytes + offset);
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = 0xee;
        header->kind = 0x5a;
        header->sequence = 0x01234567;
        header->length = 0xfedc;
        header->delta = -2;
        header->stamp = 0x1122334455667788u;
        header->offset = -300;
        check(word_at(bytes + offset + 1) == 0x01234567);
        check(word_at(bytes + offset + 4) == (IS_LITTLE_ENDIAN ? 0xfefedc01 : 0x67fedcfe));
        check(word_at(bytes + offset + 8) == (IS_LITTLE_ENDIAN ? 0x55667788 : 0x11223344));
        check(bytes[offset + sizeof *header] == 0xee);
        check(offset == 0 || bytes[offset - 1] == 0xee);
        check(header->delta + header->offset == -302);
        check((header->stamp ^ header->sequence) == 0x11223344544532efu);
        header->sequence++;
        header->length += header->kind;
        report(header->sequence + header->length);
    }
}

static void signs_extend(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        bytes[i % 7] = (uint8_t)i;
        check(((volatile int8_t *)bytes)[i % 7] == (i < 128 ? (int32_t)i : (int32_t)i - 256));
        check(((volatile uint8_t *)bytes)[i % 7] == i);
        ((volatile uint16_t *)bytes)[i % 5] = (uint16_t)(i * 257);
        int32_t wide = ((volatile int16_t *)bytes)[i % 5];
        check(wide == (i < 128 ? (int32_t)(i * 257) : (int32_t)(i * 257) - 65536));
    }
}

struct __attribute__((packed)) word {
    uint32_t value;
};

static void partial_stores_touch_nothing_else(void)
{
    for (size_t offset = 0; offset < 12; offset++) {
        for (size_t i = 0; i < 16; i++)
            bytes[i] = (uint8_t)(i * 17);
        ((struct word *)(bytes + offset))->value = 0xa1b2c3d4;
        for (size_t i = 0; i < 16; i++) {
            uint32_t inside = i - offset;
            check(bytes[i] == (inside < 4 ? (uint8_t)(0xa1b2c3d4u >> (IS_LITTLE_ENDIAN ? 8 * inside : 24 - 8 * inside)) : (uint8_t)(i * 17)));
        }
        check(((struct word *)(bytes + offset))->value == 0xa1b2c3d4);
    }
}

void test(void)
{
    fields_at_every_offset();
    signs_extend();
    partial_stores_touch_nothing_else();
    report(NETWORK32(word_at(bytes)));
}
