"""RiceNIC, figure 3, with streams of TCP between two servers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from spinach_nic.experiments._closed_loop import NOTE, Carried, ClosedLoop, periods
from spinach_nic.experiments._ricenic import BASE, KEY, LINK_BITS_PER_S, MEASURED, draw, ricenic
from spinach_nic.experiments._servers import STALL, ServerExperiment, boots_of, quotable
from spinach_nic.experiments.ricenic_figure_3 import LARGEST, PACKET_OVERHEAD, claims_by_size
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Extent,
    Point,
    Row,
    Rows,
    one_row,
    with_errors,
)
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import DIRECTIONS, Direction

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = (100, 200, 300, 500, 900, LARGEST)
STREAMS = 4


class TcpBySize(ServerExperiment):
    """The firmware `base` on one core, with acknowledgements the other way."""

    name = "ricenic-figure-3-tcp"
    summary = "RiceNIC: throughput of TCP by packet size, sending and receiving, between two servers"
    source = ricenic("figure 3, section 2.2")
    key = KEY
    measured = (
        *MEASURED,
        Column("idle", "idle", digits=3),
        Column("dropped", "dropped", digits=0),
        STALL,
    )
    notes = (
        f"Packets are small because the MTU is, as in the paper. {STREAMS} streams.",
        NOTE,
        "Idle is the fraction of time in which the processor looks for work without finding any, or waits.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Carried]]:
        """Return a run for each direction and size."""
        sizes = extent.some(SIZES, needed=(SIZES[0], LARGEST))
        return [
            one_row(
                boots_of(ClosedLoop(BASE, size, (way,), STREAMS, *periods(extent)), extent),
                partial(_measure, way, size),
                firmware=BASE,
                direction=way,
                packet_bytes=size,
            )
            for way in DIRECTIONS
            for size in sizes
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 2.2."""
        return claims_by_size(rows)

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Plot as in the paper."""
        draw(figure, rows)


def _measure(direction: Direction, size: int, carried: Carried) -> Row:
    limit_mbps = LINK_BITS_PER_S * 1e-6 * size / (size + PACKET_OVERHEAD)
    share = carried.line_rate_fraction[direction]
    figures = {"wire_mbps": share * limit_mbps, "limit_mbps": Measured(limit_mbps)}
    row = {
        "idle": carried.idle,
        "dropped": carried.dropped,
        **with_errors(**figures, line_rate_fraction=share),
    }
    return quotable(carried, row)
