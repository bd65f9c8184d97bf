"""Requirements of PCI 2.3 on a card: interrupts that can be disabled and seen, resets, any address."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pytest
from tests.python.cards.tigon2.bench import BASE, HOST_MEMORY, NOTHING, READ_RING, Bench, Table
from tests.python.cards.tigon2.test_host_window import configuration, configure

from spinach_nic import run
from spinach_nic.cards.tigon2.registers import BYTES_STRAIGHT, HALTED, INTERRUPT, Register
from spinach_nic.library import Sender
from spinach_nic.model import parameter
from spinach_nic.support.units import ms, us

COMMAND = 0x04
INTERRUPT_DISABLE, INTERRUPT_STATUS = 1 << 10, 1 << 19
MASTER = 0x6


def interrupts(bench: Bench) -> int:
    """Return the number of assertions of the line."""
    return bench.simulation.statistics().of(bench.card.pci, "interrupts")


def line(bench: Bench) -> bool:
    """Return true if the host sees the line asserted: a wait for it does not time out."""
    return bench.perform([(4, 0, 1, 0)])[0] == 1


def test_the_interrupt_can_be_disabled_and_its_status_stays() -> None:
    bench = Bench()
    assert not configuration(bench, COMMAND) & INTERRUPT_STATUS
    bench.write(Register.LOCAL_CONTROL, 0x4)
    bench.wait_us(1)
    assert bench.read(Register.HOST_CONTROL) & INTERRUPT
    assert configuration(bench, COMMAND) & INTERRUPT_STATUS
    assert line(bench)
    configure(bench, COMMAND, MASTER | INTERRUPT_DISABLE, 2)
    bench.wait_us(1)
    assert not line(bench)
    assert configuration(bench, COMMAND) & INTERRUPT_STATUS
    configure(bench, COMMAND, MASTER, 2)
    bench.wait_us(1)
    assert line(bench)
    assert interrupts(bench) == 2
    bench.write(0x504, 0)
    bench.wait_us(1)
    assert not line(bench)
    assert not configuration(bench, COMMAND) & INTERRUPT_STATUS


class Reset(Table):
    """The card on a bus that is reset as power comes, and once more."""

    resets: Sequence[int] = parameter(default=(1, 1), kind="integers", doc="A word for each reset.")
    every: int = parameter(default=20_000, doc="Cycles of the bus from one to the next.")

    def build(self) -> None:
        """Let something reset the bus."""
        super().build()
        self.button = Sender(clock=self.card.pci_clock, values=self.resets, every=self.every)
        self.button.output >> self.card.pci.reset


class ResetBench(Bench):
    """A card that is reset after 300 us."""

    table_class = Reset


def test_a_reset_of_the_bus_is_as_power_on() -> None:
    bench = ResetBench()
    assert bench.simulation.now < us(250)
    configure(bench, 0x3C, 11, 1)
    bench.write_all((Register.TIMER_REFERENCE_A, 0x1234), (Register.CPU_STATE_A, 0))
    bench.write(Register.LOCAL_CONTROL, 0x4)
    bench.wait_us(1)
    assert line(bench)
    bench.wait_us(400)
    assert [configuration(bench, at) for at in (0x04, 0x10, 0x3C)][1:] == [0, 0x0040_0100]
    assert configuration(bench, COMMAND) & 0xFFFF == 0
    assert not configuration(bench, COMMAND) & INTERRUPT_STATUS
    assert not line(bench)
    assert bench.read(Register.TIMER_REFERENCE_A) == NOTHING, "nothing is decoded"
    bench.perform([(1, 0x10, BASE, 4), (1, COMMAND, MASTER, 2)])
    bench.write(Register.HOST_CONTROL, BYTES_STRAIGHT << 24 | BYTES_STRAIGHT)
    assert bench.read(Register.TIMER_REFERENCE_A) == 0
    assert bench.read(Register.CPU_STATE_A) & HALTED


@pytest.mark.parametrize("address", [HOST_MEMORY, 0xFFFF_FFFF_0000_0000, 0x7F00_8000_0000])
def test_the_host_has_its_memory_anywhere_in_64_bits(address: int) -> None:
    bench = Bench(memory_base=address)
    bench.set_up_rings()
    order = struct.pack(">IIIHHIIII", address >> 32, address & 0xFFFF_FFFF, 0xA000, 0, 64, 4, 0, 0, 0)
    bench.simulation.write(bench.table.host, 0, bytes(range(64)))
    bench.set_sram(READ_RING, order)
    bench.write_all((Register.DMA_ASSIST, 1), (Register.DMA_READ_PRODUCER, 32))
    bench.wait_us(10)
    assert bench.sram(0xA000, 64) == bytes(range(64))


@pytest.mark.parametrize("address", [0xFFFF_FFF0_0000_0000, 0x1_2345_0000_0000])
def test_firmware_and_driver_find_memory_anywhere(address: int) -> None:
    result = run("tigon2", traffic="udp:400", frames=40, set={"host.memory_base": address})
    assert result.complete
    assert result.frames.delivered == {"tx": 40, "rx": 40}


def test_a_run_without_a_plan_lasts_as_long_as_it_is_asked_to() -> None:
    result = run("tigon2", traffic=(), time=ms(2))
    assert result.complete
    assert result.simulated_ns == 2_000_000
    assert result.instructions > 1000
    assert not any(result.frames.offered.values())
