"""Activity of blocks in a run, from their counters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spinach_nic.benches.base import BenchProbes
from spinach_nic.cards.base.card import ByteCounter
from spinach_nic.model.simulation import Simulation, Statistics
from spinach_nic.report.diagram.blocks import BlockDiagram
from spinach_nic.runs.occupancy import STALLS, Lanes, Place, occupancy

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
    hertz = simulation.clock_rates()
    lanes = Lanes(simulation)
    for path, rate in hertz.items():
        counted = window.inside(path)
        if path in cores:
            total = sum(counted[cause] for cause in ("execution", *_LOST, "halted"))
            if total:
                lost = sum(counted[cause] for cause in _LOST)
                yield path, (counted["execution"] / total, lost / total)
        elif path in memories:
            stalls = sum(counted.get(name, 0) for name in STALLS)
            yield path, (memories[path], stalls / (rate * seconds))
        elif seconds:
            place = Place(diagram.kind_of.get(path, ""), rate, probes.link_rate, *lanes.of(path))
            if measured := occupancy(place, counted):
                yield path, measured.shares(counted, seconds)


def _moved(counters: Sequence[ByteCounter], window: Statistics) -> float:
    """Return the bits that have moved in a window."""
    counts = ((window.of(it.module, it.counter), it.bytes_each) for it in counters)
    return 8.0 * sum(count * bytes_each for count, bytes_each in counts)
