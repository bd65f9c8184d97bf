"""Activity of blocks in a run, from their counters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from spinach_nic.benches.base import BenchProbes
from spinach_nic.cards.base.card import ByteCounter
from spinach_nic.model.simulation import Simulation, Statistics
from spinach_nic.report.diagram.blocks import BlockDiagram
from spinach_nic.report.diagram.occupancy import Lanes, Measured, occupancy

_STALLS = ("refused_cycles", "full_cycles")
"""Counters of cycles in which a presented value was not taken."""
_LOST = ("instruction_miss", "load", "conflict", "pipeline")
"""Counters of cycles that a core lost."""


@dataclass(frozen=True)
class Activity:
    """Fractions of its cycles in which a block was busy and stalled."""

    busy: float
    stalled: float
    said: str
    """Activity as text."""


def activities(
    diagram: BlockDiagram, simulation: Simulation, probes: BenchProbes, window: Statistics
) -> dict[str, Activity]:
    """Return the activity of the blocks of a diagram between two moments, if they have counters.

    Cores are busy when they execute and stalled when they lose a cycle; memories are busy as far as they move
    what they can at most; what passes references and frames on as `occupancy` says; other modules as their
    counters `busy_cycles` say, and stalled when they refuse.
    """
    found: dict[str, list[tuple[float, float]]] = {}
    for path, shares in _modules(diagram, simulation, probes, window):
        found.setdefault(diagram.block_of.get(path, ""), []).append(shares)
    return {path: _mean(shares) for path, shares in found.items() if path in diagram.blocks}


def _mean(shares: Sequence[tuple[float, float]]) -> Activity:
    busy, stalled = (sum(one) / len(shares) for one in zip(*shares, strict=True))
    return Activity(busy, stalled, f"busy {busy:.0%}, stalled {stalled:.0%}")


def _modules(
    diagram: BlockDiagram, simulation: Simulation, probes: BenchProbes, window: Statistics
) -> Iterator[tuple[str, tuple[float, float]]]:
    seconds = window.time.seconds
    cores = {core.path for core in probes.cores}
    memories = {
        bank.path: _moved(memory.moved, window) / (memory.peak.bits_per_second * seconds)
        for memory in probes.memories
        if seconds and memory.peak.bits_per_second
        for bank in memory.banks
    }
    cycles = _cycles(simulation, window)
    lanes = Lanes(simulation)
    for path in cycles:
        counted = window.inside(path)
        if path in cores:
            total = sum(counted[cause] for cause in ("execution", *_LOST, "halted"))
            if total:
                lost = sum(counted[cause] for cause in _LOST)
                yield path, (counted["execution"] / total, lost / total)
        elif path in memories:
            yield path, (memories[path], _stalled(counted, cycles[path]))
        elif shares := occupancy(
            diagram.kind_of.get(path, ""),
            Measured(counted, cycles[path], seconds, probes.link_rate, *lanes.of(path)),
        ):
            yield path, shares
        elif "busy_cycles" in counted and cycles[path]:
            yield path, (counted["busy_cycles"] / cycles[path], _stalled(counted, cycles[path]))


def _moved(counters: Sequence[ByteCounter], window: Statistics) -> float:
    """Return the bits that have moved in a window."""
    counts = ((window.of(it.module, it.counter), it.bytes_each) for it in counters)
    return 8.0 * sum(count * bytes_each for count, bytes_each in counts)


def _stalled(counted: Mapping[str, int], cycles: float) -> float:
    return sum(counted.get(name, 0) for name in _STALLS) / cycles if cycles else 0.0


def _cycles(simulation: Simulation, window: Statistics) -> dict[str, float]:
    """Return the number of cycles of each module, of its first clock."""
    hertz = {name: numerator / denominator for name, numerator, denominator in simulation.native.domains()}
    seconds = window.time.seconds
    return {path: hertz[domains[0]] * seconds for path, domains in simulation.module_domains().items()}
