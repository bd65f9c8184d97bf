"""SINIC, figure 4: bandwidth with and without zero copy by the size of the second level of caches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._sinic import (
    BANDWIDTH,
    LINK_GBPS,
    NOTES,
    SATURATED,
    SINIC,
    V_SINIC,
    ZERO_COPY,
    ZERO_COPY_KEY,
    SinicExperiment,
    bandwidth_of,
    draw_bandwidth,
    quoted,
    sinic,
    sizes_of,
    zero_copy_points,
)
from spinach_nic.experiments.runner import Claim, Extent, Point, Rows, at_least, at_most, only
from spinach_nic.servers.measuring import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class ZeroCopyBandwidth(SinicExperiment):
    """Receiving one stream."""

    name = "sinic-figure-4"
    summary = "SINIC: bandwidth of receiving with and without zero copy by second level of caches"
    source = sinic("figure 4, section 6")
    key = ZERO_COPY_KEY
    measured = BANDWIDTH
    notes = (*NOTES, "The link is called saturated from 95 % of what it carries of the longest frames on.")

    def points(self, extent: Extent) -> Sequence[Point[Measured]]:
        """A run for each card and size of the second level of caches."""
        return zero_copy_points(extent, bandwidth_of)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the claims of the paper's text."""

        def gbps(card: str, second_level_mib: int) -> float:
            return quoted(only(rows, card=card, second_level_mib=second_level_mib), "received_gbps")

        sizes = sizes_of(rows)
        small, large = sizes[0], sizes[-1]
        return [
            *(
                at_least(
                    f"SINIC saturates the network with {size} MiB", gbps(SINIC, size) / LINK_GBPS, SATURATED
                )
                for size in sizes
                if size >= 4
            ),
            at_most(
                f"SINIC does not saturate it with {small} MiB", gbps(SINIC, small) / LINK_GBPS, SATURATED
            ),
            at_most(
                "V-SINIC without zero copy is slightly slower than SINIC",
                gbps(V_SINIC, large) / gbps(SINIC, large),
                1.0,
            ),
            *(
                at_least(
                    f"zero copy saturates it with {size} MiB", gbps(ZERO_COPY, size) / LINK_GBPS, SATURATED
                )
                for size in sizes
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Plot as in the paper."""
        draw_bandwidth(figure, rows, "second_level_mib", ("card",))
