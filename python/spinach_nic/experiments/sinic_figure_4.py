"""SINIC, figure 4: bandwidth with and without zero copy by the size of the second level of caches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._rates import ONE
from spinach_nic.experiments._servers import ServerExperiment
from spinach_nic.experiments._sinic import (
    BANDWIDTH,
    CARD_QUEUE_KIB,
    LINK_GBPS,
    NOTES,
    QUOTED_KIB,
    RECEIVER_NOTE,
    SATURATED,
    SATURATED_REASON,
    SINIC,
    USUAL_QUEUE_KIB,
    V_SINIC,
    ZERO_COPY,
    ZERO_COPY_KEY,
    at_least_in_all,
    at_most_in_all,
    bandwidth_of,
    draw_lines,
    receiver_of,
    sinic,
    sizes_of,
    zero_copy_points,
)
from spinach_nic.experiments.runner import Claim, Extent, Point, Rows, at_least, figure_of, near
from spinach_nic.runs.server_result import Measurement
from spinach_nic.support.measured import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_SATURATED_FROM_KIB = 4096
_REDUCTION, _REDUCED_GBPS, _GAIN, _SLIGHTLY = 0.4, 6.0, 1.5, 0.95


class ZeroCopyBandwidth(ServerExperiment):
    """Receiving eight streams."""

    name = "sinic-figure-4"
    summary = "SINIC: bandwidth of receiving with and without zero copy by second level of caches"
    source = sinic("figure 4, section 6")
    key = ZERO_COPY_KEY
    measured = BANDWIDTH
    notes = (*NOTES, RECEIVER_NOTE)

    def points(self, extent: Extent) -> Sequence[Point[Measurement]]:
        """Return a run for each card, clock, link, start and size of the second level of caches."""
        return zero_copy_points(extent, bandwidth_of)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the claims of the paper's text."""

        def gbps(card: str, size: int, queue_kib: int = USUAL_QUEUE_KIB) -> Measured:
            return figure_of(receiver_of(rows, card, size, queue_kib=queue_kib), "received_gbps")

        sizes = sizes_of(rows)
        small, large = sizes[0], sizes[-1]
        slower = [gbps(V_SINIC, size) / gbps(SINIC, size) for size in sizes]
        return [
            *(
                at_least(
                    f"SINIC saturates the network with {size} KiB",
                    gbps(SINIC, size) / LINK_GBPS,
                    SATURATED,
                    ours=SATURATED_REASON,
                )
                for size in sizes
                if size >= _SATURATED_FROM_KIB
            ),
            near(
                f"SINIC carries 40 % less with {QUOTED_KIB} KiB than with {large}",
                ONE - gbps(SINIC, QUOTED_KIB) / gbps(SINIC, large),
                _REDUCTION,
            ),
            near(
                f"SINIC carries 6 Gb/s with {QUOTED_KIB} KiB",
                gbps(SINIC, QUOTED_KIB),
                _REDUCED_GBPS,
            ),
            at_most_in_all("V-SINIC without zero copy is no faster than SINIC with any cache", slower, 1.0),
            at_least_in_all(
                "V-SINIC without zero copy is only slightly slower with every cache",
                slower,
                _SLIGHTLY,
                ours="slightly is a twentieth",
            ),
            at_least(
                f"zero copy carries 50 % more than SINIC with {small} KiB, both with queues of "
                f"{CARD_QUEUE_KIB} KiB",
                gbps(ZERO_COPY, small, CARD_QUEUE_KIB) / gbps(SINIC, small, CARD_QUEUE_KIB),
                _GAIN,
            ),
            at_least_in_all(
                f"zero copy saturates the network with every cache, with queues of {CARD_QUEUE_KIB} KiB",
                [gbps(ZERO_COPY, size, CARD_QUEUE_KIB) / LINK_GBPS for size in sizes],
                SATURATED,
                ours=SATURATED_REASON,
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Plot as in the paper."""
        draw_lines(figure, rows, "received_gbps", "received, Gb/s")
