"""Control logic of the composed core: execute."""

from __future__ import annotations

from spinach_nic.model.tracing import Signal, select
from spinach_nic.processors import control as c
from spinach_nic.processors.policies.decode_stage import resolve
from spinach_nic.processors.policies.words import WORD, Logic, annuls, hold, lower, pair, redirects, upper


def enter_execute(
    old: Signal,
    wait: Signal,
    control: Signal,
    condition: Signal,
    issued: Signal,
    follows: Signal,
    redirect: Signal,
) -> Signal:
    """Return the control word in execute."""
    trouble = select(condition[1], c.NOT_FETCHED, select(condition[2], c.MISALIGNED_FETCH, 0))
    new = control | trouble << c.SYSTEM_SHIFT | follows << 62 | c.VALID
    return select(redirects(redirect), 0, select(wait, old, select(issued, new, 0)))


def enter_operands(old: Signal, wait: Signal, s: Signal, t: Signal) -> Signal:
    """Return the operands in execute."""
    return hold(old, wait, pair(s, t))


def first_operand(control: Signal, operands: Signal) -> Signal:
    """Return the first operand of the ALU."""
    return select(c.takes_shift_amount(control), c.shift_amount(control), upper(operands))


def second_operand(control: Signal, operands: Signal, immediate: Signal) -> Signal:
    """Return the second operand of the ALU."""
    return select(c.takes_immediate(control), immediate, lower(operands))


def refers_to_bit_array(control: Signal) -> Signal:
    """Return true for a `set` or an `update`."""
    return c.access(control) >= c.FIRST_BIT_ARRAY_ACCESS


def address(control: Signal, operands: Signal, computed: Signal) -> Signal:
    """Return the address that a load, store or atomic operation refers to."""
    word = lower(lower(operands) + (upper(operands) >> 5 << 2))
    return select(refers_to_bit_array(control), word, lower(computed))


def result(control: Signal, instruction: Signal, computed: Signal, hi_lo: Signal, read: Signal) -> Signal:
    """Return the destination value of an instruction that does not await memory."""
    move = c.multiplier_move(control)
    of_multiplier = select(move == 1, upper(hi_lo), select(move == 2, lower(hi_lo), lower(computed)))
    of_system = select(c.system(control) == c.FROM_COPROCESSOR, read, of_multiplier)
    return select(c.links(control), lower(upper(instruction) + 8), of_system)


def branch(control: Signal, operands: Signal, instruction: Signal, immediate: Signal) -> Signal:
    """Return the target of a transfer in execute."""
    return resolve(control, upper(operands), lower(operands), instruction, immediate)


def outcome(guard_start: int, guard_bytes: int) -> Logic:
    """Return the exception of the instruction in execute, or the outcome of a branch."""

    def logic(control: Signal, computed: Signal, where: Signal, status: Signal, resolved: Signal) -> Signal:
        system = c.system(control)
        is_transfer = (c.kind(control) == c.REGISTER_TRANSFER) | (c.kind(control) == c.DIRECT_JUMP)
        is_return = system == c.RETURN
        refers = (c.kind(control) == c.AWAITED) | (c.kind(control) == c.POSTED)
        privileged = (
            (system == c.FROM_COPROCESSOR) | (system == c.TO_COPROCESSOR) | is_return | (system == c.CACHE)
        )
        is_load = (c.access(control) == 0) | (c.access(control) == 2)
        code: Signal | int = 0
        # The last that applies counts.
        for applies, number in (
            (refers & ((where - guard_start & WORD) < guard_bytes), 11),
            (refers & c.is_whole(control) & ((where & c.size_mask(control)) != 0), select(is_load, 3, 4)),
            (c.traps_on_overflow(control) & computed[32], 9),
            ((system == c.TRAP) & computed[0], 10),
            ((is_transfer | is_return) & c.in_delay_slot(control), 7),
            (privileged & (status[1] == 0), 12),
            (system == c.SYSTEM_CALL, 5),
            (system == c.BREAK, 6),
            (system == c.RESERVED, 7),
            (system == c.UNUSABLE, 8),
            (system == c.NOT_FETCHED, 2),
            (system == c.MISALIGNED_FETCH, 1),
            (status[3], 13),
        ):
            code = select(applies, number, code)
        fate = select(is_transfer, redirects(resolved) << 4 | annuls(resolved) << 5, 0)
        return select(code, code, fate)

    return logic


def executes(control: Signal, wait: Signal, redirect: Signal, found: Signal) -> Signal:
    """Return true if the instruction in execute leaves it at the end of the cycle without an exception."""
    return c.valid(control) & (wait == 0) & (redirects(redirect) == 0) & (found[3:0] == 0)


def executed(resolves_in_execute: bool) -> Logic:
    """Return the effect of a transfer when it leaves execute."""

    def logic(control: Signal, leaves: Signal, resolved: Signal, read: Signal) -> Signal:
        here = (c.kind(control) == c.REGISTER_TRANSFER) & int(resolves_in_execute)
        is_return = c.kind(control) == c.EXCEPTION_RETURN
        event = select(is_return, lower(read) | 1 << 34, select(here, resolved, 0))
        return select(leaves, event, 0)

    return logic


def multiplier(old: Signal, control: Signal, leaves: Signal, computed: Signal, operands: Signal) -> Signal:
    """HI in the upper and LO in the lower half."""
    move = c.multiplier_move(control)
    moved = select(
        move == 3,
        lower(old) | upper(operands) << 32,
        select(move == 4, (old >> 32 << 32) | upper(operands), old),
    )
    return select(leaves, select(c.multiplies(control) | c.divides(control), computed, moved), old)
