/*
 * Access of a processor to a register, by its offset.
 */
#ifndef TIGON2_REGISTER_H
#define TIGON2_REGISTER_H

#include <stdint.h>

/* Hidden from compilers, the base stays in one register, and every access is one instruction. */
static inline __attribute__((always_inline, const)) uint32_t register_base(void)
{
    uint32_t base;
    __asm__("" : "=r"(base) : "0"(0xc0000000u));
    return base;
}

#define REGISTER(offset) (*(volatile uint32_t *)(uintptr_t)(register_base() + (offset)))

#endif
