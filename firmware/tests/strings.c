/* String functions: length, compare, search, reverse, numbers to text and back, words of a sentence. */
#include "check.h"

static size_t length_of(const char *text)
{
    const char *end = text;
    while (*end)
        end++;
    return (size_t)(end - text);
}

static int compare(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (int)(uint8_t)*a - (int)(uint8_t)*b;
}

static const char *find(const char *text, const char *wanted)
{
    for (;; text++) {
        size_t i = 0;
        while (wanted[i] && text[i] == wanted[i])
            i++;
        if (!wanted[i])
            return text;
        if (!*text)
            return NULL;
    }
}

static void reverse(char *text, size_t length)
{
    for (size_t i = 0; i < length / 2; i++) {
        char t = text[i];
        text[i] = text[length - 1 - i];
        text[length - 1 - i] = t;
    }
}

static size_t print_number(char *text, int32_t number, uint32_t base)
{
    uint32_t rest = number < 0 ? -(uint32_t)number : (uint32_t)number;
    size_t length = 0;
    do {
        text[length++] = "0123456789abcdefghijklmnopqrstuvwxyz"[rest % base];
        rest /= base;
    } while (rest);
    if (number < 0)
        text[length++] = '-';
    reverse(text, length);
    text[length] = 0;
    return length;
}

static int32_t read_number(const char *text, uint32_t base)
{
    bool negative = *text == '-';
    uint32_t number = 0;
    for (text += negative; *text; text++)
        number = number * base + (uint32_t)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
    return (int32_t)(negative ? -number : number);
}

static uint32_t hash_of(const char *text)
{
    uint32_t hash = 5381; /* Bernstein's */
    for (; *text; text++)
        hash = hash * 33 ^ (uint8_t)*text;
    return hash;
}

static uint32_t count_words(const char *sentence, size_t *longest)
{
    uint32_t words = 0;
    *longest = 0;
    while (*sentence) {
        while (*sentence == ' ')
            sentence++;
        const char *start = sentence;
        while (*sentence && *sentence != ' ')
            sentence++;
        size_t length = (size_t)(sentence - start);
        words += length > 0;
        if (length > *longest)
            *longest = length;
    }
    return words;
}

void test(void)
{
    static const char sentence[] = "  frames go from wire to host and   from host to wire ";
    static const int32_t numbers[] = {0, 7, -1, 255, 1000000, -2147483647 - 1, 2147483647, -36};
    char text[40];
    size_t longest;

    report((uint32_t)length_of(sentence));
    report(count_words(sentence, &longest));
    check(longest == 6);
    report((uint32_t)(find(sentence, "host") - sentence));
    check(find(sentence, "cable") == NULL);
    check(find(sentence, "") == sentence);
    check(compare("abc", "abd") < 0 && compare("abc", "ab") > 0);
    check(compare("", "") == 0 && compare("\xff", "a") > 0);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        for (uint32_t base = 2; base <= 36; base += 17) {
            check(print_number(text, numbers[i], base) == length_of(text));
            check(read_number(text, base) == numbers[i]);
        }
        print_number(text, numbers[i], 10);
        report(hash_of(text));
    }
}
