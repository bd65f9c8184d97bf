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


class Latency(Experiment):
    """Packets from one port, far enough apart that each finds the core idle."""

    name = "rosebud-latency"
    summary = "Time of a packet through Rosebud with an idle core, by packet size"
    source = rosebud("published RTL, commit c593d596")
    key = (Column("packet_bytes", "packet, bytes"),)
    measured = (
        Column("median_ns", "median, ns", digits=0),
        Column("largest_ns", "largest, ns", digits=0),
        Column("growth_ns", "beyond 64 bytes, ns", digits=0),
    )
    notes = (
        "The time is that from port to port, with MACs, FIFOs and switches, whose cycles were not counted on "
        "the RTL. What a longer packet takes more follows from widths alone.",
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
            return [
                {"packet_bytes": size, "median_ns": latency.p50, "largest_ns": latency.max, "growth_ns": 0.0}
            ]

        return Point(run, measure)

    def finish(self, rows: Rows) -> Rows:
        """Add what each packet takes longer than the smallest."""
        least = number(only(rows, packet_bytes=SIZES[0]), "median_ns")
        return [{**row, "growth_ns": number(row, "median_ns") - least} for row in rows]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Two cycles for each 16 bytes at the core, as measured on the RTL, and the way there and back."""
        return [
            near(
                f"a packet of {size} bytes takes longer by its words: two cycles each at the core, one for "
                "each 64 bytes behind it, and both wires",
                number(only(rows, packet_bytes=size), "growth_ns"),
                _growth_ns(size),
                within=0.05,
            )
            for size in SIZES[1:]
        ]


def _growth_ns(size: int) -> float:
    def words(word_bytes: int) -> int:
        return -(-size // word_bytes) - -(-SIZES[0] // word_bytes)

    cycles = 2 * words(WORD_BYTES) + words(WIDE_WORD_BYTES)
    wires = 2 * 8 * (size - SIZES[0]) / PORT_BITS_PER_S
    return (cycles / CORE_CLOCK_HZ + wires) / NANOSECOND
