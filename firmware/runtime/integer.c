/*
 * Integer helpers that compilers for 32-bit cores call by these names: 64-bit division and shifts, and bit
 * operations that the instruction set lacks. The names and contracts are those of GCC's low-level runtime
 * library manual.
 */
#include <stdint.h>

/* A 64-bit integer as two words, so that the shifts below do not call themselves. */
typedef union {
    uint64_t whole;
    struct {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        uint32_t high;
        uint32_t low;
#else
        uint32_t low;
        uint32_t high;
#endif
    } word;
} split_t;

uint64_t __ashldi3(uint64_t value, int shift)
{
    split_t in = {value};
    split_t out;
    if (shift == 0)
        return value;
    if (shift >= 32) {
        out.word.high = in.word.low << (shift - 32);
        out.word.low = 0;
    } else {
        out.word.high = (in.word.high << shift) | (in.word.low >> (32 - shift));
        out.word.low = in.word.low << shift;
    }
    return out.whole;
}

uint64_t __lshrdi3(uint64_t value, int shift)
{
    split_t in = {value};
    split_t out;
    if (shift == 0)
        return value;
    if (shift >= 32) {
        out.word.low = in.word.high >> (shift - 32);
        out.word.high = 0;
    } else {
        out.word.low = (in.word.low >> shift) | (in.word.high << (32 - shift));
        out.word.high = in.word.high >> shift;
    }
    return out.whole;
}

int64_t __ashrdi3(int64_t value, int shift)
{
    split_t in = {(uint64_t)value};
    split_t out;
    if (shift == 0)
        return value;
    if (shift >= 32) {
        out.word.low = (uint32_t)((int32_t)in.word.high >> (shift - 32));
        out.word.high = (uint32_t)((int32_t)in.word.high >> 31);
    } else {
        out.word.low = (in.word.low >> shift) | (in.word.high << (32 - shift));
        out.word.high = (uint32_t)((int32_t)in.word.high >> shift);
    }
    return (int64_t)out.whole;
}

int __clzsi2(uint32_t value)
{
    int zeros = 0;
    for (int step = 16; step > 0; step >>= 1) {
        if (value >> (32 - step) == 0) {
            zeros += step;
            value <<= step;
        }
    }
    return zeros;
}

int __ctzsi2(uint32_t value)
{
    return 31 - __clzsi2(value & -value);
}

int __clzdi2(uint64_t value)
{
    split_t in = {value};
    return in.word.high ? __clzsi2(in.word.high) : 32 + __clzsi2(in.word.low);
}

int __ctzdi2(uint64_t value)
{
    split_t in = {value};
    return in.word.low ? __ctzsi2(in.word.low) : 32 + __ctzsi2(in.word.high);
}

int __ffssi2(uint32_t value)
{
    return value ? __ctzsi2(value) + 1 : 0;
}

int __popcountsi2(uint32_t value)
{
    value -= (value >> 1) & 0x55555555u;
    value = (value & 0x33333333u) + ((value >> 2) & 0x33333333u);
    value = (value + (value >> 4)) & 0x0f0f0f0fu;
    return (int)((value * 0x01010101u) >> 24);
}

int __popcountdi2(uint64_t value)
{
    split_t in = {value};
    return __popcountsi2(in.word.high) + __popcountsi2(in.word.low);
}

int __paritysi2(uint32_t value)
{
    return __popcountsi2(value) & 1;
}

uint32_t __bswapsi2(uint32_t value)
{
    return value << 24 | (value & 0xff00u) << 8 | (value >> 8 & 0xff00u) | value >> 24;
}

uint64_t __bswapdi2(uint64_t value)
{
    split_t in = {value};
    split_t out;
    out.word.high = __bswapsi2(in.word.low);
    out.word.low = __bswapsi2(in.word.high);
    return out.whole;
}

/*
 * Quotient, and the remainder through the pointer. Division by zero traps as the hardware's 32-bit division
 * does.
 */
static uint64_t divide(uint64_t dividend, uint64_t divisor, uint64_t *remainder)
{
    split_t top = {dividend};
    split_t bottom = {divisor};
    if (top.word.high == 0 && bottom.word.high == 0) {
        *remainder = top.word.low % bottom.word.low;
        return top.word.low / bottom.word.low;
    }
    if (divisor > dividend) {
        *remainder = dividend;
        return 0;
    }
    if (divisor == 0)
        __builtin_trap();
    /* Schoolbook: one quotient bit per step, from the first position where the divisor fits. */
    int shift = __clzdi2(divisor) - __clzdi2(dividend);
    uint64_t part = __ashldi3(divisor, shift);
    uint64_t quotient = 0;
    for (; shift >= 0; shift--) {
        quotient <<= 1;
        if (dividend >= part) {
            dividend -= part;
            quotient |= 1;
        }
        part >>= 1;
    }
    *remainder = dividend;
    return quotient;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

uint64_t __udivdi3(uint64_t dividend, uint64_t divisor)
{
    uint64_t remainder;
    return divide(dividend, divisor, &remainder);
}

uint64_t __umoddi3(uint64_t dividend, uint64_t divisor)
{
    uint64_t remainder;
    divide(dividend, divisor, &remainder);
    return remainder;
}

uint64_t __udivmoddi4(uint64_t dividend, uint64_t divisor, uint64_t *remainder)
{
    return divide(dividend, divisor, remainder);
}

int64_t __divdi3(int64_t dividend, int64_t divisor)
{
    uint64_t quotient = __udivdi3(magnitude(dividend), magnitude(divisor));
    return (int64_t)((dividend < 0) != (divisor < 0) ? -quotient : quotient);
}

int64_t __moddi3(int64_t dividend, int64_t divisor)
{
    uint64_t remainder = __umoddi3(magnitude(dividend), magnitude(divisor));
    return (int64_t)(dividend < 0 ? -remainder : remainder);
}

int64_t __divmoddi4(int64_t dividend, int64_t divisor, int64_t *remainder)
{
    *remainder = __moddi3(dividend, divisor);
    return __divdi3(dividend, divisor);
}
