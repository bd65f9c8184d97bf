"""RiceNIC, section 2.2: what the second processor could gain for small packets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spinach_nic.experiments._ricenic import BASE, KEY, MEASURED, SPLIT, both_ways, of_size, ricenic
from spinach_nic.experiments.runner import Claim, Experiment, Extent, Point, Rows, at_least, figure_of
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import DIRECTIONS

SIZES = (100, 300, 500, 900, 1500)


class SecondCore(Experiment):
    """Packets both ways, with one core at work and with two."""

    name = "ricenic-second-core"
    summary = "RiceNIC: throughput both ways by packet size with one core at work and with two"
    source = ricenic("section 2.2")
    key = KEY
    measured = MEASURED
    notes = (
        "The paper says that the second processor could be employed to increase throughput for smaller "
        "packets, without a figure.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each image and size."""
        sizes = extent.some(SIZES, needed=(SIZES[0],))
        return [self._point(extent, firmware, size) for firmware in (BASE, SPLIT) for size in sizes]

    def _point(self, extent: Extent, firmware: str, size: int) -> Point[Result]:
        return Point(both_ways(extent, size, firmware), _measure(firmware, size))

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the paper's expectations."""

        def carried(firmware: str) -> Measured:
            own = [row for row in rows if row["firmware"] == firmware and row["packet_bytes"] == SIZES[0]]
            return sum((figure_of(row, "wire_mbps") for row in own), Measured(0.0))

        gain = carried(SPLIT) / carried(BASE)
        return [
            at_least(
                "a second core carries more small packets both ways",
                gain,
                1.1,
                ours="the tenth within which published figures are met",
            )
        ]


def _measure(firmware: str, size: int) -> Callable[[Result], Rows]:
    def measure(result: Result) -> Rows:
        return [
            {
                "firmware": firmware,
                "direction": direction,
                "packet_bytes": size,
                **of_size(direction, size, result),
            }
            for direction in DIRECTIONS
        ]

    return measure
