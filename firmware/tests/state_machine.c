/* Finite automata: a table-driven number recogniser, and HDLC-like framing with byte stuffing (RFC 1662). */
#include "check.h"

enum state { START, SIGN, WHOLE, POINT, FRACTION, MARK, MARK_SIGN, EXPONENT, WRONG, STATES };
enum symbol { DIGIT, PLUS_MINUS, DOT, LETTER_E, OTHER, SYMBOLS };

static const uint8_t next[STATES][SYMBOLS] = {
    [START] = {WHOLE, SIGN, POINT, WRONG, WRONG},
    [SIGN] = {WHOLE, WRONG, POINT, WRONG, WRONG},
    [WHOLE] = {WHOLE, WRONG, FRACTION, MARK, WRONG},
    [POINT] = {FRACTION, WRONG, WRONG, WRONG, WRONG},
    [FRACTION] = {FRACTION, WRONG, WRONG, MARK, WRONG},
    [MARK] = {EXPONENT, MARK_SIGN, WRONG, WRONG, WRONG},
    [MARK_SIGN] = {EXPONENT, WRONG, WRONG, WRONG, WRONG},
    [EXPONENT] = {EXPONENT, WRONG, WRONG, WRONG, WRONG},
    [WRONG] = {WRONG, WRONG, WRONG, WRONG, WRONG},
};

static enum symbol symbol_of(char character)
{
    if (character >= '0' && character <= '9')
        return DIGIT;
    if (character == '+' || character == '-')
        return PLUS_MINUS;
    return character == '.' ? DOT : character == 'e' ? LETTER_E : OTHER;
}

static bool is_number(const char *text)
{
    uint8_t state = START;
    for (; *text; text++)
        state = next[state][symbol_of(*text)];
    return state == WHOLE || state == FRACTION || state == EXPONENT;
}

#define FLAG 0x7e
#define ESCAPE 0x7d
#define FRAMES 20

static uint8_t line[FRAMES * 80];
static size_t line_length;

static void send(const uint8_t *bytes, size_t count)
{
    line[line_length++] = FLAG;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == FLAG || bytes[i] == ESCAPE) {
            line[line_length++] = ESCAPE;
            line[line_length++] = bytes[i] ^ 0x20;
        } else {
            line[line_length++] = bytes[i];
        }
    }
    line[line_length++] = FLAG;
}

static uint32_t frames, digest;

static void receive_all(void)
{
    enum { OUTSIDE, INSIDE, ESCAPED } state = OUTSIDE;
    size_t length = 0;
    for (size_t i = 0; i < line_length; i++) {
        uint8_t byte = line[i];
        if (byte == FLAG) {
            frames += state == INSIDE && length > 0;
            state = state == INSIDE && length > 0 ? OUTSIDE : INSIDE;
            length = 0;
        } else if (state == INSIDE && byte == ESCAPE) {
            state = ESCAPED;
        } else if (state != OUTSIDE) {
            digest = digest * 31 + (state == ESCAPED ? byte ^ 0x20 : byte);
            length++;
            state = INSIDE;
        }
    }
}

void test(void)
{
    static const char *const numbers[] = {"0", "-12.5", "+.5e10", "3.e-7", "00012"};
    static const char *const others[] = {"", "-", ".", "1e", "e5", "1e+-2", "1.2.3", "--1", "0x10", "1 "};
    uint8_t frame[30];
    uint32_t state = 29;
    uint32_t expected = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        check(is_number(numbers[i]));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        check(!is_number(others[i]));
    for (int i = 0; i < FRAMES; i++) {
        size_t count = 1 + next_random(&state) % sizeof frame;
        for (size_t j = 0; j < count; j++) {
            frame[j] = (uint8_t)(0x78 + (next_random(&state) >> 29));
            expected = expected * 31 + frame[j];
        }
        send(frame, count);
    }
    receive_all();
    check(frames == FRAMES);
    check(digest == expected);
    report((uint32_t)line_length);
    report(digest);
}
