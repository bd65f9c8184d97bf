"""Software's view of the registers of the Tigon-2, through the bus and from a core."""

from __future__ import annotations

import pytest
from tests.python.cards.tigon2.bench import RECEIVE_RING, Bench

from spinach_nic.cards.tigon2.registers import HALTED, Register
from spinach_nic.support.units import MHz

GP = 0x3C1C_C000  # lui gp, 0xc000
LOOP = (0x1000_FFFF, 0)


@pytest.fixture(scope="module")
def bench() -> Bench:
    """A card that all tests of this file use; each puts back what others rely on."""
    return Bench()


def test_host_control_tells_the_revision(bench: Bench) -> None:
    assert bench.read(Register.HOST_CONTROL) & Register.HOST_CONTROL["REVISION"] == 0x6000_0000


def test_configuration_space_is_copied_to_the_window(bench: Bench) -> None:
    assert bench.read(0x00) == 0x0001_12AE
    assert bench.read(0x10) == 0xE000_0000
    bench.write(0x00, 0)
    assert bench.read(0x00) == 0x0001_12AE


def test_timer_counts_prescaled_cycles(bench: Bench) -> None:
    bench.write_all((Register.CONFIGURATION, 0x57), (Register.TIMER, 0))
    bench.wait_us(100)
    assert bench.read(Register.TIMER) in (100, 101)


def test_timer_event_is_a_signed_comparison(bench: Bench) -> None:
    bit = 1 << 28
    for reference, is_due in (
        (50, True),
        (100, True),
        (0x8000_0200, True),
        (5000, False),
        (0x7FFF_0000, False),
    ):
        bench.write_all(
            (Register.CONFIGURATION, 0x57), (Register.TIMER, 100), (Register.TIMER_REFERENCE_A, reference)
        )
        assert bool(bench.read(Register.EVENTS_A) & bit) == is_due, hex(reference)
    bench.write_all((Register.TIMER_REFERENCE_A, 50), (Register.TIMER_REFERENCE_B, 0x7000_0000))
    assert bench.read(Register.EVENTS_A) & bit
    assert not bench.read(Register.EVENTS_B) & bit


def test_semaphores_toggle(bench: Bench) -> None:
    a, b = Register.SEMAPHORE_A, Register.SEMAPHORE_B
    seen = []
    for side in (a, b, a, b, b):
        bench.write(side, 0)
        seen.append((bench.read(a), bench.read(b)))
    # Taken; kept from the other; freed; taken by the other; freed.
    assert seen == [(1, 0), (1, 0), (0, 0), (0, 1), (0, 0)]


def test_software_event_bits_are_plain_and_hardware_bits_are_not(bench: Bench) -> None:
    hardware = sum(1 << bit for bit in (6, 14, 15, 19, 20, 22, 25, 26, 28))
    bench.write_all(
        (Register.TIMER, 0), (Register.TIMER_REFERENCE_A, 0x7000_0000), (Register.EVENTS_A, 0xFFFF_FFFF)
    )
    assert bench.read(Register.EVENTS_A) == 0xFFFF_FFFF & ~hardware
    bench.write(Register.EVENTS_A, 0)
    assert bench.read(Register.EVENTS_A) == 0


def test_mailbox_bits_are_set_in_both_copies_and_cleared_by_ones(bench: Bench) -> None:
    bench.write(0x504 + 8 * 31, 0x1234_5678)
    bench.write(0x500 + 8 * 5, 0x1)  # a high word alone is not an event
    assert bench.sram_word(0x104 + 8 * 31) == 0x1234_5678
    assert bench.read(Register.MAILBOX_EVENTS_A) == bench.read(Register.MAILBOX_EVENTS_B) == 1 << 31
    assert bench.read(Register.EVENTS_A) & bench.read(Register.EVENTS_B) & 1 << 22
    bench.write(Register.MAILBOX_EVENTS_A, 1 << 31)
    assert bench.read(Register.MAILBOX_EVENTS_A) == 0
    assert bench.read(Register.MAILBOX_EVENTS_B) == 1 << 31
    assert not bench.read(Register.EVENTS_A) & 1 << 22
    bench.write(Register.MAILBOX_EVENTS_B, 1 << 31)


def test_dma_rings_follow_the_receive_ring_and_wrap(bench: Bench) -> None:
    bench.write(Register.RECEIVE_RING_PRODUCER, RECEIVE_RING)
    bench.write(Register.RECEIVE_RING_REFERENCE, RECEIVE_RING)
    for first, distance in ((0x100, 0x1000), (0x120, 0x1800), (0x110, 0x2000), (0x130, 0x2800)):
        bench.write_all((first, 0), (first + 4, 0), (first + 8, 0))
        base = RECEIVE_RING + distance
        assert bench.read(first) == base
        bench.write(first, base + 63 * 32)
        assert bench.read(first) == base + 63 * 32
        bench.write(first, base + 63 * 32 + 32)  # software adds and does not mask
        assert bench.read(first) == base


def test_checked_producers_are_0_when_the_ring_is_full(bench: Bench) -> None:
    for first, checked, base in (
        (0x100, 0x10C, RECEIVE_RING + 0x1000),
        (0x120, 0x12C, RECEIVE_RING + 0x1800),
    ):
        bench.write_all((first, base + 32), (first + 4, base), (first + 8, base))
        assert bench.read(checked) == base + 32
        bench.write(first, base + 62 * 32)
        assert bench.read(checked) == base + 62 * 32
        bench.write(first, base + 63 * 32)
        assert bench.read(checked) == 0
        bench.write_all((first, 0), (first + 8, 0))


def test_dma_events_follow_reference_and_consumer(bench: Bench) -> None:
    for first, bit in ((0x100, 15), (0x120, 14)):
        bench.write_all((first, 32), (first + 4, 32))
        assert bench.read(Register.EVENTS_A) & 1 << bit
        bench.write(first + 8, 32)
        assert not bench.read(Register.EVENTS_A) & 1 << bit
        bench.write_all((first, 0), (first + 4, 0), (first + 8, 0))


@pytest.mark.parametrize(("hertz", "width", "bits"), [(66, 64, 0x8_0000), (33, 32, 0x10_0000)])
def test_the_bus_state_tells_clock_and_width(hertz: int, width: int, bits: int) -> None:
    bench = Bench(host_clock=MHz(hertz), host_width=width)
    assert bench.read(Register.PCI_STATE) & 0x18_0000 == bits
    # Both are wires: they cannot be written, and the settings next to them can.
    bench.write(Register.PCI_STATE, 0x7602_0000 | 0x18_0000 & ~bits)
    assert bench.read(Register.PCI_STATE) == 0x7602_0000 | bits


def test_the_timer_can_be_written(bench: Bench) -> None:
    bench.write_all((Register.CONFIGURATION, 0x7F), (Register.TIMER, 0xFFFF_FFF0))
    assert bench.read(Register.TIMER) - 0xFFFF_FFF0 in range(8)


def test_link_word_sent_is_received(bench: Bench) -> None:
    for bit in range(16):
        bench.write(Register.LINK_SENT_WORD, 1 << bit)
        assert bench.read(Register.LINK_RECEIVED_WORD) == 1 << bit


def test_program_counter_is_writable_while_halted_only(bench: Bench) -> None:
    state, pc = Register.CPU_STATE_A, Register.CPU_PC_A
    bench.set_sram(0x7000, b"".join(word.to_bytes(4, "big") for word in LOOP))
    assert bench.read(state) & HALTED
    bench.write_all((pc, 0x7000), (state, 0), (pc, 0x1230))
    assert bench.read(pc) == 0x7000
    bench.write_all((state, HALTED), (pc, 0x4000))
    assert bench.read(pc) == 0x4000


def test_a_core_sees_the_same_registers(bench: Bench) -> None:
    # lw t0, 0x40(gp); sw t0, 0x80(gp)
    for core in (0, 1):
        bench.write(0x80, 0)
        bench.run_program([GP, 0x8F88_0040, 0xAF88_0080, *LOOP], core=core)
        bench.wait_us(5)
        assert bench.read(0x80) == bench.read(Register.HOST_CONTROL)
        bench.write(Register.CPU_STATE_A + 0x100 * core, HALTED)


def test_local_control_bit_2_raises_the_interrupt() -> None:
    bench = Bench()
    # li t0, 4; sw t0, 0x44(gp)
    bench.run_program([GP, 0x2408_0004, 0xAF88_0044, *LOOP])
    bench.wait_us(5)
    assert bench.read(Register.HOST_CONTROL) & 1
    counter = f"{bench.table.host.path}.interrupts"
    assert bench.simulation.statistics()[counter] == 1
    bench.write(0x504, 0)  # any write to mailbox 0 acknowledges
    assert not bench.read(Register.HOST_CONTROL) & 1
    bench.run_program([GP, 0x2408_0004, 0xAF88_0044, *LOOP])
    bench.wait_us(5)
    assert bench.simulation.statistics()[counter] == 2
    bench.write(Register.HOST_CONTROL, bench.read(Register.HOST_CONTROL) | 2)
    assert not bench.read(Register.HOST_CONTROL) & 1


def test_masked_interrupts_do_not_reach_the_host() -> None:
    bench = Bench()
    bench.write(Register.HOST_CONTROL, 0x6000_0060)
    bench.write(Register.LOCAL_CONTROL, 4)
    bench.wait_us(2)
    counter = f"{bench.table.host.path}.interrupts"
    assert bench.simulation.statistics()[counter] == 0
    bench.write(Register.HOST_CONTROL, 0x20)
    bench.wait_us(2)
    assert bench.simulation.statistics()[counter] == 1


def test_hard_reset_halts_the_cores_and_resets_the_registers() -> None:
    bench = Bench()
    bench.run_program([GP, *LOOP])
    bench.write_all((Register.EVENTS_A, 8), (Register.CONFIGURATION, 0x57))
    bench.write(Register.HOST_CONTROL, 0x0800_0008 | 0x2000_0020)
    # Numbers are not straight until that is asked for again, in both byte orders.
    bench.write(Register.HOST_CONTROL, 0x2000_0020)
    assert bench.read(Register.CPU_STATE_A) & HALTED
    assert bench.read(Register.EVENTS_A) & 8 == 0
    assert bench.read(Register.CONFIGURATION) == 0
