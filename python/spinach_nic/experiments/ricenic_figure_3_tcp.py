"""RiceNIC, figure 3, with streams of TCP between two servers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._closed_loop import (
    NOTE,
    SHORTEST_WARM_UP_MS,
    WARM_UP_MS,
    WINDOWS,
    Carried,
    ClosedLoop,
    ClosedLoopExperiment,
)
from spinach_nic.experiments._ricenic import BASE, KEY, LINK_BITS_PER_S, MEASURED, draw, ricenic
from spinach_nic.experiments.ricenic_figure_3 import FULL, KNEES, LARGEST, PACKET_OVERHEAD, knee_of
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Extent,
    Point,
    Rows,
    at_least,
    at_most,
    figure_of,
    near,
    only,
    with_errors,
)
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import DIRECTIONS, Direction

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = (100, 200, 300, 500, 900, LARGEST)
STREAMS = 4


class TcpBySize(ClosedLoopExperiment):
    """The firmware `base` on one core, with acknowledgements the other way."""

    name = "ricenic-figure-3-tcp"
    summary = "RiceNIC: throughput of TCP by packet size, sending and receiving, between two servers"
    source = ricenic("figure 3, section 2.2")
    key = KEY
    measured = (
        *MEASURED,
        Column("idle", "idle", digits=3),
        Column("dropped", "dropped", digits=0),
    )
    notes = (
        f"Packets are small because the MTU is, as in the paper. {STREAMS} streams.",
        NOTE,
        "Idle is the fraction of time in which the processor looks for work without finding any, or waits.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Carried]]:
        """A run for each direction and size."""
        sizes = extent.some(SIZES, needed=(SIZES[0], LARGEST))
        windows = extent.frames(WINDOWS, least=2)
        warm_up = extent.frames(WARM_UP_MS, least=SHORTEST_WARM_UP_MS)
        return [
            Point(ClosedLoop(BASE, size, (way,), STREAMS, windows, warm_up), _measure(way, size))
            for way in DIRECTIONS
            for size in sizes
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 2.2."""

        def share(direction: Direction, size: int) -> Measured:
            return figure_of(only(rows, direction=direction, packet_bytes=size), "line_rate_fraction")

        shortest = {way: share(way, SIZES[0]) for way in DIRECTIONS}
        knees = {way: knee_of(only(rows, direction=way, packet_bytes=SIZES[0])) for way in DIRECTIONS}
        return [
            at_least("one core fills the link with the largest packets, sending", share("tx", LARGEST), FULL),
            at_least("and receiving", share("rx", LARGEST), FULL),
            at_most("small packets do not fill it, sending", shortest["tx"], FULL),
            near("the link binds from 500 bytes on, sending", knees["tx"], KNEES["tx"]),
            near("the link binds from 900 bytes on, receiving", knees["rx"], KNEES["rx"]),
            at_most("of small packets fewer are received than sent", shortest["rx"] / shortest["tx"], 1.0),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Plot as in the paper."""
        draw(figure, rows)


def _measure(direction: Direction, size: int) -> Callable[[Carried], Rows]:
    limit_mbps = LINK_BITS_PER_S * 1e-6 * size / (size + PACKET_OVERHEAD)

    def measure(carried: Carried) -> Rows:
        share = carried.line_rate_fraction[direction]
        return [
            {
                "firmware": BASE,
                "direction": direction,
                "packet_bytes": size,
                "idle": carried.idle,
                "dropped": carried.dropped,
                **with_errors(
                    wire_mbps=share * limit_mbps, limit_mbps=Measured(limit_mbps), line_rate_fraction=share
                ),
            }
        ]

    return measure
