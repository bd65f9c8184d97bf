"""View of programs on the cores of the Tigon-2: memories, the two special instructions, errors."""

from __future__ import annotations

import pytest
from tests.python.cards.tigon2.bench import Bench

from spinach_nic.cards.tigon2.registers import HALTED, SINGLE_STEP, STOPPED, Register
from spinach_nic.support.units import KiB, ms

GP = 0x3C1C_C000  # lui gp, 0xc000
LOOP = (0x1000_FFFF, 0)
TRACE = 0x7C  # a register that nothing uses


def lui(register: int, high: int) -> int:
    """Load the upper half of a register."""
    return 0x3C00_0000 | register << 16 | high


def ori(register: int, low: int) -> int:
    """Set the lower half of a register."""
    return 0x3400_0000 | register << 21 | register << 16 | low


def load(register: int, base: int, offset: int = 0) -> int:
    """Load a word."""
    return 0x8C00_0000 | base << 21 | register << 16 | offset & 0xFFFF


def store(register: int, base: int, offset: int = 0) -> int:
    """Store a word."""
    return 0xAC00_0000 | base << 21 | register << 16 | offset & 0xFFFF


T0, T1, T2, GLOBAL = 8, 9, 10, 28


def test_scratch_pads_are_private_and_at_the_same_address() -> None:
    bench = Bench()
    for core, value in ((0, 0xAAAA), (1, 0xBBBB)):
        bench.run_program([lui(T0, 0x00C0), ori(T1, value), store(T1, T0, 0x100), *LOOP], core=core)
        bench.wait_us(5)
    pads = [bench.simulation.read(processor.memory, 0x100, 4) for processor in bench.card.processor]
    assert [int.from_bytes(pad, "big") for pad in pads] == [0xAAAA, 0xBBBB]
    assert [bench.simulation.size(processor.memory) for processor in bench.card.processor] == [
        KiB(16),
        KiB(8),
    ]


def test_code_runs_from_the_scratch_pad_and_may_change_itself() -> None:
    bench = Bench()

    # Two versions of "store a constant; return", one after the other in the scratch pad, are called.
    def routine(value: int) -> list[int]:
        return [0x3400_0000 | T2 << 16 | value, 0x03E0_0008, store(T2, GLOBAL, TRACE)]

    program = [GP, lui(T0, 0x00C0)]
    for number, value in enumerate((0x1111, 0x2222)):
        for word, instruction in enumerate(routine(value)):
            program += [lui(T1, instruction >> 16), ori(T1, instruction & 0xFFFF), store(T1, T0, 4 * word)]
        program += [0x0100_F809, 0]  # jalr t0
        program += [load(T1, GLOBAL, TRACE), store(T1, GLOBAL, 0x80 + 4 * number)]
    bench.run_program([*program, *LOOP])
    bench.wait_us(20)
    assert [bench.read(0x80), bench.read(0x84)] == [0x1111, 0x2222]


def test_a_core_sees_sram_modulo_its_size() -> None:
    bench = Bench(sram_size=KiB(512))
    bench.set_sram(0x6000, (0x1357_9BDF).to_bytes(4, "big"))
    bench.run_program([GP, lui(T0, 0x0008), ori(T0, 0x6000), load(T1, T0), store(T1, GLOBAL, TRACE), *LOOP])
    bench.wait_us(5)
    assert bench.read(TRACE) == 0x1357_9BDF


@pytest.mark.parametrize("core", [0, 1])
def test_stack_overflow_goes_where_the_remap_register_says(core: int) -> None:
    bench = Bench()
    remap = Register.STACK_OVERFLOW_A + 0x100 * core
    bench.write(remap, 0xBFF000 - 0x5000)
    # The word below the scratch pad: 0xc00000 - 4.
    program = [
        GP,
        lui(T0, 0x00C0),
        ori(T1, 0x4321),
        store(T1, T0, -4),
        load(T2, T0, -4),
        store(T2, GLOBAL, TRACE),
    ]
    bench.run_program([*program, *LOOP], core=core)
    bench.wait_us(5)
    assert bench.sram_word(0x5FFC) == 0x4321
    assert bench.read(TRACE) == 0x4321


@pytest.mark.parametrize(("order", "expected"), [("highest_first", 23), ("lowest_first", 4)])
def test_priority_decode_and_jump_offset_dispatch_events(order: str, expected: int) -> None:
    bench = Bench(event_priority=order)
    # Slots of 8 bytes at 0x5000: each stores its own number and loops.
    table = b"".join(
        b"".join(word.to_bytes(4, "big") for word in (0x1000_FFFF, 0xAF88_007C)) for _ in range(33)
    )
    bench.set_sram(0x5000, table)
    bench.write_all((Register.EVENTS_A, 0x18), (0x50C, 1))
    # lw v1, 0x60(gp); pri t0, v1, t1; joff s2, t0 with the table in t2; the slot stores t0.
    mask = [lui(T1, 0x0040), ori(T1, 0x0008)]
    program = [GP, *mask, lui(T2, 0), ori(T2, 0x5000), load(3, GLOBAL, 0x60), 0]
    program += [3 << 21 | T1 << 16 | T0 << 11 | 0x0B, T2 << 21 | T0 << 16 | 0x0A, 0]
    bench.run_program(program)
    bench.wait_us(10)
    assert bench.read(TRACE) == expected
    assert bench.read(Register.EVENTS_A) & 0x0040_0018 == 0x0040_0018


def test_both_cores_take_turns_with_a_semaphore() -> None:
    bench = Bench()

    # Each adds 1 to a word in SRAM 200 times, holding the semaphore; without it additions would be lost.
    def program(view: int) -> list[int]:
        take = [store(0, GLOBAL, view), load(T0, GLOBAL, view), 0, 0x1100_FFFC, 0]
        add = [load(T1, 0, 0x600), 0, 0x2529_0001, store(T1, 0, 0x600), load(T1, 0, 0x600)]
        again = [store(0, GLOBAL, view), 0x254A_FFFF, 0x1540_FFF3, 0]
        return [GP, 0x240A_00C8, *take, *add, *again, *LOOP]

    bench.set_sram(0x600, bytes(4))
    bench.run_program(program(Register.SEMAPHORE_A), core=0, at=0x4000)
    bench.run_program(program(Register.SEMAPHORE_B), core=1, at=0x4800)
    bench.wait_us(2000)
    assert bench.sram_word(0x600) == 400
    assert bench.read(Register.SEMAPHORE_A) == bench.read(Register.SEMAPHORE_B) == 0


def test_halting_and_resuming_goes_on_where_it_was() -> None:
    bench = Bench()
    # addiu t0, t0, 1; sw t0, TRACE(gp); back
    bench.run_program([GP, 0x2508_0001, store(T0, GLOBAL, TRACE), 0x1000_FFFD, 0])
    bench.wait_us(10)
    bench.write(Register.CPU_STATE_A, HALTED)
    before = bench.read(TRACE)
    bench.wait_us(10)
    assert bench.read(TRACE) == before > 0
    bench.write(Register.CPU_STATE_A, 0)
    bench.wait_us(10)
    assert bench.read(TRACE) > before


@pytest.mark.parametrize("core", [0, 1])
def test_a_reset_halts_a_core(core: int) -> None:
    bench = Bench()
    bench.run_program([GP, 0x2508_0001, store(T0, GLOBAL, TRACE), 0x1000_FFFD, 0], core=core)
    bench.wait_us(10)
    state = Register.CPU_STATE_A + 0x100 * core
    bench.write(state, Register.CPU_STATE_A["RESET"])
    before = bench.read(TRACE)
    bench.wait_us(10)
    assert bench.read(TRACE) == before > 0
    assert bench.read(state) == HALTED


@pytest.mark.parametrize("core", [0, 1])
def test_registers_and_program_counter_of_a_halted_core_can_be_read(core: int) -> None:
    bench = Bench()
    state, pc = Register.CPU_STATE_A + 0x100 * core, Register.CPU_PC_A + 0x100 * core
    window = Register.CPU_GENERAL_A + 0x100 * core
    bench.run_program([lui(T0, 0x1234), ori(T0, 0x5678), ori(T1, 0x9ABC), *LOOP], core=core)
    bench.wait_us(5)
    bench.write(state, HALTED)
    bench.wait_us(1)
    assert bench.read(window) == 0
    assert [bench.read(window + 4 * register) for register in (T0, T1)] == [0x1234_5678, 0x9ABC]
    assert bench.read(pc) in (0x400C, 0x4010)
    assert bench.read(state) & (HALTED | STOPPED) == HALTED
    bench.write(window + 4 * T0, 0)
    assert bench.read(window + 4 * T0) == 0x1234_5678


@pytest.mark.parametrize("core", [0, 1])
def test_a_core_that_executes_break_0_says_that_it_has_stopped(core: int) -> None:
    bench = Bench()
    state, pc = Register.CPU_STATE_A + 0x100 * core, Register.CPU_PC_A + 0x100 * core
    bench.run_program([ori(T0, 0x77), 0x0000_000D], core=core)
    bench.wait_us(5)
    assert bench.read(state) & (HALTED | STOPPED) == HALTED | STOPPED
    assert bench.read(pc) == 0x4004
    # It continues from the written program counter.
    bench.run_program([GP, store(T0, GLOBAL, TRACE), *LOOP], core=core, at=0x4800)
    bench.wait_us(5)
    assert bench.read(state) & (HALTED | STOPPED) == 0
    assert bench.read(TRACE) == 0x77


def test_single_steps() -> None:
    bench = Bench()
    # addiu t0, t0, 1; branch back; addiu t1, t1, 1 in the delay slot.
    program = [0x2508_0001, 0x1000_FFFE, 0x2529_0001]
    bench.set_sram(0x4000, b"".join(word.to_bytes(4, "big") for word in program))
    bench.write_all((Register.CPU_STATE_A, HALTED), (Register.CPU_PC_A, 0x4000))
    seen = []
    for _ in range(6):
        bench.write(Register.CPU_STATE_A, SINGLE_STEP)
        bench.wait_us(3)
        assert bench.read(Register.CPU_STATE_A) & HALTED
        window = Register.CPU_GENERAL_A
        seen.append(tuple(bench.read(at) for at in (Register.CPU_PC_A, window + 4 * T0, window + 4 * T1)))
    assert seen == [
        (0x4004, 1, 0),
        (0x4008, 1, 0),
        (0x4000, 1, 1),
        (0x4004, 2, 1),
        (0x4008, 2, 1),
        (0x4000, 2, 2),
    ]


@pytest.mark.parametrize(
    ("start", "words"),
    [(0x0090_0000, "fetch"), (0x0000_4002, "misaligned"), (0xFFFF_FFF0, "fetch")],
)
def test_a_start_address_out_of_range_is_a_clear_error(start: int, words: str) -> None:
    bench = Bench()
    bench.write_all((Register.CPU_PC_A, start), (Register.CPU_STATE_A, 0))
    outcome = bench.simulation.run(ms(1))
    assert outcome.reason == "stopped"
    assert "core 0 stopped" in outcome.details
    assert f"{start:#010x}" in outcome.details
    assert words in outcome.details.lower() or "instruction" in outcome.details.lower()


def test_a_load_from_nowhere_is_a_clear_error() -> None:
    bench = Bench()
    bench.run_program([lui(T0, 0x4000), load(T1, T0), *LOOP])
    outcome = bench.simulation.run(ms(1))
    assert outcome.reason == "stopped"
    assert "0x40000000" in outcome.details
