/* Primes: a sieve of bits, Miller and Rabin's test, factors, greatest common divisors. */
#include "check.h"

#define LIMIT 1024

static uint32_t composite[LIMIT / 32];

static uint32_t sieve(void)
{
    uint32_t primes = 0;
    for (uint32_t n = 2; n < LIMIT; n++) {
        if (composite[n / 32] >> (n % 32) & 1)
            continue;
        primes++;
        for (uint32_t multiple = n * n; multiple < LIMIT; multiple += n)
            composite[multiple / 32] |= 1u << (multiple % 32);
    }
    return primes;
}

static uint32_t power(uint32_t base, uint32_t exponent, uint32_t modulus)
{
    uint64_t result = 1;
    uint64_t square = base % modulus;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = result * square % modulus;
        square = square * square % modulus;
    }
    return (uint32_t)result;
}

static bool passes(uint32_t n, uint32_t base)
{
    uint32_t odd = n - 1;
    int twos = 0;
    for (; !(odd & 1); odd >>= 1)
        twos++;
    uint64_t x = power(base, odd, n);
    if (x == 1 || x == n - 1)
        return true;
    while (--twos > 0) {
        x = x * x % n;
        if (x == n - 1)
            return true;
    }
    return false;
}

/* The bases 2, 7 and 61 decide every 32-bit number (Jaeschke, Mathematics of Computation 61, 1993). */
static bool is_prime(uint32_t n)
{
    static const uint8_t bases[] = {2, 7, 61};
    for (size_t i = 0; i < sizeof bases; i++) {
        if (n == bases[i])
            return true;
    }
    return n > 2 && n & 1 && passes(n, 2) && passes(n, 7) && passes(n, 61);
}

static uint32_t largest_factor(uint32_t n)
{
    uint32_t factor = 1;
    for (uint32_t d = 2; d * d <= n; d++) {
        while (n % d == 0) {
            factor = d;
            n /= d;
        }
    }
    return n > 1 ? n : factor;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

void test(void)
{
    report(sieve());
    for (uint32_t n = 2; n < LIMIT; n += 29)
        check(is_prime(n) == !(composite[n / 32] >> (n % 32) & 1));
    check(is_prime(4294967291u));
    check(!is_prime(4294967295u));
    check(!is_prime(3215031751u)); /* fools the bases 2, 3, 5 and 7 together */
    report(power(3, 1000000, 1000003));
    report(largest_factor(600851475u));
    report(common_divisor(3528u * 1001u, 4116u * 143u));
}
