"""Account of frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import compress
from operator import itemgetter

from msgspec import Struct

from spinach_nic import _native
from spinach_nic.benches.base import BenchProbes, FramePath
from spinach_nic.library import WireFaults
from spinach_nic.model.simulation import Statistics
from spinach_nic.runs.result import FrameCounts
from spinach_nic.support.errors import SpinachError
from spinach_nic.traffic import DIRECTIONS, Direction

_DROPPED = "dropped_"
_NO_ROOM = ("no_buffer", "no_room", "no_slot")
"""Reasons of drops for lack of room, besides those that end in `full`: a stuck card drops for them."""


class DirectionCounts(Struct, frozen=True, dict=True):
    """The frames of one direction at one moment."""

    offered: int
    delivered: int
    bytes: int
    payload_bytes: int
    corrupted: int
    reordered: int
    duplicated: int
    skipped: int
    doubled_on_wire: int
    reordered_on_wire: int
    last_delivery_fs: int
    dropped: Mapping[str, Mapping[str, int]]

    @cached_property
    def dropped_frames(self) -> int:
        """Return the number of frames dropped anywhere."""
        return sum(number for reasons in self.dropped.values() for number in reasons.values())

    @property
    def in_flight(self) -> int:
        """Return the number of offered or duplicated frames that are neither delivered nor dropped.

        It is negative if more frames arrived or were dropped.
        """
        doubled = max(0, self.doubled_on_wire - self.duplicated)
        return self.offered + doubled - self.delivered - self.corrupted - self.dropped_frames

    @property
    def added(self) -> int:
        """Return the number of frames that arrived or were dropped beyond those offered and copied."""
        return max(0, -self.in_flight) + max(0, self.duplicated - self.doubled_on_wire)

    @cached_property
    def refused(self) -> int:
        """Return the number of frames dropped for lack of room."""
        return sum(
            number
            for reasons in self.dropped.values()
            for reason, number in reasons.items()
            if reason.endswith("full") or reason in _NO_ROOM
        )

    @property
    def progress(self) -> int:
        """Return the number of frames that arrived, or were dropped for a reason other than lack of room."""
        return self.delivered + self.corrupted + self.dropped_frames - self.refused

    @property
    def lost(self) -> int:
        """Return the number of overtaken frames that neither arrived nor were dropped."""
        late = max(self.reordered, self.reordered_on_wire)
        return max(0, self.skipped - late - self.corrupted - self.dropped_frames)

    @property
    def wrong(self) -> dict[str, int]:
        """Return the numbers of frames that the NIC mishandled, by kind."""
        return {
            "corrupted": self.corrupted,
            "reordered": max(0, self.reordered - self.reordered_on_wire),
            "duplicated": max(0, self.duplicated - self.doubled_on_wire),
            "lost": self.lost,
        }


_OF_SINKS = (
    "delivered",
    "bytes",
    "payload_bytes",
    "corrupted",
    "reordered",
    "duplicated",
    "skipped",
    "last_delivery_fs",
)
"""Counters of a sink, which are fields of the counts too."""


class Accounts:
    """Reads the counters that a NIC names; they are looked up once."""

    def __init__(self, probes: BenchProbes) -> None:
        """Create the account of a NIC with these probes."""
        paths = probes.paths
        self._drops = drop_counters(probes)
        self._wires = {
            direction: [module.path for module in path.drops if isinstance(module, WireFaults)]
            for direction, path in paths.items()
        }
        self._names = {
            direction: [
                f"{path.source.path}.offered",
                *(f"{path.sink.path}.{name}" for name in _OF_SINKS),
                *(f"{wire}.duplicated" for wire in self._wires[direction]),
                *(f"{wire}.reordered" for wire in self._wires[direction]),
                *(name for _, _, name in self._drops[direction]),
            ]
            for direction, path in paths.items()
        }
        self._values: dict[Direction, Callable[[list[int]], tuple[int, ...]]] = {}
        """Functions that choose the values of these names."""

    def count(self, direction: Direction, counters: Statistics) -> DirectionCounts:
        """Return the frames of a direction."""
        if direction not in self._values:
            self._values[direction] = itemgetter(*counters.places_of(self._names[direction]))
        values = self._values[direction](counters.values_in_order)
        doubled = 1 + len(_OF_SINKS)
        late = doubled + len(self._wires[direction])
        drops = late + len(self._wires[direction])
        return DirectionCounts(
            offered=values[0],
            **dict(zip(_OF_SINKS, values[1:doubled], strict=True)),
            doubled_on_wire=sum(values[doubled:late]),
            reordered_on_wire=sum(values[late:drops]),
            dropped=_by_place(self._drops[direction], values[drops:]),
        )

    def counts(self, counters: Statistics) -> dict[Direction, DirectionCounts]:
        """Return the frames of both directions."""
        return {direction: self.count(direction, counters) for direction in DIRECTIONS}


def frame_counts(counts: Mapping[Direction, DirectionCounts]) -> FrameCounts:
    """Return the counts in the form of the result: by kind, then by direction."""
    return FrameCounts(
        offered={direction: counts[direction].offered for direction in DIRECTIONS},
        delivered={direction: counts[direction].delivered for direction in DIRECTIONS},
        dropped={direction: counts[direction].dropped for direction in DIRECTIONS},
        in_flight={direction: max(0, counts[direction].in_flight) for direction in DIRECTIONS},
        corrupted={direction: counts[direction].corrupted for direction in DIRECTIONS},
        reordered={direction: counts[direction].reordered for direction in DIRECTIONS},
        duplicated={direction: counts[direction].duplicated for direction in DIRECTIONS},
        copied={direction: counts[direction].doubled_on_wire for direction in DIRECTIONS},
        added={direction: counts[direction].added for direction in DIRECTIONS},
    )


def check_counters(probes: BenchProbes) -> None:
    """Check that the counters exist that the card names.

    Raises:
        SpinachError: A module has no such counter.
    """
    named = [(f"counters[{name!r}]", it.module, it.counter) for name, it in probes.counters.items()]
    for direction, path in (("tx", probes.tx), ("rx", probes.rx)):
        for reason, module, counter in path.all_discards:
            named.append((f"{direction}.discards[{reason!r}]", module, counter))
    for name, module, counter in named:
        if counter not in module.counters:
            message = f"{name} of the probes: {module.path} has no counter {counter!r}"
            raise SpinachError(message, _native.suggest(counter, list(module.counters)))


def dropped_frames(probes: BenchProbes, counters: Statistics) -> dict[Direction, dict[str, dict[str, int]]]:
    """Return the frames that were dropped, by direction, place and reason, without zeros."""
    return {
        way: _by_place(drops, [counters[name] for _, _, name in drops])
        for way, drops in drop_counters(probes).items()
    }


def _by_place(drops: Sequence[tuple[str, str, str]], numbers: Sequence[int]) -> dict[str, dict[str, int]]:
    dropped: dict[str, dict[str, int]] = {}
    for (place, reason, _), number in compress(zip(drops, numbers, strict=True), numbers):
        dropped.setdefault(place, {})[reason] = number
    return dropped


def drop_counters(probes: BenchProbes) -> dict[Direction, list[tuple[str, str, str]]]:
    """Return place, reason and name of each drop counter, by direction."""
    return {direction: _drop_counters(path) for direction, path in probes.paths.items()}


def _drop_counters(path: FramePath) -> list[tuple[str, str, str]]:
    drops = {
        (module.path, name.removeprefix(_DROPPED)): f"{module.path}.{name}"
        for module in path.drops
        for name in module.counters
        if name.startswith(_DROPPED)
    }
    for reason, module, counter in path.all_discards:
        drops[module.path, reason] = f"{module.path}.{counter}"
    return [(place, reason, name) for (place, reason), name in drops.items()]
