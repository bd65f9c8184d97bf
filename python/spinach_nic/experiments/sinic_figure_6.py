"""SINIC, figure 6: what the processor does with and without zero copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._servers import ServerExperiment
from spinach_nic.experiments._sinic import (
    BACKLOG,
    CARD_QUEUE_KIB,
    FIGURE_CLOCK_GHZ,
    FIGURE_LINK_GBPS,
    NOTES,
    RECEIVER_NOTE,
    SHARES,
    SINIC,
    ZERO_COPY,
    ZERO_COPY_KEY,
    draw_shares,
    receiver_of,
    shares_of,
    sinic,
    sizes_of,
    zero_copy_points,
)
from spinach_nic.experiments.runner import Claim, Extent, Point, Rows, at_least, at_most, figure_of
from spinach_nic.runs.server_result import Measurement
from spinach_nic.support.measured import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DRAMATICALLY = 0.5


class ZeroCopyTime(ServerExperiment):
    """The runs of figure 4."""

    name = "sinic-figure-6"
    summary = "SINIC: processor time by category with and without zero copy, by second level of caches"
    source = sinic("figure 6, section 6")
    key = ZERO_COPY_KEY
    measured = SHARES
    notes = (
        *NOTES,
        RECEIVER_NOTE,
        "Setting up and awaiting the copy engine for a user is among `copy`, as in the paper; `other` is "
        "what the paper leaves out.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Measurement]]:
        """Return a run for each card and size of the second level of caches."""
        return zero_copy_points(extent, shares_of)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the claims of the paper's text."""
        small = sizes_of(rows)[0]

        def share(card: str, category: str) -> Measured:
            return figure_of(receiver_of(rows, card, small, queue_kib=CARD_QUEUE_KIB), category)

        both = f"with {small} KiB, both with queues of {CARD_QUEUE_KIB} KiB"
        return [
            at_most(
                f"zero copy takes dramatically less of the time for copies than SINIC {both}",
                share(ZERO_COPY, "copy") / share(SINIC, "copy"),
                _DRAMATICALLY,
                ours="dramatically is a half",
            ),
            at_least(
                f"zero copy leaves more of the time to the stack than SINIC {both}",
                share(ZERO_COPY, "stack") / share(SINIC, "stack"),
                1.0,
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Plot as in the paper: its clock and link."""
        own = [
            row
            for row in rows
            if (row["clock_ghz"], row["link_gbps"], row["start"])
            == (FIGURE_CLOCK_GHZ, FIGURE_LINK_GBPS, BACKLOG)
            and (row["card"] == ZERO_COPY) == (row["queue_kib"] == CARD_QUEUE_KIB)
        ]
        draw_shares(figure, own, ("card", "second_level_kib"))
