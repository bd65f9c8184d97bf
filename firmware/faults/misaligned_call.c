#include "spinach/intrinsics.h"

static __attribute__((noinline)) uint32_t fault(uint32_t core)
{
    return ((uint32_t (*)(void))(uintptr_t)(0x1001u + core))() + 1;
}

int core_main(uint32_t core)
{
    return (int)fault(core);
}
