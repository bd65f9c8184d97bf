"""The composed core is the specification of the pipelined one: they agree cycle by cycle.

Compared are all counters, each completed instruction with its cycle, the account of every instruction
address, how the program ended, and what is in registers and memory.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from tests.python.processors.programs import DATA, VECTOR, program

from spinach_nic import Clock, Component, KiB, MHz, Simulation, parameter, simulate
from spinach_nic.firmware import Executable, build
from spinach_nic.library import Arbiter, Initiator, MultiportedMemory, PipelinedCore, Sender
from spinach_nic.model.tracing import Signal, select
from spinach_nic.processors import ComposedCore
from spinach_nic.support.units import B, Size

KINDS: dict[str, type[ComposedCore | PipelinedCore]] = {"pipelined": PipelinedCore, "composed": ComposedCore}
SLICE_CYCLES = 500
SETTLED_CYCLES = 1000
"""Cycles after its end for which a program must stay ended."""


def command(index: Signal) -> Signal:
    """Halt, resume and step by turns that look random, and now and then begin anew."""
    hashed = (index * 0x9E37_79B9) >> 12
    kind = select(hashed[5:0] == 0, 3, select(hashed[1:0] == 0, 1, select(hashed[1:0] == 1, 4, 2)))
    return kind << 32


class Machine(Component):
    """A core on a memory, with others in its way."""

    core_kind: str = parameter(default="pipelined", doc="Kind of the core.", choices=tuple(KINDS))
    timing: Any = parameter(default=None, doc="Parameters of the core.")
    latency: int = parameter(default=0, doc="Latency of the memory, in cycles.")
    traffic: int = parameter(default=0, doc="Share of cycles with another initiator, in percent.")
    seed: int = parameter(default=1, doc="Seed of those cycles.")
    commands: int = parameter(default=0, doc="Share of cycles with a command for the core, in percent.")
    interrupts: int = parameter(
        default=0, doc="Share of cycles in which each of two lines rises, in percent."
    )
    size: Size = parameter(default=KiB(64), doc="Size of the memory.")

    def build(self) -> None:
        """Put an arbiter between each port of the core and the memory, unless nothing else uses it."""
        self.clock = Clock("core", MHz(100))
        self.core = KINDS[self.core_kind](**self.timing)
        self.memory = MultiportedMemory(size=self.size, latency=self.latency)
        if self.commands > 0:
            self.commander = Sender(policy=command, percent=self.commands, seed=self.seed)
            self.commander.output >> self.core.control
        if self.interrupts > 0:
            self.line = [
                Sender(policy="index", percent=self.interrupts, seed=self.seed + number) for number in (7, 8)
            ]
            for line in self.line:
                line.output >> self.core.interrupt
        if self.traffic == 0:
            self.core.fetch >> self.memory.port
            self.core.data >> self.memory.port
            return
        self.bus = [Arbiter(policy="round_robin") for _ in range(2)]
        self.other = [Initiator() for _ in self.bus]
        self.sender = [
            Sender(policy=lambda index: index * 0, percent=self.traffic, seed=self.seed + number)
            for number in range(len(self.bus))
        ]
        for bus, port, other, sender in zip(
            self.bus, (self.core.fetch, self.core.data), self.other, self.sender, strict=True
        ):
            sender.output >> other.address
            other.memory >> bus.initiator
            port >> bus.initiator
            bus.target >> self.memory.port


def run(machine: Machine, contents: bytes, cycles: int) -> dict[str, Any]:
    """Everything that the two must agree on."""
    simulation = simulate(machine)
    simulation.write(machine.memory, 0, contents)
    core = machine.core
    owner = core.system if isinstance(core, ComposedCore) else core
    for _ in range(0, cycles, SLICE_CYCLES):
        simulation.run(cycles=SLICE_CYCLES)
        # Commands may begin the program again.
        if machine.commands == 0 and simulation.statistics().of(owner, "halted") >= SETTLED_CYCLES:
            break
    state = simulation.state(owner)["program"]
    # The one lets Count advance when it is read, the other computes what they see.
    del state["registers"]["coprocessor0"]["count"]
    statistics = simulation.statistics()
    path = owner.path
    return {
        "counters": {name: statistics[f"{path}.{name}"] for name in PipelinedCore.counters},
        "history": state["history"],
        "profile": state["profile"],
        "stop": state["stop"],
        "coprocessor0": state["registers"]["coprocessor0"],
        "registers": registers(simulation, core, state),
        "memory": simulation.read(machine.memory, 0, machine.size.bytes),
    }


def registers(simulation: Simulation, core: ComposedCore | PipelinedCore, state: Any) -> list[int]:
    """The general registers."""
    if isinstance(core, PipelinedCore):
        return list(state["registers"]["general"])
    stored = simulation.read(core.register_file, 0, 128)
    return [int.from_bytes(stored[place : place + 4], "big") for place in range(0, 128, 4)]


def agree(contents: bytes, cycles: int, timing: dict[str, Any], **surroundings: Any) -> dict[str, Any]:
    """Run both and compare them."""
    timing = {"history": cycles // 2, **timing}
    results = [
        run(Machine(core_kind=kind, timing=timing, **surroundings), contents, cycles) for kind in KINDS
    ]
    pipelined, composed = results
    assert 0 < pipelined["counters"]["instructions"] <= timing["history"]
    first = next(
        (
            (one, other)
            for one, other in zip(
                pipelined["history"]["entries"], composed["history"]["entries"], strict=True
            )
            if one != other
        ),
        None,
    )
    assert first is None, f"{timing} {surroundings}"
    stop = pipelined["stop"]
    went_too_far = timing.get("memory_stages") == 2 and stop and "DataBusError" in str(stop["cause"])
    if stop is None or went_too_far:
        # Results are on their way: in the one they are in the registers already, in the other not yet.
        del pipelined["registers"]
    for part in pipelined:
        assert composed[part] == pipelined[part], f"{part} with {timing} {surroundings}"
    return pipelined


def random_timing(random: Random) -> dict[str, Any]:
    return {
        "priority_decode": random.choice(("none", "highest_first", "lowest_first")),
        "branch_stage": random.choice(("decode", "execute")),
        "load_use_delay": random.randint(0, 4),
        "memory_stages": random.randint(1, 2),
        "annulled_slots": random.randint(1, 3),
        "store_buffer": random.randint(0, 2),
        "multiply_latency": random.randint(1, 6),
        "divide_latency": random.randint(1, 9),
    }


def random_memory(random: Random, traffic: Sequence[int]) -> dict[str, int]:
    """Latency of the memory and its other use; an arbiter never grants a memory without latency."""
    latency, percent = random.randint(0, 3), random.choice(traffic)
    return {"latency": max(latency, 1) if percent else latency, "traffic": percent}


@pytest.mark.parametrize("seed", range(60))
def test_on_random_programs(seed: int) -> None:
    random = Random(seed)
    words = program(seed)
    contents = b"".join(word.to_bytes(4, "big") for word in words)
    timing = {
        "exception_vector": VECTOR,
        "on_fault": "halt",
        "profile_bytes": B(DATA),
        **random_timing(random),
    }
    agree(
        contents,
        12_000,
        timing,
        **random_memory(random, (0, 30, 70)),
        seed=seed + 1,
        interrupts=random.choice((0, 0, 1, 5)),
    )


@pytest.mark.parametrize("seed", range(100, 130))
def test_under_commands(seed: int) -> None:
    random = Random(seed)
    contents = b"".join(word.to_bytes(4, "big") for word in program(seed))
    timing = {
        "exception_vector": VECTOR,
        "starts_halted": seed % 3 == 0,
        "on_fault": "halt",
        "profile_bytes": B(DATA),
        **random_timing(random),
    }
    agree(
        contents,
        4_000,
        timing,
        **random_memory(random, (0, 50)),
        seed=seed,
        interrupts=random.choice((0, 2)),
        commands=random.choice((5, 20, 60)),
    )


def test_random_programs_end_and_are_interrupted() -> None:
    words = program(2)
    contents = b"".join(word.to_bytes(4, "big") for word in words)
    timing = {"exception_vector": VECTOR, "on_fault": "halt"}
    quiet, busy = (agree(contents, 12_000, timing, interrupts=percent) for percent in (0, 4))
    assert quiet["stop"]["message"] == busy["stop"]["message"] == "finished"
    assert busy["counters"]["exceptions"] > quiet["counters"]["exceptions"] > 5


@pytest.mark.parametrize(
    "name", ["crc32", "sort_quick", "branches", "self_modifying", "copied_code", "bit_array", "unaligned"]
)
@pytest.mark.parametrize("store_buffer", [0, 1])
def test_on_compiled_programs(name: str, store_buffer: int) -> None:
    executable = Executable.load(build(f"tests/{name}").path)
    size = KiB(1024)
    contents = bytearray(size.bytes)
    for segment in executable.segments:
        contents[segment.address : segment.address + len(segment.data)] = segment.data
    timing = {
        "entry": executable.entry,
        "on_fault": "halt",
        "store_buffer": store_buffer,
        "profile_bytes": B(0x8000),
    }
    agree(bytes(contents), 40_000, timing, latency=1 + store_buffer, traffic=40, size=size)
