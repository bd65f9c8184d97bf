    .section .text.start, "ax"
    .globl _start
_start:
    la sp, stack_end
    call main
1:  j 1b

    .bss
    .align 4
    .space 65536
stack_end:
