"""SINIC, figure 1: bandwidth of TCP streams by network interface card and where it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from spinach_nic.experiments._servers import ServerExperiment
from spinach_nic.experiments._sinic import (
    BANDWIDTH,
    BRIDGE,
    CACHE,
    INTEGRATED,
    KEY,
    MEMORY,
    MULTI,
    NOTES,
    SINGLE,
    TODAY,
    at_least_in_all,
    bandwidth_of,
    case_of,
    cases,
    draw_bandwidth,
    published_workloads,
    sinic,
)
from spinach_nic.experiments.runner import Claim, Extent, Point, Rows, figure_of
from spinach_nic.runs.server_result import Measurement
from spinach_nic.support.measured import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_GAIN = 1.6


class StreamBandwidth(ServerExperiment):
    """Stream bandwidth of a timed server, with each card at each attachment point."""

    name = "sinic-figure-1"
    summary = "SINIC: bandwidth of TCP streams by network interface card and where it is"
    source = sinic("figure 1, section 6")
    key = KEY
    measured = BANDWIDTH
    notes = (*NOTES, "The paper's figure is at 4 GHz; rows at 2 GHz and with today's settings follow.")

    def points(self, extent: Extent) -> Sequence[Point[Measurement]]:
        """Return a run for each workload, card and place, some also with another clock or other settings."""
        chosen = cases(extent.some((*SINGLE, *MULTI), needed=("maerts",)))
        others = cases(SINGLE, (BRIDGE, CACHE, INTEGRATED)) if extent.largest_selection != 1 else []
        chosen += [replace(case, clock_ghz=2) for case in others]
        chosen += [replace(case, settings=TODAY) for case in others]
        return [case.point(extent, bandwidth_of) for case in chosen]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the claims of the paper's text."""

        def gains(over: tuple[str, str], under: tuple[str, str]) -> list[Measured]:
            def gbps(workload: str, where: tuple[str, str]) -> Measured:
                return figure_of(case_of(rows, workload, where), "gbps")

            return [gbps(each, over) / gbps(each, under) for each in published_workloads(rows)]

        return [
            at_least_in_all(
                "a conventional card on the die, at memory, carries 60 % more in all cases",
                gains(MEMORY, BRIDGE),
                _GAIN,
            ),
            at_least_in_all(
                "a conventional card on the die, at the cache, carries 60 % more in all cases",
                gains(CACHE, BRIDGE),
                _GAIN,
            ),
            at_least_in_all(
                "SINIC carries more than a conventional card at the same place", gains(INTEGRATED, CACHE), 1.0
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Bars, one for each card and place, grouped by workload: those of the paper."""
        own = [row for row in rows if row["clock_ghz"] == 4 and row["settings"] != TODAY]
        draw_bandwidth(figure, own)
