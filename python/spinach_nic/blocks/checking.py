"""Contract of custom modules: the properties that the engine relies on, tested with random traffic.

A module obeys the contract if `settle` changes nothing and depends on nothing but the state, if its state is
plain data that continues equally in another simulation, and if sleeping changes no result.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

from spinach_nic import _native
from spinach_nic.blocks.python_module import (
    Behaviour,
    Edge,
    Frame,
    Outputs,
    PythonModule,
    Reference,
    frames_in,
    frames_out,
    memory_port,
)
from spinach_nic.blocks.verilated import Verilated
from spinach_nic.library import MultiportedMemory, Receiver, Sender
from spinach_nic.model import Clock, Component
from spinach_nic.model.simulation import Simulation, simulate
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.representations import amount
from spinach_nic.support.units import KiB, MHz

CYCLES = 1000
"""Cycles of each simulation; the state is saved in the middle."""
RARE_CYCLES = 2000
"""Cycles of simulations with rare traffic, in which modules sleep between transfers."""
_PERCENT, _RARE_PERCENT = 60, 2
_STRETCH = 200
"""Cycles in which a sink of frames accepts, and then refuses: long enough for frames to fill a block."""
_HELD = 2
"""Values that each input of a block in a library takes before the block accepts any."""


class FrameSource(PythonModule):
    """Frames of random lengths at random times."""

    output = frames_out("The frames.")
    share = 0.5
    """Probability that the next frame begins in a cycle."""

    @dataclass
    class State:
        """Number of frames that have left, and whether one is presented."""

        sent: int = 0
        presents: bool = False
        draws: int = 0

    def settle(self, state: State, outputs: Outputs) -> None:
        """Present a frame whose content follows from its number."""
        if state.presents:
            chosen = random.Random(state.sent)
            outputs.present("output", Frame(chosen.randbytes(chosen.randrange(60, 300))))

    def commit(self, state: State, edge: Edge) -> None:
        """Begin the next frame at random."""
        state.sent += edge.sent("output")
        state.draws += 1
        waits = state.presents and not edge.sent("output")
        state.presents = waits or random.Random(state.draws).random() < self.share


class RareFrameSource(FrameSource):
    """The same frames with long pauses."""

    share = _RARE_PERCENT / 100


class FrameSink(PythonModule):
    """Sink of frames in random cycles, with long pauses."""

    input = frames_in("The frames.")

    @dataclass
    class State:
        """Cycles until now, and the frames."""

        cycles: int = 0
        frames: list[tuple[int, bytes, bool]] = field(default_factory=list)

    def settle(self, state: State, outputs: Outputs) -> None:
        """Accept in two of three cycles of every second stretch."""
        accepts = state.cycles // _STRETCH % 2 == 0 and random.Random(state.cycles).random() < 0.67
        outputs.accept("input", accepts)

    def commit(self, state: State, edge: Edge) -> None:
        """Keep the received frames."""
        state.cycles += 1
        if (frame := edge.received("input")) is not None:
            state.frames.append((edge.cycle, frame.data, frame.is_intact))


def requested(number: int) -> Reference:
    """Return reference `number` of `Accesses`."""
    chosen = random.Random(number)
    writes = chosen.random() < 0.5
    return Reference(4 * chosen.randrange(16), 4, writes, chosen.getrandbits(32) if writes else 0)


class Accesses(PythonModule):
    """Random reads and writes of words."""

    port = memory_port("What is accessed.")
    share = 1.0
    """Probability that the next reference begins in a cycle."""

    @dataclass
    class State:
        """Number of references that have left, and the responses."""

        sent: int = 0
        presents: bool = True
        draws: int = 0
        responses: list[tuple[int, int, bool]] = field(default_factory=list)

    def settle(self, state: State, outputs: Outputs) -> None:
        """Present the next reference; accept each response."""
        if state.presents:
            outputs.present("port", requested(state.sent))
        outputs.accept("port")

    def commit(self, state: State, edge: Edge) -> None:
        """Keep the response."""
        state.sent += edge.sent("port")
        state.draws += 1
        waits = state.presents and not edge.sent("port")
        state.presents = waits or random.Random(state.draws).random() < self.share
        if (response := edge.received("port")) is not None:
            state.responses.append((edge.cycle, response.data, response.is_fault))


class RareAccesses(Accesses):
    """The same references with long pauses."""

    share = _RARE_PERCENT / 100


class Surrounded(Component):
    """A module with a source or a sink at each port."""

    def build(self) -> None:
        """Connect the module with its sources and sinks."""
        self.clock = Clock("core", MHz(100))
        make: Callable[[], Component] = vars(self)["_make"]
        is_rare: bool = vars(self)["_is_rare"]
        percent = _RARE_PERCENT if is_rare else _PERCENT
        self.module = make()
        self.around: list[Any] = []
        around = []
        for seed, (kind, port) in enumerate(_ports(self.module)):
            match kind:
                case "word_in":
                    part: Any = Sender(policy="index", percent=percent, seed=seed)
                    ends = (part, "output", port, True)
                case "word_out":
                    part = Receiver(percent=60, seed=seed)
                    ends = (part, "input", port, False)
                case "frame_in":
                    part = RareFrameSource() if is_rare else FrameSource()
                    ends = (part, "output", port, True)
                case "frame_out":
                    part = FrameSink()
                    ends = (part, "input", port, False)
                case "memory":
                    part = MultiportedMemory(size=KiB(64))
                    ends = (part, "port", port, False)
                case _:
                    part = RareAccesses() if is_rare else Accesses()
                    ends = (part, "port", port, True)
            around.append(ends)
        self.around = [part for part, *_ in around]
        for part, name, port, is_source in around:
            if is_source:
                getattr(part, name) >> port
            else:
                port >> getattr(part, name)


def _ports(module: Component) -> Iterator[tuple[str, Any]]:
    """Yield the kind and the port of each port of a module."""
    if isinstance(module, PythonModule):
        yield from ((port.kind, module.ports[port.name]) for port in module.declared_ports())
        return
    assert isinstance(module, Verilated)
    description = _native.block_description(module.library)
    for stream in description["streams"]:
        carried, direction = ("word", "frame")[stream["carries_frames"]], ("out", "in")[stream["is_input"]]
        yield f"{carried}_{direction}", module.ports[stream["name"]]
    for memory in description["memories"]:
        yield ("registers", "memory")[memory["is_initiator"]], module.ports[memory["name"]]


class CheckedBehaviour(Behaviour):
    """A behaviour whose `settle` must change nothing."""

    def settle(self) -> tuple[list[Any], list[bool], bool]:
        """Settle twice, and compare."""
        kind = type(self._module).__name__
        before = self.save()
        first, second = super().settle(), super().settle()
        if self.save() != before:
            raise SpinachError(f"settle of {kind} changes the state", "change it in commit")
        if first != second:
            message = f"settle of {kind} gives two results for one state"
            raise SpinachError(message, "use nothing but the state; keep random numbers and counts in it")
        state = msgspec.msgpack.encode(self._decoded(before))
        if state != before:
            raise SpinachError(f"the state of {kind} changes when it is saved", "use plain data in State")
        return first


def check(make: Callable[[], Component]) -> list[str]:
    """Check a module, made by `make`, and return what was checked.

    Raises:
        SpinachError: The module breaks the contract.
    """
    awake = _simulated(make, sleeps=False)
    _run(awake, CYCLES // 2)
    saved, early = awake.checkpoint(), _moved(awake)
    _run(awake, CYCLES // 2)
    # Restored modules are awake, so only without sleep is a difference one of the state.
    restored = _simulated(make, sleeps=False)
    restored.restore(saved)
    _run(restored, CYCLES // 2)
    if restored.checkpoint() != awake.checkpoint():
        message = "a simulation restored from a checkpoint continues differently"
        raise SpinachError(message, "keep everything that changes in the state")
    rare = _simulated(make, sleeps=False, is_rare=True)
    _run(rare, RARE_CYCLES)
    for reference, cycles, is_rare in ((awake, CYCLES, False), (rare, RARE_CYCLES, True)):
        sleeping = _simulated(make, is_rare=is_rare)
        _run(sleeping, cycles)
        if sleeping.checkpoint() != reference.checkpoint():
            help = "let is_idle, or the output idle, be true only if a transfer must come first"
            raise SpinachError("sleeping changes the results", help)
    received, sent = moved = _moved(awake)
    module = make()
    is_called = isinstance(module, PythonModule)
    if sent == 0 and received <= (0 if is_called else _HELD * _input_count(module)):
        raise SpinachError(f"nothing moves in {CYCLES} cycles", "accept or present something")
    transfers = amount(received + sent, "transfer")
    return [
        *(["settle changes nothing and depends on the state alone"] if is_called else []),
        "a checkpoint continues equally",
        "sleeping changes nothing",
        f"{transfers} in {CYCLES} cycles" + (", none in the second half" * (moved == early)),
    ]


def _moved(simulation: Simulation) -> tuple[int, int]:
    counts = simulation.statistics()
    return counts["module.block.received"], counts["module.block.sent"]


def _input_count(module: Component) -> int:
    return sum(kind in ("word_in", "frame_in", "registers") for kind, _ in _ports(module))


def _simulated(make: Callable[[], Component], *, sleeps: bool = True, is_rare: bool = False) -> Simulation:
    surrounded = Surrounded()
    vars(surrounded).update(_make=make, _is_rare=is_rare)
    module = surrounded.module
    if isinstance(module, PythonModule):
        vars(module.block)["_behaviour"] = partial(CheckedBehaviour, module)
    simulation = simulate(surrounded)
    simulation.set_sleeping(sleeps)
    return simulation


def _run(simulation: Simulation, cycles: int) -> None:
    outcome = simulation.run(cycles=cycles)
    if not outcome:
        raise SpinachError(f"the simulation {outcome}", "correct the module")


def checked_kinds(kinds: Iterable[type]) -> list[type[PythonModule]]:
    """Return the modules among some classes that can be checked: those without derived ones among them."""
    own = [kind for kind in kinds if issubclass(kind, PythonModule)]
    return [kind for kind in own if not any(other is not kind and issubclass(other, kind) for other in own)]
