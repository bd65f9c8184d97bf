/* A hash table with open addressing and deletion, against a plain array. */
#include "check.h"

#define SLOTS 128
#define KEYS 90
#define EMPTY 0u
#define DELETED 0xffffffffu

static struct {
    uint32_t key;
    uint32_t value;
} table[SLOTS];

static uint32_t model[KEYS]; /* value + 1 of each key, 0 if absent */
static uint32_t longest_probe;

static uint32_t slot_of(uint32_t key)
{
    return (key * 2654435769u) >> 25; /* Fibonacci hashing: 2^32 divided by the golden ratio */
}

static uint32_t find(uint32_t key)
{
    uint32_t slot = slot_of(key);
    for (uint32_t probe = 0; probe < SLOTS; probe++, slot = (slot + 1) % SLOTS) {
        if (probe > longest_probe)
            longest_probe = probe;
        if (table[slot].key == key)
            return slot;
        if (table[slot].key == EMPTY)
            break;
    }
    return SLOTS;
}

static void insert(uint32_t key, uint32_t value)
{
    uint32_t slot = find(key);
    if (slot == SLOTS) {
        slot = slot_of(key);
        while (table[slot].key != EMPTY && table[slot].key != DELETED)
            slot = (slot + 1) % SLOTS;
    }
    table[slot].key = key;
    table[slot].value = value;
}

static void check_key(uint32_t index, uint32_t key)
{
    uint32_t slot = find(key);
    check((slot != SLOTS) == (model[index] != 0));
    check(slot == SLOTS || table[slot].value + 1 == model[index]);
}

void test(void)
{
    uint32_t state = 31;
    for (uint32_t step = 0; step < 500; step++) {
        uint32_t index = next_random(&state) % KEYS;
        uint32_t key = index * 1048577 + 1;
        uint32_t slot;
        check_key(index, key);
        if (next_random(&state) & 3) {
            insert(key, step);
            model[index] = step + 1;
        } else if ((slot = find(key)) != SLOTS) {
            table[slot].key = DELETED;
            model[index] = 0;
        }
    }
    uint32_t sum = 0;
    for (uint32_t index = 0; index < KEYS; index++) {
        check_key(index, index * 1048577 + 1);
        sum = sum * 31 + model[index];
    }
    report(sum);
    report(longest_probe);
}
