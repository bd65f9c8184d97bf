/* Start-up on a modelled core, in the instructions that the compiler is told of. */
#if defined(__riscv)
#include "riscv/bare.S"
#else
#include "mips/bare.S"
#endif
