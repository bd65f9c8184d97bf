/*
 * The console: a command line on the serial line, which interrupts for what is typed. It writes what fits, so that a slow terminal
 * holds nothing up. An answer that does not fit into its buffer is cut.
 */
#include "ricenic/nic.h"

#include "ricenic/console.h"
#include "spinach/task.h"

#define CALLS_BETWEEN_LOOKS 16u /* a look costs a reference to the bus */
#define LINE_BYTES 64u
#define OUTPUT_BYTES 1024u /* a power of two */
#define WORDS 5u

OF_BOTH uint32_t frames_sent;
OF_RECEIVER struct counters counters;

static OF_RECEIVER char line[LINE_BYTES];
static OF_RECEIVER uint32_t line_length;
static OF_RECEIVER char output[OUTPUT_BYTES];
static OF_RECEIVER uint32_t put, taken;
static OF_RECEIVER uint32_t calls;

void write_character(char character)
{
    if (put - taken < OUTPUT_BYTES)
        output[put++ % OUTPUT_BYTES] = character;
}

void write_text(const char *text)
{
    while (*text)
        write_character(*text++);
}

void write_decimal(uint32_t number)
{
    char digits[10];
    uint32_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    while (count)
        write_character(digits[--count]);
}

void write_hexadecimal(uint32_t number)
{
    write_text("0x");
    for (int shift = 28; shift >= 0; shift -= 4)
        write_character("0123456789abcdef"[number >> shift & 15]);
}

void write_named(const char *name, uint32_t number)
{
    write_text(name);
    write_character(' ');
    write_decimal(number);
    write_text("\r\n");
}

/* Something was typed, or is to be written. */
TASK(idle) bool is_console_busy(void) { return has_input || put != taken; }

bool is_same(const char *one, const char *other)
{
    for (; *one && *one == *other; one++, other++)
        ;
    return *one == *other;
}

bool read_number(const char *text, uint32_t *number)
{
    uint32_t base = 10, value = 0;
    if (text[0] == '0' && text[1] == 'x') {
        base = 16;
        text += 2;
    }
    do {
        uint32_t digit = (uint32_t)(*text >= 'a' ? *text - 'a' + 10 : *text - '0');
        if (digit >= base || value > (UINT32_MAX - digit) / base)
            return false;
        value = value * base + digit;
    } while (*++text);
    *number = value;
    return true;
}

static void help(void)
{
    write_text("help                 this list\r\n"
               "stats                frames and interrupts since the start\r\n"
               "rings                how far driver and card are\r\n"
               "peek ADDRESS         the word at an address\r\n"
               "poke ADDRESS WORD    another word there\r\n"
               "coalesce FRAMES      received between two interrupts\r\n"
               "profile start CYCLES counts functions, every CYCLES cycles\r\n"
               "profile              what was counted; profile stop ends it\r\n");
#ifdef HAS_OWN_COMMANDS
    own_help();
#endif
}

static void show_counters(void)
{
    write_named("frames sent", SHARED(frames_sent));
    write_named("frames received", counters.frames_received);
    write_named("frames dropped", MAC_RECEIVE->dropped);
    write_named("interrupts", counters.interrupts);
}

static void show_rings(void)
{
#ifndef RICENIC_CDNA /* each context has its own */
    write_named("send announced", MAILBOX(MAILBOX_SEND));
    write_named("send consumed", SHARED(send_consumed));
    write_named("receive announced", MAILBOX(MAILBOX_RECEIVE));
    write_named("receive returned", SHARED(receive_returned));
#endif
}

static void obey(uint32_t count, char *const *words)
{
    uint32_t first = 0, second = 0;
    bool has_first = count > 1 && read_number(words[1], &first), has_second = count > 2 && read_number(words[2], &second);
    bool is_address = has_first && first % 4 == 0;
    if (is_same(words[0], "help")) {
        help();
    } else if (is_same(words[0], "stats")) {
        show_counters();
    } else if (is_same(words[0], "rings")) {
        show_rings();
    } else if (is_same(words[0], "peek") && is_address) {
        flush_range((void *)first, 4); /* the word in the memory is meant */
        write_hexadecimal(*(volatile uint32_t *)first);
        write_text("\r\n");
    } else if (is_same(words[0], "poke") && is_address && has_second) {
        *(volatile uint32_t *)first = second;
        flush_range((void *)first, 4);
    } else if (is_same(words[0], "coalesce") && has_first && first > 0) {
        settings.receive_coalescing = first;
    } else if (is_same(words[0], "profile")) {
        profile_command(count, words);
#ifdef HAS_OWN_COMMANDS
    } else if (obey_own(count, words)) {
        return;
#endif
    } else {
        write_text(words[0]);
        write_text(": not understood; try help\r\n");
    }
}

static void end_line(void)
{
    char *words[WORDS];
    uint32_t count = 0;
    line[line_length] = 0;
    for (char *at = line; *at && count < WORDS;) {
        while (*at == ' ')
            *at++ = 0;
        if (*at)
            words[count++] = at;
        while (*at && *at != ' ')
            at++;
    }
    line_length = 0;
    write_text("\r\n");
    if (count)
        obey(count, words);
    write_text("> ");
}

static void take_character(char character)
{
    if (character == '\r' || character == '\n') {
        end_line();
    } else if (character == '\b' || character == 0x7f) {
        if (line_length) {
            line_length--;
            write_text("\b \b");
        }
    } else if (line_length + 1 < LINE_BYTES) {
        line[line_length++] = character;
        write_character(character);
    }
}

TASK(idle) bool has_console_said_all(void) { return put == taken; }

void console(void)
{
    if (has_input) {
        for (uint32_t received; (received = UART->receive) != 0;)
            take_character((char)received);
        await_input();
    }
    if (put == taken || calls++ % CALLS_BETWEEN_LOOKS)
        return;
    for (uint32_t room = UART->free; room && taken != put; room--)
        UART->transmit = (uint8_t)output[taken++ % OUTPUT_BYTES];
}
