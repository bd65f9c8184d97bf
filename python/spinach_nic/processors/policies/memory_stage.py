"""Control logic of the composed core: memory and write-back."""

from __future__ import annotations

from spinach_nic.model.tracing import Signal, select
from spinach_nic.processors import control as c
from spinach_nic.processors.policies.execute_stage import refers_to_bit_array
from spinach_nic.processors.policies.words import WORD, Logic, hold, lower, pair, redirects, upper


def refer(control: Signal, leaves: Signal) -> Signal:
    """Return the control word that enters the load-store unit."""
    kind = c.kind(control)
    concerns = (kind == c.AWAITED) | (kind == c.POSTED) | (kind == c.BARRIER) | (kind == c.EXCEPTION_RETURN)
    return select(leaves & concerns, control, 0)


def reference_address(instruction: Signal, where: Signal) -> Signal:
    """Return the source and the address of a reference."""
    return (instruction >> 32 << 32) | where


def reference_data(control: Signal, operands: Signal) -> Signal:
    """Return the stored value, or the index of a bit."""
    return select(refers_to_bit_array(control), upper(operands), lower(operands))


def enter_memory(old: Signal, wait: Signal, new: Signal, executing: Signal, redirect: Signal) -> Signal:
    """Return a word of the memory stage."""
    passes = c.valid(executing) & (redirects(redirect) == 0)
    return select(redirects(redirect), 0, select(wait, old, select(passes, new, 0)))


def enter_last(old: Signal, wait_last: Signal, wait: Signal, new: Signal, redirect: Signal) -> Signal:
    """Return a word of a second memory stage: nothing enters while the first waits."""
    return select(redirects(redirect), 0, select(wait_last, old, select(wait, 0, new)))


def enter_data(old: Signal, wait: Signal, where: Signal, computed: Signal) -> Signal:
    """Address and result in the memory stage."""
    return hold(old, wait, pair(where, computed))


def value(control: Signal, numbers: Signal, loaded: Signal) -> Signal:
    """Return the destination value of the instruction in the last memory stage."""
    return select(c.kind(control) == c.AWAITED, lower(loaded), lower(numbers))


def complete(history: Signal, control: Signal, wait: Signal, redirect: Signal) -> Signal:
    """Return the destinations of the last instructions, in bytes, the last lowest; bit 5: awaited memory."""
    completes = c.valid(control) & (wait == 0) & (redirects(redirect) == 0)
    tag = c.destination(control) | (c.kind(control) == c.AWAITED) << 5
    return (history << 8 & WORD) | select(completes, tag, 0)


def file_address(history: Signal) -> Signal:
    """Return the register file address of the last result; register 0 if it has none."""
    return history[4:0] << 2


def file_data(history: Signal, written: Signal) -> Signal:
    """Return the value written there."""
    return select(history[4:0], written, 0)


def busy_stages(stages: int) -> Logic:
    """Return true if an instruction is in execute or in a memory stage."""

    def one(execute: Signal, last: Signal) -> Signal:
        return c.valid(execute) | c.valid(last)

    def two(execute: Signal, memory: Signal, last: Signal) -> Signal:
        return c.valid(execute) | c.valid(memory) | c.valid(last)

    return one if stages == 1 else two


def runs(status: Signal) -> Signal:
    """Return true to fetch."""
    return status[0]
