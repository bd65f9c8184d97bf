"""SINIC, figure 5: misses with and without zero copy by the size of the second level of caches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._servers import ServerExperiment
from spinach_nic.experiments._sinic import (
    BANDWIDTH,
    NOTES,
    QUOTED_KIB,
    RECEIVER_NOTE,
    SINIC,
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
from spinach_nic.experiments.runner import Claim, Extent, Point, Rows, at_least, at_most, figure_of
from spinach_nic.runs.server_result import Measurement
from spinach_nic.support.measured import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HARDLY_ANY = 1.0
"""Misses per KB: one of each sixteen blocks."""


class ZeroCopyMisses(ServerExperiment):
    """The runs of figure 4."""

    name = "sinic-figure-5"
    summary = "SINIC: misses of the second level of caches with and without zero copy, by its size"
    source = sinic("figure 5, section 6")
    key = ZERO_COPY_KEY
    measured = BANDWIDTH
    notes = (
        *NOTES,
        RECEIVER_NOTE,
        "A KB has 16 blocks of the cache; at most one miss in it is called practically none.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Measurement]]:
        """Return a run for each card and size of the second level of caches."""
        return zero_copy_points(extent, bandwidth_of)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the claims of the paper's text."""
        sizes = sizes_of(rows)
        large = sizes[-1]

        def misses(card: str, size: int, clock: int) -> Measured:
            return figure_of(receiver_of(rows, card, size, clock_ghz=clock), "misses_per_kb")

        return [
            claim
            for clock in clocks_of(rows)
            for claim in (
                at_most(
                    f"at {clock} GHz SINIC has practically no misses with {large} KiB",
                    misses(SINIC, large, clock),
                    HARDLY_ANY,
                ),
                at_least(
                    f"at {clock} GHz SINIC has misses with {QUOTED_KIB} KiB",
                    misses(SINIC, QUOTED_KIB, clock),
                    HARDLY_ANY,
                ),
                *(
                    at_most(
                        f"at {clock} GHz zero copy has practically no misses with {size} KiB",
                        misses(ZERO_COPY, size, clock),
                        HARDLY_ANY,
                    )
                    for size in (sizes[0], QUOTED_KIB, large)
                ),
            )
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Plot as in the paper."""
        draw_lines(figure, rows, "misses_per_kb", "misses per KB")
