"""Thesis, figure 4.10: where the firmware spends its time, by the number of cores and their clock."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING

from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._profile import FUNCTIONS, execution_time
from spinach_nic.experiments._scaling import CLOCKS_MHZ, CORES
from spinach_nic.experiments._tengig import thesis_nic
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    at_least,
    at_most,
    near,
    number,
    only,
)
from spinach_nic.runs.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = tuple(function for function, tasks in FUNCTIONS.items() if tasks or function == "miscellaneous")
"""Functions that our firmware has."""


class ExecutionProfiles(Experiment):
    """Frames of 1518 bytes both ways, with the optimized firmware."""

    name = "thesis-figure-4.10"
    summary = "Execution time by function, number of cores and core clock"
    source = thesis("figure 4.10, section 4.5.3")
    key = (Column("cores", "cores"), Column("core_clock_mhz", "MHz"))
    measured = (
        *(Column(f"{function}_percent", f"{function}, %", digits=1) for function in SHOWN),
        Column("sent_per_received", "frames sent for one received"),
    )

    published = (
        {
            "cores": 6,
            "core_clock_mhz": 200,
            "dispatch_percent": 30.58 + 3.28,
            "send_percent": 33.84,
            "send_locking_percent": 0.09,
            "receive_percent": 28.84,
            "receive_locking_percent": 2.48,
            "miscellaneous_percent": 0.88 + 0.01,
        },
    )
    notes = ("Published is table 4.5, one of the configurations; dispatch has its locks in it.",)

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return the runs of figure 4.8."""
        cores = extent.some(CORES, needed=(1, 8))
        clocks = extent.some(CLOCKS_MHZ, needed=(CLOCKS_MHZ[0], CLOCKS_MHZ[-1]))
        return [self._point(extent, *configuration) for configuration in product(cores, clocks)]

    def _point(self, extent: Extent, cores: int, core_clock_mhz: int) -> Point[Result]:
        def measure(result: Result) -> Rows:
            shares = execution_time(result)
            percent = {f"{function}_percent": shares[function] for function in SHOWN}
            ratio = result.tx.rate("frames_per_s") / result.rx.rate("frames_per_s")
            return [
                {
                    "cores": cores,
                    "core_clock_mhz": core_clock_mhz,
                    **percent,
                    "sent_per_received": ratio,
                }
            ]

        return Point(thesis_nic(extent, cores=cores, core_clock_mhz=core_clock_mhz), measure)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 4.5.3."""
        slowest, fastest = CLOCKS_MHZ[0], CLOCKS_MHZ[-1]

        def dispatch(cores: int, core_clock_mhz: int) -> float:
            return number(only(rows, cores=cores, core_clock_mhz=core_clock_mhz), "dispatch_percent")

        return [
            at_least(
                "beyond line rate all that is added is idle: dispatch takes much more than 30 %",
                dispatch(8, fastest),
                40,
                ours="a third more",
            ),
            near("a core that always finds work spends about 30 % on dispatch", dispatch(1, slowest), 30),
            at_least(
                "dispatch takes more of eight fast cores than of a slow one",
                dispatch(8, fastest) - dispatch(1, slowest),
                5,
                ours="5 of 100",
            ),
            at_most(
                "sending lags behind when the system is heavily loaded: at the lowest clock, on average over "
                "all numbers of cores",
                fmean(number(row, "sent_per_received") for row in rows if row["core_clock_mhz"] == slowest),
                0.99,
                ours="1 %",
            ),
            near(
                "it does not when the link is full",
                number(only(rows, cores=8, core_clock_mhz=fastest), "sent_per_received"),
                1,
                within=0.02,
                ours="roughly balanced is 2 %",
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """A bar for each configuration, stacked by function."""
        axes = figure.subplots()
        below = [0.0] * len(rows)
        places = list(range(len(rows)))
        for function in SHOWN:
            heights = [number(row, f"{function}_percent") for row in rows]
            axes.bar(places, heights, bottom=below, label=function.replace("_", " "))
            below = [low + height for low, height in zip(below, heights, strict=True)]
        labels = [f"{row['cores']} x {row['core_clock_mhz']}" for row in rows]
        axes.set_xticks(places, labels, rotation=90)
        axes.set_xlabel("cores x MHz")
        axes.set_ylabel("% of execution time")
        figure.legend(loc="outside upper center", ncols=len(SHOWN))
