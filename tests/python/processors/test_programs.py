"""The compiled test programs run on all three cores as they run under QEMU.

QEMU's user mode is the oracle for what a program computes: its result block. The cores must agree among each
other in all registers too, and the pipelined and the composed one in every cycle, cause and instruction.
"""

from random import Random
from typing import Any

import pytest

from spinach_nic import Clock, Component, KiB, MHz, Simulation, parameter, simulate
from spinach_nic.firmware import Executable, read_descriptions, shipped_root
from spinach_nic.firmware.instruction_sets import DEFAULT_INSTRUCTION_SET, INSTRUCTION_SETS
from spinach_nic.firmware.oracle import (
    RESULT_BYTES,
    RESULT_SYMBOL,
    ResultBlock,
    build_pair,
    find_qemu,
    run_under_qemu,
)
from spinach_nic.library import Crossbar, FunctionalCore, Initiator, MultiportedMemory, PipelinedCore, Sender
from spinach_nic.processors import ComposedCore

Core = ComposedCore | FunctionalCore | PipelinedCore
KINDS: dict[str, type[Core]] = {
    "functional": FunctionalCore,
    "pipelined": PipelinedCore,
    "composed": ComposedCore,
}
DESCRIPTIONS = {
    name: description.cores
    for name, description in read_descriptions(shipped_root()).items()
    if name.startswith("tests/")
}
PROGRAMS = {name: cores for name, cores in DESCRIPTIONS.items() if "@" not in name}
OTHER_SETS = [
    (name.partition("@")[0], instruction_set)
    for name in DESCRIPTIONS
    for instruction_set in INSTRUCTION_SETS
    if name.endswith(f"@{instruction_set}")
]
"""Programs for other instruction sets than the usual one, each with its set."""
MEMORY = KiB(1024)
PROFILE = KiB(32)
SLICE_CYCLES = 10_000
MAXIMUM_CYCLES = 3_000_000


class Machine(Component):
    """Cores on one memory: a port each for instructions, and one behind a crossbar for everybody's data."""

    core_kind: str = parameter(default="pipelined", doc="Kind of the core.", choices=tuple(KINDS))
    cores: int = parameter(default=1, doc="Number of cores.")
    byte_order: str = parameter(default="big", doc="Byte order of words in the memory.")
    settings: Any = parameter(default=None, doc="Parameters of the cores.")
    seed: int = parameter(default=1, doc="Seed of other accesses to the memory.")

    def build(self) -> None:
        """Connect everything; the initiator and its sender are what is in the way at random."""
        self.clock = Clock("core", MHz(100))
        self.core = [KINDS[self.core_kind](identity=number, **self.settings) for number in range(self.cores)]
        self.memory = MultiportedMemory(size=MEMORY, byte_order=self.byte_order)
        self.crossbar = Crossbar(bases=(0,), sizes=(MEMORY.bytes,))
        for core in self.core:
            core.fetch >> self.memory.port
            core.data >> self.crossbar.initiator
        self.crossbar.target >> self.memory.port
        self.rival, self.sender = (
            Initiator(),
            Sender(policy=lambda index: index * 0, percent=15, seed=self.seed),
        )
        self.sender.output >> self.rival.address
        self.rival.memory >> self.crossbar.initiator


def run(machine: Machine, executable: Executable) -> dict[str, Any]:
    """Run until every core has stopped; what came of it."""
    simulation = simulate(machine)
    for segment in executable.segments:
        simulation.write(machine.memory, segment.address, segment.data)
    owners = [core.system if isinstance(core, ComposedCore) else core for core in machine.core]
    for _ in range(MAXIMUM_CYCLES // SLICE_CYCLES):
        simulation.run(cycles=SLICE_CYCLES)
        statistics = simulation.statistics()
        if all(statistics.of(owner, "halted") for owner in owners):
            break
    programs = [simulation.state(owner)["program"] for owner in owners]
    return {
        "ends": [program["stop"]["message"] if program["stop"] else None for program in programs],
        "block": simulation.read(machine.memory, executable.symbol(RESULT_SYMBOL).address, RESULT_BYTES),
        "registers": [
            registers(simulation, core, program) for core, program in zip(machine.core, programs, strict=True)
        ],
        "memory": simulation.read(machine.memory, 0, MEMORY.bytes),
        "cycles": [
            (
                {name: statistics.of(owner, name) for name in PipelinedCore.counters},
                program["profile"],
            )
            for owner, program in zip(owners, programs, strict=True)
        ],
        "history": [program["history"] for program in programs],
    }


def registers(simulation: Simulation, core: Core, program: Any) -> tuple[list[int], int, int]:
    """The general registers, and HI and LO where there are such."""
    if isinstance(core, ComposedCore):
        stored = simulation.read(core.register_file, 0, 128)
        general = [int.from_bytes(stored[place : place + 4], "big") for place in range(0, 128, 4)]
        # The pipe has room for one word and the cycle in which it came.
        hi_lo, _ = simulation.state(core.multiplier)["entries"]["storage"]
        return general, hi_lo >> 32, hi_lo & 0xFFFF_FFFF
    state = program["registers"]
    multiplier = state.get("hi_lo", {"hi": 0, "lo": 0})
    return state["general"], multiplier["hi"], multiplier["lo"]


def random_timing(random: Random) -> dict[str, Any]:
    """Parameters that the pipelined and the composed core share and the functional one lacks."""
    return {
        "branch_stage": random.choice(("decode", "execute")),
        "load_use_delay": random.randint(0, 3),
        "annulled_slots": random.randint(1, 2),
        "store_buffer": random.randint(0, 2),
        "memory_stages": random.randint(1, 2),
        "multiply_latency": random.randint(1, 10),
        "divide_latency": random.randint(1, 69),
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_cores_leave_what_qemu_leaves_and_agree(name: str) -> None:
    if find_qemu() is None:
        pytest.skip(f"{INSTRUCTION_SETS[DEFAULT_INSTRUCTION_SET].toolchain.qemu} is not installed")
    bare, linux = build_pair(name)
    expected, executable = run_under_qemu(linux), Executable.load(bare.path)
    random = Random(name)
    seed, timing = random.randrange(1 << 30), random_timing(random)
    common = {"entry": executable.entry, "on_fault": "halt", "history": 4096}
    results = {}
    for kind in KINDS:
        own = {} if kind == "functional" else {**timing, "profile_bytes": PROFILE}
        machine = Machine(core_kind=kind, cores=PROGRAMS[name], settings={**common, **own}, seed=seed)
        results[kind] = run(machine, executable)
        block = ResultBlock.parse(results[kind]["block"])
        assert results[kind]["ends"] == ["finished"] * PROGRAMS[name], kind
        assert block.passed, f"{kind} fails in line {block.failed_line}"
        assert block.words == expected.words, kind
    functional, pipelined, composed = (results[kind] for kind in KINDS)
    for part in pipelined:
        assert composed[part] == pipelined[part], f"{part} with {timing}"
    if PROGRAMS[name] == 1:
        # With several cores the waiting depends on who comes first.
        assert functional["registers"] == pipelined["registers"]
        assert functional["memory"] == pipelined["memory"]


@pytest.mark.parametrize(("name", "instruction_set"), OTHER_SETS)
def test_cores_of_other_instruction_sets_leave_what_qemu_leaves(name: str, instruction_set: str) -> None:
    if find_qemu(instruction_set) is None:
        pytest.skip(f"{INSTRUCTION_SETS[instruction_set].toolchain.qemu} is not installed")
    bare, linux = build_pair(name, instruction_set=instruction_set)
    expected = run_under_qemu(linux, instruction_set=instruction_set)
    executable = Executable.load(bare.path)
    random = Random(f"{name} {instruction_set}")
    seed, timing = random.randrange(1 << 30), random_timing(random)
    if instruction_set == "ppc405":
        timing["memory_stages"] = 1  # Its cores have no second one.
    common = {"entry": executable.entry, "on_fault": "halt", "instruction_set": instruction_set}
    late = {"load_use_delay": 0, "loads_under_way": 3}
    results = {}
    for kind, own in (("functional", {}), ("pipelined", {}), ("pipelined", late), ("pipelined", timing)):
        machine = Machine(
            core_kind=kind,
            cores=PROGRAMS[name],
            byte_order=INSTRUCTION_SETS[instruction_set].byte_order,
            settings={**common, **own},
            seed=seed,
        )
        results[kind] = run(machine, executable)
        block = ResultBlock.parse(results[kind]["block"], instruction_set)
        assert results[kind]["ends"] == ["finished"] * PROGRAMS[name], (kind, own)
        assert block.passed, f"{kind} fails in line {block.failed_line}"
        assert block.words == expected.words, (kind, own)
    if PROGRAMS[name] == 1:
        assert results["functional"]["registers"] == results["pipelined"]["registers"]
        assert results["functional"]["memory"] == results["pipelined"]["memory"]
