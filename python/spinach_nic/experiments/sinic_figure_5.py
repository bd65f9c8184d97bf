"""SINIC, figure 5: misses with and without zero copy by the size of the second level of caches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._servers import ServerExperiment
from spinach_nic.experiments._sinic import (
    BANDWIDTH,
    CARD_QUEUE_KIB,
    NOTES,
    QUOTED_KIB,
    RECEIVER_NOTE,
    SINIC,
    USUAL_QUEUE_KIB,
    ZERO_COPY,
    ZERO_COPY_KEY,
    at_most_in_all,
    bandwidth_of,
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

HARDLY_ANY, HARDLY_ANY_REASON = 1.0, "one of the 16 blocks of a KB"
"""Misses per KB that are practically none."""


class ZeroCopyMisses(ServerExperiment):
    """The runs of figure 4."""

    name = "sinic-figure-5"
    summary = "SINIC: misses of the second level of caches with and without zero copy, by its size"
    source = sinic("figure 5, section 6")
    key = ZERO_COPY_KEY
    measured = BANDWIDTH
    notes = (*NOTES, RECEIVER_NOTE)

    def points(self, extent: Extent) -> Sequence[Point[Measurement]]:
        """Return a run for each card and size of the second level of caches."""
        return zero_copy_points(extent, bandwidth_of)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the claims of the paper's text."""
        sizes = sizes_of(rows)
        large = sizes[-1]

        def misses(card: str, size: int, queue_kib: int = USUAL_QUEUE_KIB) -> Measured:
            return figure_of(receiver_of(rows, card, size, queue_kib=queue_kib), "misses_per_kb")

        return [
            at_most(
                f"SINIC has practically no misses with {large} KiB",
                misses(SINIC, large),
                HARDLY_ANY,
                ours=HARDLY_ANY_REASON,
            ),
            at_least(
                f"SINIC has misses with {QUOTED_KIB} KiB",
                misses(SINIC, QUOTED_KIB),
                HARDLY_ANY,
                ours=HARDLY_ANY_REASON,
            ),
            at_most_in_all(
                f"zero copy has practically no misses with every cache, with queues of {CARD_QUEUE_KIB} KiB",
                [misses(ZERO_COPY, size, CARD_QUEUE_KIB) for size in sizes],
                HARDLY_ANY,
                ours=HARDLY_ANY_REASON,
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Plot as in the paper."""
        draw_lines(figure, rows, "misses_per_kb", "misses per KB")
