/* CRC-32 of IEEE 802.3, bit by bit and by table; the two must agree and match the published check value. */
#include "check.h"

#define POLYNOMIAL 0xedb88320u /* reflected */

static uint32_t table[256];

static uint32_t step(uint32_t crc)
{
    return crc & 1 ? (crc >> 1) ^ POLYNOMIAL : crc >> 1;
}

static uint32_t by_bit(const uint8_t *bytes, size_t count)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = step(crc);
    }
    return ~crc;
}

static void fill_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = step(crc);
        table[i] = crc;
    }
}

static uint32_t by_table(const uint8_t *bytes, size_t count)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < count; i++)
        crc = (crc >> 8) ^ table[(crc ^ bytes[i]) & 0xff];
    return ~crc;
}

void test(void)
{
    static const uint8_t digits[] = {49, 50, 51, 52, 53, 54, 55, 56, 57}; /* "123456789" */
    static uint8_t frame[300];
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof frame; i++)
        frame[i] = (uint8_t)next_random(&state);

    fill_table();
    check(by_bit(digits, sizeof digits) == 0xcbf43926u);
    check(by_table(digits, sizeof digits) == 0xcbf43926u);
    for (size_t length = 0; length <= sizeof frame; length += 60) {
        uint32_t crc = by_bit(frame, length);
        check(by_table(frame, length) == crc);
        report(crc);
    }
}
