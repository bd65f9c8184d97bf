/*
 * The coprocessor-0 registers of the modelled MIPS cores that firmware uses, by the numbers that `mfc0`
 * takes.
 *
 * This file is included by C and by assembly. Source: MIPS R4000 User's Manual, chapters 4 and 5. The core
 * number is our addition, in a register that the R4000 reserves.
 */
#ifndef SPINACH_COPROCESSOR0_H
#define SPINACH_COPROCESSOR0_H

#define SPINACH_COP0_BAD_ADDRESS 8
#define SPINACH_COP0_COUNT 9
#define SPINACH_COP0_STATUS 12
#define SPINACH_COP0_CAUSE 13
#define SPINACH_COP0_EXCEPTION_PC 14
#define SPINACH_COP0_CORE_NUMBER 22 /* read only; from 0 */

#endif
