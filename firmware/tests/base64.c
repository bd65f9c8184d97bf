/* Base64 (RFC 4648) there and back. */
#include "check.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static size_t encode(char *text, const uint8_t *bytes, size_t count)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i += 3) {
        size_t here = count - i < 3 ? count - i : 3;
        uint32_t group = (uint32_t)bytes[i] << 16;
        if (here > 1)
            group |= (uint32_t)bytes[i + 1] << 8;
        if (here > 2)
            group |= bytes[i + 2];
        for (size_t j = 0; j < 4; j++)
            text[length++] = j <= here ? alphabet[group >> (18 - 6 * j) & 63] : '=';
    }
    return length;
}

static int32_t digit_of(char character)
{
    if (character >= 'A' && character <= 'Z')
        return character - 'A';
    if (character >= 'a' && character <= 'z')
        return character - 'a' + 26;
    if (character >= '0' && character <= '9')
        return character - '0' + 52;
    return character == '+' ? 62 : character == '/' ? 63 : -1;
}

static size_t decode(uint8_t *bytes, const char *text, size_t length)
{
    size_t count = 0;
    uint32_t group = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        int32_t digit = digit_of(text[i]);
        check(digit >= 0);
        group = group << 6 | (uint32_t)digit;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes[count++] = (uint8_t)(group >> bits);
        }
    }
    return count;
}

void test(void)
{
    static uint8_t bytes[100], back[100];
    static char text[140];
    uint32_t state = 17;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)next_random(&state);
    for (size_t count = 0; count <= sizeof bytes; count += 11) {
        size_t length = encode(text, bytes, count);
        uint32_t digest = (uint32_t)length;
        for (size_t i = 0; i < length; i++)
            digest = digest * 31 + (uint8_t)text[i];
        report(digest);
        check(decode(back, text, length) == count);
        for (size_t i = 0; i < count; i++)
            check(back[i] == bytes[i]);
    }
}
