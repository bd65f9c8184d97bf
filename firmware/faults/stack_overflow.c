#include "spinach/intrinsics.h"

static __attribute__((noinline)) uint32_t fault(volatile uint32_t *depth)
{
    volatile uint32_t deeper = *depth + 1;
    return deeper == 0 ? 0 : fault(&deeper) + deeper;
}

int core_main(uint32_t core)
{
    volatile uint32_t depth = core;
    return (int)fault(&depth);
}
