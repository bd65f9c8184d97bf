"""RiceNIC, figure 3: throughput by packet size, sending and receiving."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from spinach_nic.experiments._ricenic import (
    BASE,
    FULL,
    FULL_REASON,
    KEY,
    LINK_BITS_PER_S,
    MEASURED,
    draw,
    of_size,
    one_way,
    ricenic,
)
from spinach_nic.experiments.runner import (
    Claim,
    Experiment,
    Extent,
    Point,
    Row,
    Rows,
    at_least,
    at_most,
    figure_of,
    near,
    number,
    one_row,
    only,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import DIRECTIONS, Direction

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGEST = 1500
KNEES: dict[Direction, int] = {"tx": 500, "rx": 900}
"""Bytes of the packets from which on the link binds, as the paper says."""
SIZES = (100, 300, 400, 500, 700, 800, 900, 1100, LARGEST)
PACKET_OVERHEAD = 38
"""Bytes of a packet on the wire in addition to its own: of the frame, its preamble and the gap."""


class ThroughputBySize(Experiment):
    """The firmware `base` on one core, with checksums by the card."""

    name = "ricenic-figure-3"
    summary = "RiceNIC: throughput by packet size, sending and receiving"
    source = ricenic("figure 3, section 2.2")
    key = KEY
    measured = MEASURED
    notes = (
        "Latencies that no source gives are estimates and none is fitted: to move the knees to the published "
        "sizes, the on-chip memory alone would have to take microseconds.",
        "The paper sends TCP between two hosts; here packets of UDP go one way, unacknowledged.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each direction and size."""
        sizes = extent.some(SIZES, needed=(SIZES[0], LARGEST))
        return [self._point(extent, direction, size) for direction in DIRECTIONS for size in sizes]

    def _point(self, extent: Extent, direction: Direction, size: int) -> Point[Result]:
        run = one_way(extent, direction, size, BASE)
        measure = partial(of_size, direction, size)
        return one_row(run, measure, firmware=BASE, direction=direction, packet_bytes=size)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 2.2."""
        return claims_by_size(rows)

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Plot as in the paper."""
        draw(figure, rows)


def claims_by_size(rows: Rows) -> list[Claim]:
    """Return the statements of section 2.2 on rows by direction and size."""

    def share(direction: Direction, size: int) -> Measured:
        return figure_of(only(rows, direction=direction, packet_bytes=size), "line_rate_fraction")

    knees = {way: knee_of(only(rows, direction=way, packet_bytes=SIZES[0])) for way in DIRECTIONS}
    shortest = {way: share(way, SIZES[0]) for way in DIRECTIONS}
    return [
        at_least(
            "one core fills the link with the largest packets, sending",
            share("tx", LARGEST),
            FULL,
            ours=FULL_REASON,
        ),
        at_least("and receiving", share("rx", LARGEST), FULL, ours=FULL_REASON),
        at_most("small packets do not fill it, sending", shortest["tx"], FULL, ours=FULL_REASON),
        near("the link binds from 500 bytes on, sending", knees["tx"], KNEES["tx"]),
        near("the link binds from 900 bytes on, receiving", knees["rx"], KNEES["rx"]),
        at_most("of small packets fewer are received than sent", shortest["rx"] / shortest["tx"], 1.0),
    ]


def knee_of(row: Row) -> Measured:
    """Return the size from which the link would limit, by the rate of small packets."""
    packets_per_s = figure_of(row, "wire_mbps") * (1e6 / 8 / number(row, "packet_bytes"))
    return Measured(LINK_BITS_PER_S / 8) / packets_per_s - Measured(PACKET_OVERHEAD)
