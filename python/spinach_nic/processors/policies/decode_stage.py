"""Control logic of the composed core: fetch, decode and hazards."""

from __future__ import annotations

from msgspec import Struct

from spinach_nic.model.tracing import Signal, select
from spinach_nic.processors import control as c
from spinach_nic.processors.policies.words import Logic, annuls, jumps, lower, pair, redirects, returns, upper

SIGN = 0x8000_0000
FOLLOW, FOLLOW_AND_FORGET, ANNUL, ANNULLED, RESTART, AGAIN = range(1, 7)
KEEP, LOAD, CLEAR = range(3)
EXECUTION, PIPELINE = 0, 4


def forward(stages: int) -> Logic:
    """Return the value of a source register: that of the youngest writer, or the stored one."""

    def found(register: Signal, choices: tuple[tuple[Signal, Signal], ...], stored: Signal) -> Signal:
        value = lower(stored)
        for applies, candidate in reversed(choices):
            value = select(applies, candidate, value)
        return select(register == 0, 0, value)

    def writes(control: Signal, register: Signal) -> Signal:
        return c.valid(control) & (c.destination(control) == register)

    def one(
        source: Signal,
        execute: Signal,
        result: Signal,
        last: Signal,
        value: Signal,
        completed: Signal,
        written: Signal,
        stored: Signal,
    ) -> Signal:
        register = source >> 2
        choices = (
            (writes(execute, register), result),
            (writes(last, register), value),
            (completed[4:0] == register, written),
        )
        return found(register, choices, stored)

    def two(
        source: Signal,
        execute: Signal,
        result: Signal,
        memory: Signal,
        numbers: Signal,
        last: Signal,
        value: Signal,
        completed: Signal,
        written: Signal,
        stored: Signal,
    ) -> Signal:
        register = source >> 2
        choices = (
            (writes(execute, register), result),
            (writes(memory, register), lower(numbers)),
            (writes(last, register), value),
            (completed[4:0] == register, written),
        )
        return found(register, choices, stored)

    return one if stages == 1 else two


def loaded_operands(stages: int) -> Logic:
    """Return the operands in execute, including a just loaded value if it needs no extra time."""

    def bypassed(register: Signal, operand: Signal, passed: Signal, last: Signal, value: Signal) -> Signal:
        of_last = c.valid(last) & (c.kind(last) == c.AWAITED) & (c.destination(last) == register)
        return select((register != 0) & of_last & (passed == 0), value, operand)

    def one(operands: Signal, execute: Signal, last: Signal, value: Signal) -> Signal:
        s = bypassed(c.source_s(execute), upper(operands), operands * 0, last, value)
        t = bypassed(c.source_t(execute), lower(operands), operands * 0, last, value)
        return pair(s, t)

    def two(operands: Signal, execute: Signal, last: Signal, value: Signal, memory: Signal) -> Signal:
        def newer(register: Signal) -> Signal:
            return c.valid(memory) & (c.destination(memory) == register)

        s, t = c.source_s(execute), c.source_t(execute)
        return pair(
            bypassed(s, upper(operands), newer(s), last, value),
            bypassed(t, lower(operands), newer(t), last, value),
        )

    return one if stages == 1 else two


class Latencies(Struct, frozen=True):
    """Return the cycles until the results of an instruction can be used."""

    load_use_delay: int
    branches_resolve_in_decode: bool
    memory_stages: int
    multiply_latency: int
    divide_latency: int


def hazard(latencies: Latencies) -> Logic:
    """Return true if the instruction in decode has to wait for an operand or for the multiplier."""
    delay = latencies.load_use_delay

    def late_of(control: Signal, register: Signal, stalls: Signal, otherwise: Signal | int) -> Signal:
        return select(c.valid(control) & (c.destination(control) == register), stalls, otherwise)

    def is_late(
        register: Signal, in_decode: Signal, execute: Signal, stages: tuple[Signal, ...], history: Signal
    ) -> Signal:
        late: Signal | int = 0
        for age in reversed(range(1, max(delay, 2))):
            tag = history >> (8 * (age - 1))
            stalls = tag[5] & select(in_decode, int(delay > age), int(delay > age + 1))
            late = select(tag[4:0] == register, stalls, late)
        # If loads have no delay, a value that enters the last memory stage now is in time for execute.
        of_last = in_decode & int(delay > 0) | int(delay > 1)
        moving = in_decode | int(delay > 0)
        first_of_two = [moving] if latencies.memory_stages == 2 else []
        for control, stalls in reversed(list(zip(stages, [*first_of_two, of_last], strict=True))):
            late = late_of(control, register, (c.kind(control) == c.AWAITED) & stalls, late)
        is_load = c.kind(execute) == c.AWAITED
        of_execute = in_decode | is_load & (moving if latencies.memory_stages == 1 else 1)
        return (register != 0) & late_of(execute, register, of_execute, late)

    def of(
        control: Signal, execute: Signal, stages: tuple[Signal, ...], history: Signal, busy: Signal
    ) -> Signal:
        in_decode = (c.kind(control) == c.REGISTER_TRANSFER) & int(latencies.branches_resolve_in_decode)
        late = is_late(c.source_s(control), in_decode, execute, stages, history) | is_late(
            c.source_t(control), in_decode, execute, stages, history
        )
        begins = c.multiplies(execute) & int(latencies.multiply_latency > 1) | c.divides(execute) & int(
            latencies.divide_latency > 1
        )
        occupied = (busy != 0) | c.valid(execute) & begins
        return late | c.uses_multiplier(control) & occupied

    def one(control: Signal, execute: Signal, last: Signal, history: Signal, busy: Signal) -> Signal:
        return of(control, execute, (last,), history, busy)

    def two(
        control: Signal, execute: Signal, memory: Signal, last: Signal, history: Signal, busy: Signal
    ) -> Signal:
        return of(control, execute, (memory, last), history, busy)

    return one if latencies.memory_stages == 1 else two


def busy(multiply_latency: int, divide_latency: int) -> Logic:
    """Return the remaining busy cycles of the multiplier, seen from the next cycle."""

    def logic(old: Signal, control: Signal, executes: Signal) -> Signal:
        left = select(old, old - 1, 0)
        after_division = select(c.divides(control), max(divide_latency - 2, 0), left)
        return select(
            executes, select(c.multiplies(control), max(multiply_latency - 2, 0), after_division), left
        )

    return logic


def issue(
    condition: Signal,
    wait: Signal,
    late: Signal,
    outcome: Signal,
    executing: Signal,
    completing: Signal,
    redirect: Signal,
    executed: Signal,
    status: Signal,
) -> Signal:
    """Return true if the instruction in decode moves on to execute."""
    raises = c.valid(executing) & (outcome[3:0] != 0) | (completing[3:0] != 0)
    flushed = redirects(redirect) | annuls(executed) | returns(executed)
    return status[2] & condition[0] & (wait == 0) & (late == 0) & (raises == 0) & (flushed == 0)


def resolve(control: Signal, s: Signal, t: Signal, instruction: Signal, immediate: Signal) -> Signal:
    """Return the target of a branch or jump."""
    signed_s, signed_t = s ^ SIGN, t ^ SIGN
    code = c.condition(control)
    equal, less = s == t, signed_s < signed_t
    # Equal, not equal, less, less or equal, greater, greater or equal; two more occur only in traps.
    greater = select(code[0], less == 0, (less | equal) == 0)
    zero_or_one = select(code[0], equal == 0, equal)
    two_or_three = select(code[0], less | equal, less)
    holds = select(code[2], greater, select(code[1], two_or_three, zero_or_one))
    taken = (c.is_conditional(control) == 0) | holds
    delay_slot = upper(instruction) + 4
    through_register = select(c.is_jump_offset(control), s + 8 * t, s)
    direct = delay_slot & 0xF000_0000 | immediate
    target = select(
        c.kind(control) == c.DIRECT_JUMP,
        direct,
        select(c.is_conditional(control), delay_slot + immediate, through_register),
    )
    annul = c.is_likely(control) & (taken == 0)
    is_transfer = (c.kind(control) == c.REGISTER_TRANSFER) | (c.kind(control) == c.DIRECT_JUMP)
    return select(is_transfer, lower(target) | taken << 32 | annul << 33, 0)


def decoded(resolves_in_decode: bool) -> Logic:
    """Return the effect of a transfer in decode when it is issued."""

    def logic(
        control: Signal,
        s: Signal,
        t: Signal,
        instruction: Signal,
        immediate: Signal,
        issued: Signal,
        follows: Signal,
    ) -> Signal:
        is_register_transfer = (c.kind(control) == c.REGISTER_TRANSFER) & int(resolves_in_decode)
        here = is_register_transfer | (c.kind(control) == c.DIRECT_JUMP)
        outcome = resolve(control, s, t, instruction, immediate)
        return select(issued & here & (follows == 0), outcome, 0)

    return logic


def follows(
    old: Signal,
    control: Signal,
    issued: Signal,
    redirect: Signal,
    executed: Signal,
    here: Signal,
    order: Signal,
) -> Signal:
    """Return true if the next instruction to issue is in a delay slot."""
    is_transfer = (c.kind(control) == c.REGISTER_TRANSFER) | (c.kind(control) == c.DIRECT_JUMP)
    ends = redirects(redirect) | annuls(executed) | returns(executed) | jumps(order)
    return select(ends, 0, select(issued, is_transfer & (annuls(here) == 0), old))


def command(
    redirect: Signal,
    executed: Signal,
    here: Signal,
    condition: Signal,
    wait: Signal,
    issued: Signal,
    order: Signal,
    instruction: Signal,
) -> Signal:
    """Return the command of the fetch unit."""
    present = condition[0]
    taken = select(present, FOLLOW_AND_FORGET, FOLLOW)
    annulled = select(present, ANNULLED, ANNUL)
    of_decode = select(redirects(here), FOLLOW, select(annuls(here), ANNUL, 0))
    of_execute = select(redirects(executed), taken, select(annuls(executed), annulled, of_decode))
    kind = select(redirects(redirect) | returns(executed), RESTART, of_execute)
    from_execute = redirects(executed) | returns(executed)
    target = select(redirects(redirect), lower(redirect), select(from_execute, lower(executed), lower(here)))
    flushed = annuls(executed) | returns(executed)
    has_room = (present == 0) | issued | flushed
    moves = redirects(redirect) | (wait == 0)
    usual = select(moves, target | kind << 32 | (has_room | redirects(redirect)) << 35, 0)
    again = upper(instruction) | AGAIN << 32 | present << 36
    by_command = select(jumps(order), lower(order) | RESTART << 32, again)
    return select(order, by_command | 1 << 35, usual)


def selection(annulled_slots: int) -> Logic:
    """Return the action of decode at the end of the cycle: keep its instruction, take the next, or empty."""

    def logic(
        redirect: Signal,
        executed: Signal,
        here: Signal,
        condition: Signal,
        wait: Signal,
        issued: Signal,
        order: Signal,
    ) -> Signal:
        present = condition[0]
        late_annulment = annuls(executed) & ((present == 0) | int(annulled_slots > 1))
        wrong_path = redirects(executed) & present
        blocked = returns(executed) | late_annulment | wrong_path & issued | annuls(here)
        leaves = issued | annuls(executed) | returns(executed)
        running = select(present & (leaves == 0), KEEP, select(blocked, CLEAR, LOAD))
        return select(redirects(redirect) | (order != 0), CLEAR, select(wait, KEEP, running))

    return logic


def choose(old: Signal, selected: Signal, new: Signal) -> Signal:
    """Return the instruction in decode, by `selection`."""
    return select(selected == KEEP, old, select(selected == LOAD, new, 0))


def account(
    wait: Signal,
    wait_last: Signal,
    memory: Signal,
    last: Signal,
    condition: Signal,
    issued: Signal,
    instruction: Signal,
    status: Signal,
) -> Signal:
    """Return the use of the cycle, and the instruction that it is counted for."""
    of_decode = upper(instruction) | select(issued, EXECUTION, PIPELINE) << 32
    waiting = select(wait_last, upper(last), upper(memory))
    return select(wait, waiting | wait << 32, select(condition[0], of_decode, status))
