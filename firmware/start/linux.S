/* Start-up as a Linux user program, in the instructions that the compiler is told of. */
#if defined(__riscv)
#include "riscv/linux.S"
#else
#include "mips/linux.S"
#endif
