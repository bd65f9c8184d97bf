/* 32-bit multiplication and division over corner values, against long division by shift and subtract. */
#include "check.h"

static const uint32_t corners[] = {
    0, 1, 2, 3, 7, 10, 0x7ffffffe, 0x7fffffff, 0x80000000u, 0x80000001u, 0xfffffff6u, 0xfffffffeu,
    0xffffffffu,
};

#define CORNERS (sizeof corners / sizeof corners[0])

static uint32_t slow_divide(uint32_t dividend, uint32_t divisor, uint32_t *remainder)
{
    uint32_t quotient = 0;
    uint32_t rest = 0;
    for (int bit = 31; bit >= 0; bit--) {
        uint32_t carry = rest >> 31;
        rest = rest << 1 | (dividend >> bit & 1);
        if (carry || rest >= divisor) {
            rest -= divisor;
            quotient |= 1u << bit;
        }
    }
    *remainder = rest;
    return quotient;
}

static uint64_t slow_multiply(uint32_t a, uint32_t b)
{
    uint64_t product = 0;
    for (int bit = 0; bit < 32; bit++) {
        if (b >> bit & 1)
            product += (uint64_t)a << bit;
    }
    return product;
}

static uint32_t combine(uint32_t a, uint32_t b)
{
    uint32_t digest = (uint32_t)((uint64_t)a * b >> 32) ^ (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32);
    check((uint64_t)a * b == slow_multiply(a, b));
    if (b == 0)
        return digest;
    uint32_t remainder;
    check(a / b == slow_divide(a, b, &remainder));
    check(a % b == remainder);
    if (a == 0x80000000u && b == 0xffffffffu)
        return digest; /* the signed quotient does not fit */
    int32_t quotient = (int32_t)a / (int32_t)b;
    digest = digest * 33 + (uint32_t)quotient;
    return digest * 33 + (uint32_t)((int32_t)a % (int32_t)b);
}

void test(void)
{
    uint32_t state = 5;
    for (size_t i = 0; i < CORNERS; i++) {
        uint32_t digest = 0;
        for (size_t j = 0; j < CORNERS; j++)
            digest = digest * 65599 + combine(corners[i], corners[j]);
        report(digest);
    }
    uint32_t digest = 0;
    for (int i = 0; i < 20; i++) {
        uint32_t a = next_random(&state);
        digest = digest * 65599 + combine(a, next_random(&state) >> (i & 31));
    }
    report(digest);
}
