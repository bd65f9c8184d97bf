"""Rosebud: time of a packet through the card, by packet size, with one core that has nothing else to do."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._papers import rosebud
from spinach_nic.experiments._rosebud import CORE_CLOCK_HZ, PORT_BITS_PER_S, WORD_BYTES
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    NicRun,
    Point,
    Row,
    Rows,
    near,
    number,
    only,
)
from spinach_nic.runs.result import Result
from spinach_nic.traffic import UDP_HEADER_BYTES

SIZES = (64, 256, 512, 1024, 1500)
WIDE_WORD_BYTES = 64
NANOSECOND = 1e-9
_PACKETS = 250


FIXED_CYCLES = 97
"""From the last word at one MAC to the first at the other, besides two for each word of either width: counted
on the published RTL with 8 cores, at the mean phase of the polling loop."""


def _expected_ns(size: int) -> float:
    """Return the time from port to port by the cycles of the RTL."""
    cycles = FIXED_CYCLES + 2 * sum(-(-size // width) for width in (WORD_BYTES, WIDE_WORD_BYTES))
    wires = 2 * 8 * size / PORT_BITS_PER_S
    return (cycles / CORE_CLOCK_HZ + wires) / NANOSECOND


class Latency(Experiment):
    """Packets from one port, far enough apart that each finds the core idle."""

    name = "rosebud-latency"
    summary = "Time of a packet through Rosebud with an idle core, by packet size"
    source = rosebud("published RTL, commit c593d596")
    key = (Column("packet_bytes", "packet, bytes"),)
    measured = (
        Column("median_ns", "median, ns", digits=0),
        Column("largest_ns", "largest, ns", digits=0),
    )
    published = tuple({"packet_bytes": size, "median_ns": round(_expected_ns(size))} for size in SIZES)
    notes = (
        "The time is that from port to port. That of the RTL, next to it, is not published as such: it has "
        "the cycles that were counted in a simulation, and both wires. Medians are known to 3 %.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Packets at 487,000 a second, which meet the polling loop at every phase."""
        return [self._point(extent, size) for size in extent.some(SIZES, needed=SIZES)]

    def _point(self, extent: Extent, size: int) -> Point[Result]:
        run = NicRun(
            nic="rosebud",
            traffic=f"udp:{size - UDP_HEADER_BYTES}:tx@487kpps",
            frames=extent.frames(_PACKETS),
            firmware="forward",
            settings=(("rpus", "1"),),
        )

        def measure(result: Result) -> Sequence[Row]:
            latency = result.tx.latency_ns
            assert latency is not None
            return [{"packet_bytes": size, "median_ns": latency.p50, "largest_ns": latency.max}]

        return Point(run, measure)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Cycles of the RTL from port to port."""
        return [
            near(
                f"a packet of {size} bytes takes the cycles of the RTL from port to port, and both wires",
                number(only(rows, packet_bytes=size), "median_ns"),
                _expected_ns(size),
                within=0.05,
            )
            for size in SIZES
        ]
