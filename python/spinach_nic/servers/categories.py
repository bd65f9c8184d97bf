"""Activity of a server's processors, by the categories of figures 2, 4 and 6 of the SINIC paper.

The paper names the categories and not what belongs to them. Here the place of a function in the kernel's
source decides, and before that its name, for those whose file does several things. What is in none of the
paper's categories, such as system calls and the scheduler, is `other`.
"""

from __future__ import annotations

import re
from functools import cache

from spinach_nic.servers.symbols import Function

IDLE, USER, COPY, BUFFER, STACK, DRIVER, INTERRUPT, OTHER = CATEGORIES = (
    "idle",
    "user",
    "copy",
    "buffer",
    "stack",
    "driver",
    "interrupt",
    "other",
)
"""Categories in the order of the figures."""

_NAMES: tuple[tuple[str, str], ...] = (
    # Waiting for an interrupt.
    (
        IDLE,
        r"do_idle|cpu_idle|cpu_startup_entry|default_idle|arch_cpu_idle|cpuidle_|tick_nohz_idle_|rcu_idle_",
    ),
    # Copies between the kernel and its users, and checksums by software. Commands to the copy engine of
    # V-SINIC on behalf of a user, and waiting for it, are included, as in the paper (section 6, on figure 6).
    (COPY, r"_*asm_copy_(to|from)_user|fallback_scalar_usercopy|_*copy_(to|from)_(user|iter)"),
    (COPY, r"_*mem(cpy|move)|copy_page|csum_partial|do_csum|csum_and_copy|copyin|copyout"),
    (COPY, r"skb_copy_(bits|datagram|and_csum|deferred)|_*skb_datagram_iter|simple_copy_to_iter"),
    (COPY, r"skb_deferred_datagram_iter|sinic_copy_deferred|_*skb_fetch_deferred"),
    # Memory for packets.
    (BUFFER, r"_*alloc_skb|_*(build|napi_build)_skb|_*(napi|netdev)_alloc_|skb_(release|free|clone|unref)"),
    (BUFFER, r"_*k?free_skb|_*kfree_skb|_*consume_skb|kfree_skbmem|napi_(skb|consume)|_*finalize_skb"),
    (BUFFER, r"(sk_)?skb_attempt_defer_free|(sock|tcp|skb)_(r|w)free|_*sock_wfree|tcp_stream_alloc_skb"),
    (BUFFER, r"page_frag_|_*page_frag_cache|skb_page_frag_refill|sk_page_frag_refill|tcp_wmem_"),
    # From the trap on, until the handler of a device.
    (INTERRUPT, r"handle_exception|ret_from_exception|restore_all|resume_(kernel|userspace)|_save_context"),
    (
        INTERRUPT,
        r"do_irq|do_riscv_irq|riscv_intc_|plic_|irq_(enter|exit)|_*do_softirq|_*handle_irq|handle_.*_irq",
    ),
)
"""Prefixes of function names, in the order in which they are tried."""

_FILES: tuple[tuple[str, str], ...] = (
    (IDLE, "kernel/sched/idle.o"),
    (COPY, "lib/iov_iter.o"),
    (COPY, "lib/checksum.o"),
    (COPY, "mm/gup.o"),
    (COPY, "arch/riscv/lib/"),
    (BUFFER, "mm/slub.o"),
    (BUFFER, "mm/slab_common.o"),
    (BUFFER, "mm/page_alloc.o"),
    (STACK, "net/"),
    (DRIVER, "driver.ko"),
    (DRIVER, "drivers/net/"),
    (DRIVER, "drivers/pci/"),
    (DRIVER, "kernel/dma/"),
    (INTERRUPT, "kernel/irq/"),
    (INTERRUPT, "kernel/softirq.o"),
    (INTERRUPT, "drivers/irqchip/"),
    (INTERRUPT, "arch/riscv/kernel/irq.o"),
    (INTERRUPT, "arch/riscv/kernel/entry.o"),
)
"""Prefixes of object files."""

_PATTERNS = tuple((category, re.compile(pattern)) for category, pattern in _NAMES)


@cache
def category_of(function: Function) -> str:
    """Return the category of a kernel function."""
    for category, pattern in _PATTERNS:
        if pattern.match(function.name):
            return category
    for category, beginning in _FILES:
        if function.file.startswith(beginning):
            return category
    return OTHER
