#include "spinach/intrinsics.h"

static __attribute__((noinline)) uint32_t fault(uint32_t core)
{
    __asm__ volatile(".long 0x70000000"); /* of no meaning in either set: SPECIAL2 with function 0, a parcel of zeros */
    return core;
}

int core_main(uint32_t core)
{
    return (int)fault(core);
}
