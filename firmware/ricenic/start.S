/*
 * Switches the caches of a core on, called by the start code without a stack. As on a 405 they hold anything after a reset, so
 * they are emptied first: each set of the data cache, and all of the instruction cache.
 *
 * Code and frames in the DDR memory are cacheable, and so is the on-chip memory at one of its addresses. Stores stay in the cache.
 */
#define SPR_DCWR 954
#define SPR_DCCR 1018
#define SPR_ICCR 1019

/* A bit for each 128 MiB, that of the lowest addresses first. */
#define DDR_REGIONS 0xc0000000
#define BRAM_REGION 0x00000001

#define LINE_BYTES 32
#define SETS 256

    /* To the linker script: no two cores have variables on one line. */
    .globl spinach_line_bytes
    .set spinach_line_bytes, LINE_BYTES

    .section .text.start_caches, "ax", @progbits
    .globl start_caches
    .type start_caches, @function
start_caches:
    iccci 0, 0
    lis 10, DDR_REGIONS >> 16
    mtspr SPR_ICCR, 10
    isync
    li 10, SETS
    mtctr 10
    li 10, 0
1:  dccci 0, 10
    addi 10, 10, LINE_BYTES
    bdnz 1b
    li 10, 0
    mtspr SPR_DCWR, 10
    lis 10, DDR_REGIONS >> 16
    ori 10, 10, BRAM_REGION
    mtspr SPR_DCCR, 10
    isync
    blr
    .size start_caches, . - start_caches
