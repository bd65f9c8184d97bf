/* The bit-array instructions on one core, against a model that looks at one bit at a time. */
#include "check.h"

#include "spinach/bit_array.h"

#define BITS 96u

static volatile uint32_t array[BITS / 32 + 2] __attribute__((aligned(4)));
static bool model[BITS];

static uint32_t model_update(uint32_t first)
{
    uint32_t bit = first;
    while (bit / 32 == first / 32 && model[bit])
        model[bit++] = false;
    return bit - 1;
}

void test(void)
{
    uint32_t state = 67;
    uint32_t digest = 0;
    for (int round = 0; round < 40; round++) {
        uint32_t random = next_random(&state);
        uint32_t index = random % BITS;
        if (random >> 30) {
            bit_array_set(array + 1, index);
            model[index] = true;
        } else {
            uint32_t last = bit_array_update(array + 1, index);
            check(last == model_update(index));
            digest = digest * 31 + last;
        }
        for (uint32_t bit = 0; bit < BITS; bit++)
            check((array[1 + bit / 32] >> (bit % 32) & 1) == model[bit]);
    }
    check(array[0] == 0 && array[BITS / 32 + 1] == 0);
    report(digest);
    for (uint32_t bit = 0; bit < 32; bit++)
        bit_array_set(array + 1, bit);
    report(bit_array_update(array + 1, 0));
    report(bit_array_update(array + 1, 0));
}
