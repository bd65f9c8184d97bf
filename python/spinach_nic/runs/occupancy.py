"""Occupancy of modules that forward references or frames, from their counters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from spinach_nic.model.simulation import Simulation
from spinach_nic.support.units import Rate

_GAP_AND_PREAMBLE_BYTES = 20
_CHECK_SEQUENCE_BYTES = 4
STALLS = ("refused_cycles", "full_cycles")
"""Counters of cycles in which a presented value was not taken."""


@dataclass(frozen=True)
class Place:
    """Place of a module in a system."""

    kind: str
    """The library's name of its kind."""
    hertz: float
    """Frequency of its first clock."""
    link_rate: Rate
    """Rate of the NIC's link, in each direction."""
    requests_in: int
    """Lanes for its incoming references."""
    requests_out: int
    """Lanes for its outgoing references."""


@dataclass(frozen=True)
class Occupancy:
    """Time that each count of a module's counters stands for, in seconds, by the name of the counter."""

    busy: Mapping[str, float]
    """Counters of what keeps it busy."""
    stalled: Mapping[str, float] = field(default_factory=dict)
    """Counters of its making others wait."""

    def shares(self, counted: Mapping[str, int], seconds: float) -> tuple[float, float]:
        """Return the fractions of a time in which the module was busy and in which it made others wait."""
        busy, stalled = (
            sum(counted[name] * each for name, each in times.items()) / seconds
            for times in (self.busy, self.stalled)
        )
        return busy, stalled


class Lanes:
    """Number of reference channels to and from each module."""

    def __init__(self, simulation: Simulation) -> None:
        """Count the channels of a system."""
        references = [
            (source, sink) for source, sink, carried in simulation.connections() if carried == "reference"
        ]
        self._from = Counter(source for source, _ in references)
        self._to = Counter(sink for _, sink in references)

    def of(self, path: str) -> tuple[int, int]:
        """Return the numbers of channels to and from the module at `path`."""
        return self._to[path], self._from[path]


def occupancy(place: Place, counters: Collection[str]) -> Occupancy | None:
    """Return the meaning of the counters of a module; nothing if they do not say how busy it is."""
    rule = _RULES.get(place.kind)
    if rule is not None:
        return rule(place)
    if "busy_cycles" not in counters:
        return None
    cycle = 1 / place.hertz
    return Occupancy({"busy_cycles": cycle}, {name: cycle for name in STALLS if name in counters})


def _crossbar(at: Place) -> Occupancy:
    """Each of its targets takes one reference in a cycle."""
    return Occupancy(
        {"references": 1 / (at.hertz * max(at.requests_out, 1))},
        {"conflict_cycles": 1 / (at.hertz * max(at.requests_in, 1))},
    )


def _arbiter(at: Place) -> Occupancy:
    """It passes one request in a cycle."""
    return Occupancy({"grants": 1 / at.hertz}, {"waited": 1 / (at.hertz * max(at.requests_in, 1))})


def _local_bus(at: Place) -> Occupancy:
    """It has two paths, and does not count the waits that it causes."""
    return Occupancy(dict.fromkeys(("read_cycles", "write_cycles"), 1 / (2 * at.hertz)))


def _frames(overhead: int, held: str = "") -> Callable[[Place], Occupancy]:
    """Return the measure of a link side with `overhead` uncounted bytes per frame."""

    def rule(at: Place) -> Occupancy:
        byte = 8 / at.link_rate.bits_per_second
        return Occupancy({"bytes": byte, "frames": overhead * byte}, {held: 1 / at.hertz} if held else {})

    return rule


_WITHOUT_CHECK_SEQUENCE = _frames(_GAP_AND_PREAMBLE_BYTES + _CHECK_SEQUENCE_BYTES)
_RULES: Mapping[str, Callable[[Place], Occupancy]] = {
    "crossbar": _crossbar,
    "arbiter": _arbiter,
    "local_bus": _local_bus,
    "link": _frames(_GAP_AND_PREAMBLE_BYTES, held="held"),
    "mac_transmit_assist": _WITHOUT_CHECK_SEQUENCE,
    "mac_receive_assist": _WITHOUT_CHECK_SEQUENCE,
    "queue_transmit": _WITHOUT_CHECK_SEQUENCE,
    "queue_receive": _WITHOUT_CHECK_SEQUENCE,
    "ring_transmit": _WITHOUT_CHECK_SEQUENCE,
    "ring_receive": _frames(_GAP_AND_PREAMBLE_BYTES),
}
