"""The control logic of the composed core: what its functions compute.

An address of an instruction is in the upper half of a word, the instruction in the lower. What a cycle does
to the stages before execute follows from four words. `redirect` comes from system control: bit 32, everything
is thrown away and execution continues at the address in the lower half. So does `order`, for a command from
outside: bit 32, everything not issued is fetched once more; bit 33, execution continues at the address in the
lower half. `executed` and `decoded` come from transfers that resolve in those stages: bit 32, taken; bit 33,
the delay slot is annulled; bit 34, an exception return.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spinach_nic.model.tracing import Signal, select
from spinach_nic.processors import control as c

WORD = 0xFFFF_FFFF
SIGN = 0x8000_0000
FOLLOW, FOLLOW_AND_FORGET, ANNUL, ANNULLED, RESTART, AGAIN = range(1, 7)
KEEP, LOAD, CLEAR = range(3)
EXECUTION, PIPELINE = 0, 4

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


# Decode


def forward(stages: int) -> Logic:
    """Return the value of a source register: of the youngest instruction that writes it, or as stored."""

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


@dataclass(frozen=True)
class Latencies:
    """Cycles until the results of an instruction can be used."""

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
        # What moves into the last memory stage now can be there in time for execute, if loads have no delay.
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


# Execute


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


def pair(s: Signal, t: Signal) -> Signal:
    """Two halves of a word."""
    return s << 32 | t


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
    """Return the exception that the instruction in execute raises, or what became of it if it is a branch."""

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


# Memory and write-back


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
