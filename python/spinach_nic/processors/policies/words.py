"""Words between stages of the composed core, and their fields.

An address of an instruction is in the upper half of a word, the instruction in the lower. What a cycle does
to the stages before execute follows from four words. `redirect` comes from system control: bit 32, everything
is thrown away and execution continues at the address in the lower half. So does `order`, for a command from
outside: bit 32, everything not issued is fetched once more; bit 33, execution continues at the address in the
lower half. `executed` and `decoded` come from transfers that resolve in those stages: bit 32, taken; bit 33,
the delay slot is annulled; bit 34, an exception return.
"""

from __future__ import annotations

from collections.abc import Callable

from spinach_nic.model.tracing import Signal, select

WORD = 0xFFFF_FFFF

Logic = Callable[..., Signal]


def upper(word: Signal) -> Signal:
    """Return the upper half."""
    return word >> 32


def lower(word: Signal) -> Signal:
    """Return the lower half."""
    return word & WORD


def redirects(word: Signal) -> Signal:
    """Bit 32: taken, or redirected."""
    return word[32]


def annuls(word: Signal) -> Signal:
    """Bit 33: the delay slot is annulled."""
    return word[33]


def returns(word: Signal) -> Signal:
    """Bit 34: an exception return."""
    return word[34]


def jumps(order: Signal) -> Signal:
    """Bit 33: execution continues elsewhere by command."""
    return order[33]


def hold(old: Signal, wait: Signal, new: Signal) -> Signal:
    """Return a pipeline register: it keeps its word while the memory stage waits."""
    return select(wait, old, new)


def pair(s: Signal, t: Signal) -> Signal:
    """Two halves of a word."""
    return s << 32 | t
