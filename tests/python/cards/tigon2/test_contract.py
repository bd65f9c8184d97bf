"""Contract of every module of the card: results depend neither on sleeping nor on undeclared inputs."""

from __future__ import annotations

from typing import Any

import pytest
from tests.python.cards.tigon2.bench import HOST_MEMORY, READ_RING, RECEIVE_RING, Bench
from tests.python.cards.tigon2.test_dma import DATA, descriptor
from tests.python.cards.tigon2.test_mac import BROADCAST, ENABLE, frame, listed

from spinach_nic.cards.tigon2.registers import Register
from spinach_nic.model.simulation import Simulation
from spinach_nic.support.units import KiB

# Counts up in the SRAM as fast as it can, through the instruction line and the bus.
COUNTING = (0x8C09_0600, 0, 0x2529_0001, 0xAC09_0600, 0x1000_FFFB, 0)


def busy(**parameters: Any) -> Bench:
    """A card on which everything is about to move at once."""
    bench = Bench(
        frames=listed(*[frame(BROADCAST, 60 + 90 * number) for number in range(8)]), count=8, **parameters
    )
    bench.set_up_rings()
    bench.set_sram(0x600, bytes(4))
    bench.set_host_memory(HOST_MEMORY, DATA)
    for number in range(20):
        order = descriptor(HOST_MEMORY + number, 0xA000 + 0x100 * number, 37 * number, 0x600)
        bench.set_sram(READ_RING + 32 * number, order)
    bench.write_all((Register.DMA_READ_PRODUCER, 32 * 20), (Register.DMA_ASSIST, 1))
    for core in (0, 1):
        bench.run_program(COUNTING, core=core, at=0x5000 + 0x400 * core)
    bench.write(Register.MAC_RECEIVE_STATE, ENABLE)
    return bench


def outcome(simulation: Simulation, bench: Bench) -> tuple[dict[str, int], bytes]:
    """Everything that was counted, and what the SRAM holds."""
    statistics = simulation.statistics()
    counters = {name: statistics[name] for name in statistics}
    return counters, bench.sram(0, 0x10_0000)


def test_sleeping_changes_nothing() -> None:
    outcomes = []
    for sleeps in (True, False):
        bench = busy()
        bench.simulation.set_sleeping(sleeps)
        bench.wait_us(60)
        outcomes.append(outcome(bench.simulation, bench))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][1][RECEIVE_RING : RECEIVE_RING + 4] != bytes(4)


OWN_MEMORY = {"descriptor_memory": True, "descriptor_base": 0x3000, "descriptor_size": KiB(8)}


@pytest.mark.parametrize("parameters", [{}, OWN_MEMORY], ids=["one memory", "descriptors apart"])
def test_outputs_depend_on_what_is_declared_only(parameters: dict[str, Any]) -> None:
    bench = busy(**parameters)
    bench.simulation.set_check_dependencies(True)
    bench.wait_us(20)


def test_a_checkpoint_goes_on_as_the_original_does() -> None:
    bench = busy()
    bench.wait_us(7)
    saved = bench.simulation.checkpoint()
    bench.wait_us(30)
    original = outcome(bench.simulation, bench)
    bench.simulation.restore(saved)
    bench.wait_us(30)
    assert outcome(bench.simulation, bench) == original
