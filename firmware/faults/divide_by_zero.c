#include "spinach/intrinsics.h"

static __attribute__((noinline)) uint32_t fault(uint32_t core)
{
    return 1000 / core; /* core 0 runs this */
}

int core_main(uint32_t core)
{
    return (int)fault(core);
}
