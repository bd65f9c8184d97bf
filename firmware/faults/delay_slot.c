#include "spinach/intrinsics.h"

static __attribute__((noinline)) uint32_t fault(uint32_t core)
{
    static uint32_t words[2];
    uint32_t word;
    __asm__ volatile(
        ".set push\n\t.set noreorder\n\t"
        "b 1f\n\t"
        "lw %0, 1(%1)\n"
        "1:\n\t.set pop"
        : "=&r"(word)
        : "r"(words)
        : "memory");
    return word + core;
}

int core_main(uint32_t core)
{
    return (int)fault(core);
}
