"""SINIC, figure 4: bandwidth with and without zero copy by the size of the second level of caches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._servers import ServerExperiment
from spinach_nic.experiments._sinic import (
    BANDWIDTH,
    CARD_QUEUE_KIB,
    DRAINED,
    LINK_GBPS,
    NOTES,
    QUOTED_KIB,
    RECEIVER_NOTE,
    SATURATED,
    SINIC,
    V_SINIC,
    ZERO_COPY,
    ZERO_COPY_KEY,
    bandwidth_of,
    clocks_of,
    draw_lines,
    receiver_of,
    sinic,
    sizes_of,
    zero_copy_points,
)
from spinach_nic.experiments.runner import Claim, Extent, Point, Rows, at_least, at_most, figure_of, number
from spinach_nic.runs.server_result import Measurement
from spinach_nic.support.measured import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_SATURATED_FROM_KIB = 4096
_REDUCED, _GAIN, _SLIGHTLY = 0.7, 1.5, 0.95


class ZeroCopyBandwidth(ServerExperiment):
    """Receiving eight streams."""

    name = "sinic-figure-4"
    summary = "SINIC: bandwidth of receiving with and without zero copy by second level of caches"
    source = sinic("figure 4, section 6")
    key = ZERO_COPY_KEY
    measured = BANDWIDTH
    notes = (
        *NOTES,
        RECEIVER_NOTE,
        "The link is called saturated from 95 % of what it carries of the longest frames on.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Measurement]]:
        """Return a run for each card, clock, link, start and size of the second level of caches."""
        return zero_copy_points(extent, bandwidth_of)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the claims of the paper's text, at each clock."""
        return [claim for clock in clocks_of(rows) for claim in self._claims(rows, clock)] + [
            at_most(
                f"it matters how SINIC begins: at 2 GHz with {size} KiB a backlog makes it slower by 5 %",
                self._gbps(rows, SINIC, size, 2)
                / figure_of(
                    receiver_of(rows, SINIC, size, clock_ghz=2, start=DRAINED),
                    "received_gbps",
                ),
                0.95,
            )
            for size in sizes_of(rows)
            if size == QUOTED_KIB and any(row["start"] == DRAINED for row in rows)
        ]

    @staticmethod
    def _gbps(rows: Rows, card: str, size: int, clock: int, link: int = 10) -> Measured:
        row = receiver_of(rows, card, size, clock_ghz=clock, link_gbps=link)
        return figure_of(row, "received_gbps")

    def _claims(self, rows: Rows, clock: int) -> list[Claim]:
        def gbps(card: str, size: int, link: int = 10) -> Measured:
            return self._gbps(rows, card, size, clock, link)

        sizes = sizes_of(rows)
        small, large = sizes[0], sizes[-1]
        links = sorted(
            {int(number(row, "link_gbps")) for row in rows if int(number(row, "clock_ghz")) == clock}
        )
        at = f"at {clock} GHz"
        return [
            *(
                at_least(
                    f"{at} SINIC saturates the network with {size} KiB",
                    gbps(SINIC, size) / LINK_GBPS,
                    SATURATED,
                )
                for size in sizes
                if size >= _SATURATED_FROM_KIB
            ),
            at_most(
                f"{at} SINIC carries at most 70 % with {QUOTED_KIB} KiB of what it carries with {large}",
                gbps(SINIC, QUOTED_KIB) / gbps(SINIC, large),
                _REDUCED,
            ),
            *(
                claim
                for size in (QUOTED_KIB, large)
                for claim in (
                    at_most(
                        f"{at} V-SINIC without zero copy is no faster than SINIC with {size} KiB",
                        gbps(V_SINIC, size) / gbps(SINIC, size),
                        1.0,
                    ),
                    at_least(
                        f"{at} V-SINIC without zero copy is slower by at most 5 % with {size} KiB",
                        gbps(V_SINIC, size) / gbps(SINIC, size),
                        _SLIGHTLY,
                    ),
                )
            ),
            *(
                at_least(
                    f"{at} zero copy carries 50 % more than SINIC with {small} KiB on {link} Gb/s",
                    gbps(ZERO_COPY, small, link) / gbps(SINIC, small, link),
                    _GAIN,
                )
                for link in links
            ),
            *(
                at_least(
                    f"{at} zero copy carries more than SINIC with equal queues, {small} KiB, {link} Gb/s",
                    gbps(ZERO_COPY, small, link)
                    / figure_of(
                        receiver_of(
                            rows, SINIC, small, clock_ghz=clock, link_gbps=link, queue_kib=CARD_QUEUE_KIB
                        ),
                        "received_gbps",
                    ),
                    1.0,
                )
                for link in links
            ),
            *(
                at_least(
                    f"{at} zero copy saturates the network with {size} KiB",
                    gbps(ZERO_COPY, size) / LINK_GBPS,
                    SATURATED,
                )
                for size in (small, QUOTED_KIB, large)
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Plot as in the paper."""
        draw_lines(figure, rows, "received_gbps", "received, Gb/s")
