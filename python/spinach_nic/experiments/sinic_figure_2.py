"""SINIC, figure 2: what the processor does during streams, by card and where it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._servers import ServerExperiment
from spinach_nic.experiments._sinic import (
    BRIDGE,
    CACHE,
    KEY,
    MEMORY,
    MULTI,
    NOTES,
    SHARES,
    SINGLE,
    at_most_in_all,
    case_of,
    cases,
    draw_shares,
    published_workloads,
    shares_of,
    sinic,
)
from spinach_nic.experiments.runner import Claim, Extent, Point, Rows, figure_of
from spinach_nic.runs.server_result import Measurement
from spinach_nic.support.measured import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class StreamTime(ServerExperiment):
    """The runs of figure 1."""

    name = "sinic-figure-2"
    summary = "SINIC: processor time by category during TCP streams, by card and where it is"
    source = sinic("figure 2, section 6")
    key = KEY
    measured = SHARES
    notes = (*NOTES, "`other` is what the paper leaves out: system calls and the scheduler.")

    def points(self, extent: Extent) -> Sequence[Point[Measurement]]:
        """Return a run for each workload, card and place."""
        chosen = cases(extent.some((*SINGLE, *MULTI), needed=("maerts",)))
        return [case.point(extent, shares_of) for case in chosen]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the claims of the paper's text."""

        def ratios(where: tuple[str, str]) -> list[Measured]:
            def driver(workload: str, place: tuple[str, str]) -> Measured:
                return figure_of(case_of(rows, workload, place), "driver")

            return [driver(each, where) / driver(each, BRIDGE) for each in published_workloads(rows)]

        return [
            at_most_in_all(
                f"on the die, at the {where[1]}, the driver takes less of the time in all cases",
                ratios(where),
                1.0,
            )
            for where in (MEMORY, CACHE)
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Plot as in the paper."""
        draw_shares(figure, rows, ("workload", "card", "attachment"))
