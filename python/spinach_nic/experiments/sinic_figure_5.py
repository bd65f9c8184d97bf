"""SINIC, figure 5: misses with and without zero copy by the size of the second level of caches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._sinic import (
    BANDWIDTH,
    NOTES,
    SINIC,
    ZERO_COPY,
    ZERO_COPY_KEY,
    SinicExperiment,
    bandwidth_of,
    draw_lines,
    quoted,
    sinic,
    sizes_of,
    zero_copy_points,
)
from spinach_nic.experiments.runner import Claim, Extent, Point, Rows, at_least, at_most, only
from spinach_nic.servers.measuring import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HARDLY_ANY = 1.0
"""Misses per KB: one of each sixteen blocks."""


class ZeroCopyMisses(SinicExperiment):
    """The runs of figure 4."""

    name = "sinic-figure-5"
    summary = "SINIC: misses of the second level of caches with and without zero copy, by its size"
    source = sinic("figure 5, section 6")
    key = ZERO_COPY_KEY
    measured = BANDWIDTH
    notes = (
        *NOTES,
        "A KB has 16 blocks of the cache; at most one miss in it is called practically none.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Measured]]:
        """A run for each card and size of the second level of caches."""
        return zero_copy_points(extent, bandwidth_of)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the claims of the paper's text."""

        def misses(card: str, second_level_mib: int) -> float:
            return quoted(only(rows, card=card, second_level_mib=second_level_mib), "misses_per_kb")

        sizes = sizes_of(rows)
        small, large = sizes[0], sizes[-1]
        return [
            at_most(f"SINIC has practically no misses with {large} MiB", misses(SINIC, large), HARDLY_ANY),
            at_least(f"SINIC has misses with {small} MiB", misses(SINIC, small), HARDLY_ANY),
            *(
                at_most(
                    f"zero copy has practically no misses with {size} MiB",
                    misses(ZERO_COPY, size),
                    HARDLY_ANY,
                )
                for size in sizes
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Plot as in the paper."""
        draw_lines(figure, rows, "misses_per_kb", "misses per KB")
