/*
 * The atomic bit array: the read-modify-write instructions `set` and `update` ("An Efficient Programmable 10
 * Gigabit Ethernet Network Interface Card", HPCA 2005, section 4), with which cores that finish frames out
 * of order commit them in order without a lock.
 *
 * Bit n of an array is bit n mod 32, from the least significant, of its word n div 32.
 *
 * In-order commit over a circular array of SIZE bits (a power of two, at least 32), by one core at a time:
 *
 *     uint32_t last = bit_array_update(done, first);
 *     uint32_t count = last + 1 - first;            // first .. last are done and now ours to commit
 *     first = (last + 1) & (SIZE - 1);
 */
#ifndef SPINACH_BIT_ARRAY_H
#define SPINACH_BIT_ARRAY_H

#include <stdint.h>

#ifdef SPINACH_LINUX

void bit_array_set(volatile uint32_t *array, uint32_t index);
uint32_t bit_array_update(volatile uint32_t *array, uint32_t first);

#else

/*
 * Assemblers do not know the two instructions. The text below finds the number of the register that the
 * compiler chose for an operand and assembles the word from its fields; an operand that is no register is an
 * error.
 */
#define SPINACH_ASM_REGISTER_NUMBER(symbol, operand)                                           \
    ".set " symbol ", -1\n\t"                                                                  \
    ".irp number,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,30,31\n\t" \
    ".ifc $\\number," operand "\n\t.set " symbol ", \\number\n\t.endif\n\t"                      \
    ".endr\n\t"                                                                                \
    ".ifc $fp," operand "\n\t.set " symbol ", 30\n\t.endif\n\t"                                  \
    ".ifc $ra," operand "\n\t.set " symbol ", 31\n\t.endif\n\t"                                  \
    ".if " symbol " < 0\n\t.error \"not a register: " operand "\"\n\t.endif\n\t"

/* Sets bit `index`. */
static inline void bit_array_set(volatile uint32_t *array, uint32_t index)
{
    __asm__ volatile(
        SPINACH_ASM_REGISTER_NUMBER("spinach_rs", "%0")
        SPINACH_ASM_REGISTER_NUMBER("spinach_rt", "%1")
        ".word 0x70000010 | spinach_rs << 21 | spinach_rt << 16"
        ::"r"(index), "r"(array)
        : "memory");
}

/*
 * Looks only at the word that holds bit `first`. Clears the run of ones that begins there and returns the
 * index of the last bit cleared, or `first - 1` if bit `first` is zero.
 */
static inline uint32_t bit_array_update(volatile uint32_t *array, uint32_t first)
{
    uint32_t last;
    __asm__ volatile(
        SPINACH_ASM_REGISTER_NUMBER("spinach_rd", "%0")
        SPINACH_ASM_REGISTER_NUMBER("spinach_rs", "%1")
        SPINACH_ASM_REGISTER_NUMBER("spinach_rt", "%2")
        ".word 0x70000011 | spinach_rs << 21 | spinach_rt << 16 | spinach_rd << 11"
        : "=r"(last)
        : "r"(first), "r"(array)
        : "memory");
    return last;
}

#endif
#endif
