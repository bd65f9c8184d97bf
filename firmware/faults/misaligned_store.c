#include "spinach/intrinsics.h"

static __attribute__((noinline)) uint32_t fault(uint32_t core)
{
    static uint32_t words[2];
    *(volatile uint16_t *)((uintptr_t)words + 1 + core) = 7;
    return 0;
}

int core_main(uint32_t core)
{
    return (int)fault(core);
}
