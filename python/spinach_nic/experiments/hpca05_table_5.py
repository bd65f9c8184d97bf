"""HPCA 2005, table 5: instructions and memory accesses by function and frame-ordering method."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spinach_nic.experiments._ordering import TASKS, WORKING_IN_VAIN, tasks_of
from spinach_nic.experiments._papers import hpca
from spinach_nic.experiments._requirements import SINGLE_CORE_CLOCK_MHZ
from spinach_nic.experiments._requirements import TASKS as IDEAL_TASKS
from spinach_nic.experiments._tengig import (
    LINE_RATE,
    hpca_nic,
    line_rate_fraction,
    rmw_enhanced,
    software_only,
)
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Row,
    Rows,
    at_least,
    at_most,
    figure_of,
    near,
    number,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured


def profile(ordering: str, tasks: Sequence[str]) -> Callable[[Result], Rows]:
    """Return a row for each task, and the throughput that it was measured at."""

    def measure(result: Result) -> Rows:
        costs = tasks_of(result)
        share = with_errors(line_rate_fraction=line_rate_fraction(result))
        rows: list[Row] = [
            {
                "ordering": ordering,
                "task": task,
                "instructions": costs[task].instructions,
                "memory_accesses": costs[task].memory_accesses,
                **share,
            }
            for task in tasks
        ]
        return rows

    return measure


SOFTWARE_ONLY = (
    ("fetch_send_bd", 39.1, 14.4),
    ("send_frame", 317.3, 102.5),
    ("send_dispatch_ordering", 292.1, 94.0),
    ("send_locking", 2.6, 0.9),
    ("fetch_receive_bd", 12.4, 5.3),
    ("receive_frame", 292.1, 135.4),
    ("receive_dispatch_ordering", 202.5, 66.2),
    ("receive_locking", 20.5, 5.1),
)
RMW_ENHANCED = (
    ("fetch_send_bd", 38.5, 14.4),
    ("send_frame", 311.5, 92.4),
    ("send_dispatch_ordering", 141.7, 32.9),
    ("send_locking", 10.6, 2.7),
    ("fetch_receive_bd", 12.2, 4.2),
    ("receive_frame", 335.5, 126.2),
    ("receive_dispatch_ordering", 140.7, 42.9),
    ("receive_locking", 34.4, 8.6),
)
IDEAL = (
    ("fetch_send_bd", 24.5, 10.6),
    ("send_frame", 256.9, 90.0),
    ("fetch_receive_bd", 12.1, 4.1),
    ("receive_frame", 241.0, 80.8),
)


def published(ordering: str, figures: Sequence[tuple[str, float, float]]) -> list[Row]:
    """Rows of the publication."""
    return [
        {"ordering": ordering, "task": task, "instructions": instructions, "memory_accesses": accesses}
        for task, instructions, accesses in figures
    ]


SAVINGS = {
    ("send", "instructions"): ("instructions", 0.515),
    ("receive", "instructions"): ("instructions", 0.308),
    ("send", "memory_accesses"): ("memory accesses", 0.65),
    ("receive", "memory_accesses"): ("memory accesses", 0.352),
}
"""Savings of `set` and `update` in ordering and dispatch, by direction and column."""
LESS = 0.05
"""A share that is worth speaking of."""
BUSY_CLOCK_MHZ = 100
"""Six cores are too slow for the line, so none polls without success."""


class OrderingProfiles(Experiment):
    """Six cores, both ways at line rate; and again at a clock at which none is idle."""

    name = "hpca05-table-5"
    summary = "Instructions and memory accesses per packet by function and frame-ordering method"
    source = hpca("table 5, section 6.3")
    key = (Column("ordering", "ordering"), Column("task", "task"))
    measured = (
        Column("instructions", "instructions", digits=1),
        Column("memory_accesses", "memory accesses", digits=1),
        Column("line_rate_fraction", "of line rate", digits=3),
    )
    published = (
        *published("ideal", IDEAL),
        *published("software_only", SOFTWARE_ONLY),
        *published("rmw", RMW_ENHANCED),
    )
    notes = (
        "Ideal is table 1.",
        "Cores that find no work look for some. That is part of dispatch and of `idle`, and there is more of "
        "it where more cycles are left over: at 200 MHz more than at 166 MHz, and none in the busy "
        "rows, whose clock is 100 MHz.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each ordering."""
        ideal = hpca_nic(extent, cores=1, core_clock_mhz=SINGLE_CORE_CLOCK_MHZ, firmware="optimized")
        every = (*TASKS, WORKING_IN_VAIN)
        return [
            Point(ideal, profile("ideal", IDEAL_TASKS)),
            Point(software_only(extent), profile("software_only", every)),
            Point(rmw_enhanced(extent), profile("rmw", every)),
            *(
                Point(
                    hpca_nic(extent, core_clock_mhz=BUSY_CLOCK_MHZ, firmware=firmware),
                    profile(f"{ordering}, busy", every),
                )
                for ordering, firmware in (("software_only", "optimized"), ("rmw", "rmw"))
            ),
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 6.3."""

        def saved(direction: str, column: str, condition: str = "") -> float:
            task = f"{direction}_dispatch_ordering"
            rmw = only(rows, ordering=f"rmw{condition}", task=task)
            software = only(rows, ordering=f"software_only{condition}", task=task)
            return 1 - number(rmw, column) / number(software, column)

        def share(ordering: str) -> Measured:
            return figure_of(only(rows, ordering=ordering, task="send_frame"), "line_rate_fraction")

        def growth(task: str) -> float:
            rmw, software = (only(rows, ordering=name, task=task) for name in ("rmw", "software_only"))
            return number(rmw, "instructions") / number(software, "instructions")

        return [
            at_least("software ordering at 200 MHz reaches line rate", share("software_only"), LINE_RATE),
            at_least("`set` and `update` at 166 MHz reach 99 % of line rate", share("rmw"), LINE_RATE),
            at_least("they save instructions of send ordering", saved("send", "instructions"), LESS),
            at_least("they save instructions of receive ordering", saved("receive", "instructions"), LESS),
            at_least("they save memory accesses of send ordering", saved("send", "memory_accesses"), LESS),
            at_least(
                "they save memory accesses of receive ordering", saved("receive", "memory_accesses"), LESS
            ),
            *(
                near(
                    f"they save {100 * saving:.1f} % of the {what} of {direction} ordering",
                    saved(direction, column),
                    saving,
                )
                for (direction, column), (what, saving) in SAVINGS.items()
            ),
            *(
                near(
                    f"they save {100 * saving:.1f} % of the {what} of {direction} ordering, "
                    "with no core idle",
                    saved(direction, column, ", busy"),
                    saving,
                )
                for (direction, column), (what, saving) in SAVINGS.items()
            ),
            at_least("contention among the remaining locks grows when sending", growth("send_locking"), 1),
            at_least(
                "contention among the remaining locks grows when receiving", growth("receive_locking"), 1
            ),
            at_least("receiving a frame takes slightly more instructions: more", growth("receive_frame"), 1),
            at_most(
                "receiving a frame takes slightly more instructions: not by a fifth",
                growth("receive_frame"),
                1.2,
            ),
        ]
