/* Regions of interest of a program on a simulated server: include it, compile, and run `spinach boot --exec`.
 *
 * The calls are an extension of the server's firmware that user mode may reach. Elsewhere the kernel refuses them, and the program runs
 * as without. Counters are those of the whole server: other processes and the kernel count, too. Each call returns 0 or a negative error
 * number. */
#ifndef SPINACH_H
#define SPINACH_H

#include <string.h>

static inline long spinach_call(long function, long first, long second) {
#ifdef __riscv
    register long a0 __asm__("a0") = first;
    register long a1 __asm__("a1") = second;
    register long a6 __asm__("a6") = function;
    register long a7 __asm__("a7") = 0x0a50494e;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a6), "r"(a7) : "memory");
    return a0;
#else
    (void)function, (void)first, (void)second;
    return -38;
#endif
}

/* Begins a region with a name of at most 128 bytes: counters are read here, and regions may nest. */
static inline long roi_begin(const char *name) {
    return spinach_call(0, (long)name, (long)strlen(name));
}

/* Ends the region that began last. */
static inline long roi_end(void) {
    return spinach_call(1, 0, 0);
}

/* Takes a checkpoint: the file of `--save`. A restored server continues here. */
static inline long spinach_checkpoint(void) {
    return spinach_call(2, 0, 0);
}

/* Ends the simulation at once, with this exit status. */
static inline void spinach_exit(int status) {
    spinach_call(3, status, 0);
}

#endif
