#include "spinach/intrinsics.h"

static __attribute__((noinline)) uint32_t fault(uint32_t core)
{
    __asm__ volatile(".word 0x70000000"); /* SPECIAL2, function 0 */
    return core;
}

int core_main(uint32_t core)
{
    return (int)fault(core);
}
