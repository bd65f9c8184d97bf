"""SINIC, figure 3: bandwidth of larger programs by card and where it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from spinach_nic.experiments._servers import ServerExperiment
from spinach_nic.experiments._sinic import (
    BANDWIDTH,
    CACHE,
    INTEGRATED,
    KEY,
    MACRO,
    NOTES,
    PLACES,
    TODAY,
    at_least_in_all,
    bandwidth_of,
    case_of,
    cases,
    draw_bandwidth,
    published_workloads,
    sinic,
)
from spinach_nic.experiments.runner import FULL, Claim, Extent, Point, Rows, figure_of
from spinach_nic.runs.server_result import Measurement
from spinach_nic.support.measured import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class ProgramBandwidth(ServerExperiment):
    """A web server, and both ends of iSCSI."""

    name = "sinic-figure-3"
    summary = "SINIC: bandwidth of a web server and of iSCSI by card and where it is"
    source = sinic("figure 3, section 6")
    key = KEY
    measured = BANDWIDTH
    notes = (
        *NOTES,
        "The web server and its clients are ours, with the mix of requests of SPECweb99: neither Apache nor "
        "that benchmark. iSCSI is the kernel's initiator and target; the published target was another.",
        "Rows with today's settings follow those of the paper.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Measurement]]:
        """Return a run for each program, card and place; those on the die again with other settings."""
        places = PLACES if extent.largest_selection != 1 else (CACHE, INTEGRATED)
        chosen = cases(extent.some(MACRO, needed=("web",)), places)
        others = cases(MACRO, (CACHE, INTEGRATED)) if extent == FULL else []
        chosen += [replace(case, settings=TODAY) for case in others]
        return [case.point(extent, bandwidth_of) for case in chosen]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the claims of the paper's text."""

        def gbps(workload: str, where: tuple[str, str]) -> Measured:
            return figure_of(case_of(rows, workload, where), "gbps")

        ratios = [gbps(each, INTEGRATED) / gbps(each, CACHE) for each in published_workloads(rows)]
        return [
            at_least_in_all(
                "no program is slower with SINIC than with a conventional card at the same place", ratios, 1.0
            )
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Plot as in the paper."""
        own = [row for row in rows if row["settings"] != TODAY]
        draw_bandwidth(figure, own)
