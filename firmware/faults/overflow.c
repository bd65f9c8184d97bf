#include "spinach/intrinsics.h"

static __attribute__((noinline)) uint32_t fault(uint32_t core)
{
    uint32_t sum;
    __asm__ volatile("add %0, %1, %1" : "=r"(sum) : "r"(0x7fffffff - core));
    return sum;
}

int core_main(uint32_t core)
{
    return (int)fault(core);
}
