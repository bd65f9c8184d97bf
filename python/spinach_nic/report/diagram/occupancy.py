"""Occupancy of modules that forward references or frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from spinach_nic.model.simulation import Simulation
from spinach_nic.support.units import Rate

_GAP_AND_PREAMBLE_BYTES = 20
_CHECK_SEQUENCE_BYTES = 4


@dataclass(frozen=True)
class Measured:
    """Measurements of a module in a window."""

    counted: Mapping[str, int]
    """Its counters."""
    cycles: float
    """Cycles of its first clock."""
    seconds: float
    link_rate: Rate
    """Rate of the NIC's link, in each direction."""
    requests_in: int
    """Lanes for its incoming references."""
    requests_out: int
    """Lanes for its outgoing references."""


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


def occupancy(kind: str, measured: Measured) -> tuple[float, float] | None:
    """Return the fractions of the time in which a module was busy and in which it made others wait.

    Args:
        kind: The library's name of its kind.
        measured: Measured statistics of the module.

    Returns:
        Nothing for kinds that pass nothing on, and if no time passed.
    """
    rule = _RULES.get(kind)
    if rule is None or not measured.cycles or not measured.seconds:
        return None
    return rule(measured)


def _crossbar(of: Measured) -> tuple[float, float]:
    """Each of its targets takes one reference in a cycle."""
    references, refused = of.counted["references"], of.counted["conflict_cycles"]
    return (
        references / (of.cycles * max(of.requests_out, 1)),
        refused / (of.cycles * max(of.requests_in, 1)),
    )


def _arbiter(of: Measured) -> tuple[float, float]:
    """It passes one request in a cycle."""
    return of.counted["grants"] / of.cycles, of.counted["waited"] / (of.cycles * max(of.requests_in, 1))


def _local_bus(of: Measured) -> tuple[float, float]:
    """It has two paths, and does not count the waits that it causes."""
    return (of.counted["read_cycles"] + of.counted["write_cycles"]) / (2 * of.cycles), 0.0


def _frames(overhead: int, held: str = "") -> Callable[[Measured], tuple[float, float]]:
    """Return the measure of a link side with `overhead` uncounted bytes per frame."""

    def rule(of: Measured) -> tuple[float, float]:
        moved = 8 * (of.counted["bytes"] + overhead * of.counted["frames"])
        busy = moved / (of.link_rate.bits_per_second * of.seconds)
        return busy, of.counted[held] / of.cycles if held else 0.0

    return rule


_WITHOUT_CHECK_SEQUENCE = _frames(_GAP_AND_PREAMBLE_BYTES + _CHECK_SEQUENCE_BYTES)
_RULES: Mapping[str, Callable[[Measured], tuple[float, float]]] = {
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
