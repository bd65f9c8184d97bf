"""Rosebud: cycles of one core with its packet mover for each packet, by size."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._papers import rosebud
from spinach_nic.experiments._rates import carried
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
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured

UDP_HEADERS = 42
"""Bytes of a frame besides the UDP payload, without check sequence."""
CORE_CLOCK_HZ = 250e6
FORWARDED = {
    64: 16.0,
    65: 17.0,
    80: 17.0,
    96: 18.0,
    112: 19.0,
    128: 20.0,
    256: 28.0,
    512: 44.0,
    1024: 76.0,
    1500: 106.0,
}
"""Cycles by packet size, without check sequence: measured on the published RTL."""
_PACKETS = 1500


class CyclesPerPacket(Experiment):
    """One core with packets always at hand and an output that never waits.

    A free slot gets a packet in the next cycle, as in the testbench of the RTL: an arriving packet and a
    departing one begin at an even distance then, and meet at a bank of the packet memory once.
    """

    name = "rosebud-rpu"
    summary = "Cycles for each packet that one core of Rosebud forwards, by size"
    source = rosebud("published RTL, commit c593d596")
    key = (Column("firmware", "firmware"), Column("packet_bytes", "packet, bytes"))
    measured = (Column("cycles", "cycles for each packet", digits=2),)
    published = tuple(
        {"firmware": "forward", "packet_bytes": size, "cycles": cycles} for size, cycles in FORWARDED.items()
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Packets as fast as the port carries them, by size."""
        sizes = extent.some(FORWARDED, needed=(64, 1500))
        return [_forwarding(extent, size) for size in sizes]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Rows of the table."""
        return [
            near(
                f"packets of {size} bytes take {FORWARDED[size]} cycles",
                number(row, "cycles"),
                FORWARDED[size],
                within=0.002,
            )
            for row in rows
            for size in [int(number(row, "packet_bytes"))]
        ]


def _forwarding(extent: Extent, size: int) -> Point[Result]:
    run = NicRun(
        nic="rosebud",
        traffic=f"udp:{size - UDP_HEADERS}:tx",
        frames=extent.frames(_PACKETS),
        firmware="forward",
        settings=(("rpus", "1"), ("switch_latency", "1")),
    )

    def measure(result: Result) -> Sequence[Row]:
        cycles = Measured(CORE_CLOCK_HZ) / carried(result, "tx", "frames_per_s")
        return [{"firmware": "forward", "packet_bytes": size, **with_errors(cycles=cycles)}]

    return Point(run, measure)
