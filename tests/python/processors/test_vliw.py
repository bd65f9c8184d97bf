"""Scheduled programs on the VLIW core leave what the same programs leave on a scalar one."""

from pathlib import Path
from typing import Any

import pytest

from spinach_nic import Clock, Component, KiB, MHz, Simulation, SpinachError, parameter, simulate
from spinach_nic.firmware import Executable, build, read_descriptions, shipped_root
from spinach_nic.firmware.oracle import RESULT_BYTES, RESULT_SYMBOL, ResultBlock
from spinach_nic.library import FunctionalCore, MultiportedMemory, VliwCore
from spinach_nic.studies.analysis import VliwCode, VliwMachine, record_trace, schedule_blocks, vliw_code
from spinach_nic.support.units import B, Size, s

WRITE_CODE = ("self_modifying", "copied_code")
"""These write code while they run, which a schedule made beforehand cannot know."""
DESCRIPTIONS = {
    name.removeprefix("tests/"): description
    for name, description in read_descriptions(shipped_root()).items()
    if name.startswith("tests/") and "@" not in name and not name.endswith(WRITE_CODE)
}
UNITS = ((1, 1), (3, 3), (6, 6))
SLICE_DISTANCE = 1 << 22


class ScalarMachine(Component):
    """Functional cores on a memory."""

    cores: int = parameter(default=1, doc="Number of cores.")
    entry: int = parameter(default=0, doc="Entry address.")
    base: int = parameter(default=0, doc="The first address of the memory.")
    size: Size = parameter(default=KiB(64), doc="Size of the memory.")

    def build(self) -> None:
        """Everything on one memory."""
        self.clock = Clock("core", MHz(100))
        self.memory = MultiportedMemory(size=self.size, base=self.base)
        self.core = [
            FunctionalCore(identity=number, entry=self.entry, on_fault="halt") for number in range(self.cores)
        ]
        for core in self.core:
            core.fetch >> self.memory.port
            core.data >> self.memory.port


class WideMachine(Component):
    """VLIW cores on a memory, with their code in separate memories."""

    cores: int = parameter(default=1, doc="Number of cores.")
    entry: int = parameter(default=0, doc="Entry address.")
    base: int = parameter(default=0, doc="The first address of the memory.")
    size: Size = parameter(default=KiB(64), doc="Size of the memory.")
    latency: int = parameter(default=1, doc="Latency of the memory, in cycles.")
    store_buffer: int = parameter(default=0, doc="Size of the store buffers of the cores.")
    code: Any = parameter(default=None, kind="object", doc="Code that the cores execute.")
    units: Any = parameter(default=(1, 1), kind="object", doc="Integer and load/store units.")

    def build(self) -> None:
        """A memory for each slice of bundles, one for the data."""
        self.clock = Clock("core", MHz(100))
        self.memory = MultiportedMemory(size=self.size, base=self.base, latency=self.latency)
        self.slice = [
            MultiportedMemory(size=B(len(held)), base=self.code.base + lane * SLICE_DISTANCE, latency=0)
            for lane, held in enumerate(self.code.slices)
        ]
        integer, load_store = self.units
        self.core = [
            VliwCore(
                identity=number,
                entry=self.entry,
                on_fault="halt",
                integer_units=integer,
                load_store_units=load_store,
                code_base=self.code.base,
                slice_distance=B(SLICE_DISTANCE),
                store_buffer=self.store_buffer,
            )
            for number in range(self.cores)
        ]
        for core in self.core:
            for lane, memory in enumerate(self.slice):
                core.fetch[lane] >> memory.port
            for lane in range(load_store):
                core.data[lane] >> self.memory.port


Machine = ScalarMachine | WideMachine


def loaded(machine: Machine, image: Executable) -> Simulation:
    simulation = simulate(machine)
    for segment in image.segments:
        simulation.write(machine.memory, segment.address - machine.base, segment.data)
    if isinstance(machine, WideMachine):
        for memory, held in zip(machine.slice, machine.code.slices, strict=True):
            simulation.write(memory, 0, held)
    return simulation


def run(machine: Machine, image: Executable) -> Simulation:
    simulation = loaded(machine, image)
    for _ in range(400):
        simulation.run(s(1) / 1000)
        if all(simulation.state(core)["program"]["stop"] for core in machine.core):
            return simulation
    raise AssertionError("the program does not end")


def prepared(name: str) -> tuple[Executable, dict[str, Any]]:
    description = DESCRIPTIONS[name]
    (memory,) = description.memories
    image = Executable.load(build(f"tests/{name}").path)
    place = {"entry": image.entry, "base": memory.base, "size": B(memory.bytes)}
    return image, {"cores": description.cores, **place}


def scheduled(path: Path, units: tuple[int, int]) -> VliwCode:
    return vliw_code(path, VliwMachine.of(*units, 1), extensions=["atomic_bit_array"])


def outcome(simulation: Simulation, machine: Machine) -> tuple[Any, ...]:
    """Return the end of each core, its registers, and the memory without the code."""
    ends = []
    for core in machine.core:
        program = simulation.state(core)["program"]
        registers = program["registers"]
        ends.append((program["stop"]["cause"], registers["general"], registers["hi_lo"]))
    return ends, simulation.read(machine.memory, 0, machine.size.bytes)


@pytest.mark.parametrize("name", [name for name, it in DESCRIPTIONS.items() if it.cores == 1])
def test_a_program_leaves_the_same_registers_and_memory(name: str) -> None:
    image, place = prepared(name)
    scalar = ScalarMachine(**place)
    expected = outcome(run(scalar, image), scalar)
    for units in UNITS:
        for latency, store_buffer in ((0, 0), (3, 1)):
            timing: dict[str, Any] = {"latency": latency, "store_buffer": store_buffer}
            wide = WideMachine(code=scheduled(image.path, units), units=units, **timing, **place)
            assert outcome(run(wide, image), wide) == expected


@pytest.mark.parametrize("name", [name for name, it in DESCRIPTIONS.items() if it.cores > 1])
def test_several_cores_pass(name: str) -> None:
    image, place = prepared(name)
    for units in UNITS[:2]:
        wide = WideMachine(code=scheduled(image.path, units), units=units, **place)
        simulation = run(wide, image)
        at = image.symbol(RESULT_SYMBOL).address - place["base"]
        assert ResultBlock.parse(simulation.read(wide.memory, at, RESULT_BYTES)).passed


@pytest.mark.parametrize("units", UNITS)
def test_with_perfect_memory_a_bundle_is_issued_for_each_cycle_of_the_estimate(
    units: tuple[int, int], tmp_path: Path
) -> None:
    image, place = prepared("hash_table")
    trace = tmp_path / "trace.parquet"
    (memory,) = DESCRIPTIONS["hash_table"].memories
    record_trace(image.path, trace, memory, extensions=["atomic_bit_array"])
    estimate, _ = schedule_blocks(image.path, trace, VliwMachine.of(*units, 1))
    wide = WideMachine(code=scheduled(image.path, units), units=units, latency=0, **place)
    counted = run(wide, image).statistics()
    issued = counted["core[0].execution"] + counted["core[0].annulled"]
    # The break at the end is not in the trace.
    assert abs(issued - estimate.cycles) <= 3
    assert abs(counted["core[0].instructions"] - estimate.operations) <= 3
    assert counted["core[0].pipeline"] > 0  # what the estimate leaves out


@pytest.mark.parametrize("latency", [0, 1, 5])
def test_sleeping_and_checked_dependencies_change_nothing(latency: int) -> None:
    image, place = prepared("hash_table")
    units = (3, 3)
    counted = []
    for sleeping, checked in ((True, False), (False, True)):
        code = scheduled(image.path, units)
        wide = WideMachine(code=code, units=units, latency=latency, store_buffer=1, **place)
        simulation = loaded(wide, image)
        simulation.set_sleeping(sleeping)
        simulation.set_check_dependencies(checked)
        simulation.run(s(1) / 20_000)
        state = simulation.state(wide.core[0])["program"]
        counted.append((dict(simulation.statistics()), state["registers"], state["history"]))
    assert counted[0] == counted[1]


def test_a_checkpoint_continues_in_another_simulation() -> None:
    image, place = prepared("hash_table")
    code = scheduled(image.path, (3, 3))
    wide = [WideMachine(code=code, units=(3, 3), latency=2, **place) for _ in range(2)]
    first, second = (loaded(machine, image) for machine in wide)
    first.run(s(1) / 100_000)
    second.restore(first.checkpoint())
    for simulation in (first, second):
        simulation.run(s(1) / 50_000)
    states = [
        simulation.state(machine.core[0]) for simulation, machine in zip((first, second), wide, strict=True)
    ]
    assert states[0] == states[1]


def test_slow_results_and_missing_units_are_refused() -> None:
    image, _ = prepared("crc32")
    with pytest.raises(SpinachError, match="needs more bundles than it has instructions") as raised:
        vliw_code(image.path, VliwMachine.of(3, 3, 1).with_options(load_latency=9))
    assert "ready in the next cycle" in raised.value.help
    with pytest.raises(SpinachError, match="the machine has no unit for"):
        vliw_code(image.path, VliwMachine.of(3, 0, 1))


def test_a_bundle_for_a_wider_machine_is_a_reserved_instruction() -> None:
    image, place = prepared("crc32")
    code = scheduled(image.path, (3, 3))
    wide = WideMachine(code=code, units=(3, 3), **place)
    simulation = simulate(wide)
    addu = 0x0085_3021
    words = [0, *[addu] * 7]
    bundle = b"".join(word.to_bytes(4) for word in words)
    offset = 4 * (image.entry - code.base)
    for lane, memory in enumerate(wide.slice):
        simulation.write(memory, offset, bundle[16 * lane : 16 * lane + 16])
    simulation.run(s(1) / 1_000_000)
    stop = simulation.state(wide.core[0])["program"]["stop"]
    assert "reserved" in stop["message"]
    assert stop["pc"] == image.entry
