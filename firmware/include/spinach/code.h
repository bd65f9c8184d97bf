/* Code as data: writing instructions at run time and making cores execute them. */
#ifndef SPINACH_CODE_H
#define SPINACH_CODE_H

#include "spinach/intrinsics.h"

/*
 * Call between storing instructions and executing them. Stores of this core complete first. Cores whose
 * instruction caches do not watch stores need more than this; the modelled cores fetch what was stored.
 */
static inline void instructions_written(void)
{
    memory_barrier();
#if defined(__riscv)
    __asm__ volatile("fence.i" ::: "memory");
#elif defined(__powerpc__)
    __asm__ volatile("isync" ::: "memory");
#endif
}

#endif
