/* Variable arguments: sums of mixed widths and a small formatter. */
#include "check.h"

#include <stdarg.h>

static uint64_t sum_of(const char *kinds, ...)
{
    va_list arguments;
    va_start(arguments, kinds);
    uint64_t sum = 0;
    for (; *kinds; kinds++)
        sum = sum * 7 + (*kinds == 'l' ? va_arg(arguments, uint64_t) : va_arg(arguments, uint32_t));
    va_end(arguments);
    return sum;
}

struct text {
    char characters[80];
    size_t length;
};

static void append(struct text *text, char character)
{
    check(text->length < sizeof text->characters);
    text->characters[text->length++] = character;
}

static void append_number(struct text *text, uint64_t value, uint32_t base, size_t width, char fill)
{
    char digits[24];
    size_t count = 0;
    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    for (size_t i = count; i < width; i++)
        append(text, fill);
    while (count > 0)
        append(text, digits[--count]);
}

static void format_list(struct text *text, const char *format, va_list arguments)
{
    for (; *format; format++) {
        if (*format != '%') {
            append(text, *format);
            continue;
        }
        char fill = ' ';
        size_t width = 0;
        if (*++format == '0')
            fill = '0';
        for (; *format >= '0' && *format <= '9'; format++)
            width = width * 10 + (size_t)(*format - '0');
        int32_t number;
        switch (*format) {
        case 'd':
            number = va_arg(arguments, int32_t);
            if (number < 0)
                append(text, '-');
            append_number(text, number < 0 ? -(uint32_t)number : (uint32_t)number, 10, width, fill);
            break;
        case 'x': append_number(text, va_arg(arguments, uint32_t), 16, width, fill); break;
        case 'l': append_number(text, va_arg(arguments, uint64_t), 10, width, fill); break;
        case 'c': append(text, (char)va_arg(arguments, int)); break;
        case 's':
            for (const char *string = va_arg(arguments, const char *); *string; string++)
                append(text, *string);
            break;
        default: append(text, *format); break;
        }
    }
}

static void format(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_list(text, format, arguments);
    va_end(arguments);
}

static void check_equal(const struct text *text, const char *expected)
{
    size_t i = 0;
    for (; expected[i]; i++)
        check(i < text->length && text->characters[i] == expected[i]);
    check(i == text->length);
}

void test(void)
{
    uint64_t sum = sum_of("wlwwl", 1, (uint64_t)1 << 40, 3, 4, (uint64_t)5);
    report((uint32_t)(sum >> 32));
    report((uint32_t)sum);
    report((uint32_t)sum_of("llllw", (uint64_t)1, (uint64_t)2, (uint64_t)3, (uint64_t)4, 5));
    struct text text = {.length = 0};
    format(&text, "%d %5d|%04x|%s%c %l %%", -17, 42, 0xbeef, "nic", '!', (uint64_t)12345678901234567u);
    check_equal(&text, "-17    42|beef|nic! 12345678901234567 %");
    report((uint32_t)text.length);
}
