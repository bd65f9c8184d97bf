"""Activity of a run between two moments: rates, queues, cores, memories, stalls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from spinach_nic.model.simulation import Statistics
from spinach_nic.runs import Progress
from spinach_nic.runs.tasks import CAUSES, HALTED
from spinach_nic.traffic import DIRECTIONS, FRAME_OVERHEAD_BYTES, Direction

_STALLS = ("refused_cycles", "full_cycles", "stalls", "waited", "refused", "held")
"""Counters of cycles in which a module made others wait; some count lanes too."""
MOST_STALLS = 6


@dataclass(frozen=True)
class DirectionView:
    """A direction."""

    wire_gbps: float
    line_rate_fraction: float
    frames_per_s: float
    delivered: int
    """Since the start."""
    queued: int
    """Frames inside the system at this moment."""
    dropped: int
    """Since the start."""


@dataclass(frozen=True)
class CoreView:
    """A core: the fractions of its cycles by cause."""

    ipc: float
    cycles: Mapping[str, float]


@dataclass(frozen=True)
class MemoryView:
    """A memory."""

    name: str
    gbps: float
    of_peak: float


@dataclass(frozen=True)
class StallView:
    """A module that made others wait."""

    module: str
    counter: str
    per_us: float
    """Cycles, or cycles times lanes, in each microsecond."""


@dataclass(frozen=True)
class View:
    """Displayed state of a run."""

    simulated_us: float
    fraction: float
    """Progress of the run, from 0 to 1."""
    span_us: float
    """Time span of rates and fractions."""
    directions: Mapping[Direction, DirectionView]
    cores: Sequence[CoreView]
    memories: Sequence[MemoryView]
    stalls: Sequence[StallView]
    """Modules, the most obstructive first."""


def view(before: Progress, now: Progress) -> View:
    """Return the activity of a run from one moment to a later one."""
    window = now.counters - before.counters
    return View(
        simulated_us=now.simulated.seconds * 1e6,
        fraction=now.fraction,
        span_us=window.time.seconds * 1e6,
        directions={way: _direction(way, before, now, window.time.seconds) for way in DIRECTIONS},
        cores=[_core(window, core.path) for core in now.probes.cores],
        memories=list(_memories(now, window)),
        stalls=_stalls(window),
    )


def _direction(way: Direction, before: Progress, now: Progress, seconds: float) -> DirectionView:
    then, counts = before.counts[way], now.counts[way]
    frames = counts.delivered - then.delivered
    bits = 8 * (counts.bytes - then.bytes + frames * FRAME_OVERHEAD_BYTES)
    link = now.probes.link_rate.bits_per_second
    # A backlog that is handed over at once was not carried at once.
    span = max(seconds, bits / link)
    rate = bits / span if span else 0.0
    return DirectionView(
        wire_gbps=rate / 1e9,
        line_rate_fraction=rate / link,
        frames_per_s=frames / span if span else 0.0,
        delivered=counts.delivered,
        queued=max(0, counts.in_flight),
        dropped=counts.dropped_frames,
    )


def _core(window: Statistics, path: str) -> CoreView:
    counted = {cause: window.of(path, cause) for cause in (*CAUSES, HALTED)}
    total = sum(counted.values()) or 1
    shares = {cause: cycles / total for cause, cycles in counted.items()}
    return CoreView(window.of(path, "instructions") / total, shares)


def _memories(now: Progress, window: Statistics) -> Iterator[MemoryView]:
    seconds = window.time.seconds
    for memory in now.probes.memories:
        moved = sum(window.of(it.module, it.counter) * it.bytes_each for it in memory.moved)
        rate = 8 * moved / seconds if seconds else 0.0
        peak = memory.peak.bits_per_second
        yield MemoryView(memory.name, rate / 1e9, rate / peak if peak else 0.0)


def _stalls(window: Statistics) -> list[StallView]:
    span = window.time.seconds * 1e6
    found = []
    for name, count in window.items():
        module, _, counter = name.rpartition(".")
        if count > 0 and counter in _STALLS and span:
            found.append(StallView(module, counter, count / span))
    return sorted(found, key=lambda it: (-it.per_us, it.module))[:MOST_STALLS]
