"""HPCA 2005, table 6: cycles by function and frame-ordering method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from spinach_nic.experiments._ordering import (
    CLOCKS_MHZ,
    FIRMWARE,
    KEY,
    NOTES,
    SHARE,
    TASKS,
    averaged,
    figures_of,
    repeated,
    saved,
    share_of_line,
    tasks_of,
)
from spinach_nic.experiments._papers import hpca
from spinach_nic.experiments._tengig import LINE_RATE
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
    near,
)
from spinach_nic.runs.result import Result

SAVINGS = {"send": 0.284, "receive": 0.047}
"""Published savings of `set` and `update`, by direction."""


def cycles(ordering: str, core_clock_mhz: int) -> Callable[[Result], Rows]:
    """Return a row for each task and for each direction."""

    def measure(result: Result) -> Rows:
        by_task = {task: cost.cycles for task, cost in tasks_of(result).items()}
        by_task["send_total"] = sum(by_task[task] for task in TASKS[:4])
        by_task["receive_total"] = sum(by_task[task] for task in TASKS[4:])
        tasks: dict[str, Row] = {task: {"cycles": spent} for task, spent in by_task.items()}
        return figures_of(result, ordering, core_clock_mhz, tasks)

    return measure


class OrderingCycles(Experiment):
    """Six cores, both ways at line rate; each ordering at both published clocks."""

    name = "hpca05-table-6"
    summary = "Cycles per packet by function and frame-ordering method"
    source = hpca("table 6, section 6.3")
    key = KEY
    measured = (Column("cycles", "cycles", digits=1), SHARE)
    published = tuple(
        {"ordering": ordering, "core_clock_mhz": CLOCKS_MHZ[ordering], "task": task, "cycles": spent}
        for task, software_only_cycles, rmw_cycles in (
            ("fetch_send_bd", 62.4, 56.3),
            ("send_frame", 427.4, 407.9),
            ("send_dispatch_ordering", 389.5, 159.8),
            ("send_locking", 6.7, 19.4),
            ("send_total", 886.0, 643.4),
            ("fetch_receive_bd", 17.5, 16.1),
            ("receive_frame", 401.4, 438.8),
            ("receive_dispatch_ordering", 281.9, 192.9),
            ("receive_locking", 44.2, 62.5),
            ("receive_total", 745.0, 710.3),
        )
        for ordering, spent in (("software_only", software_only_cycles), ("rmw", rmw_cycles))
    )
    notes = NOTES

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return runs for each ordering and clock."""
        return [
            Point(run, cycles(ordering, clock))
            for ordering, clock in product(FIRMWARE, CLOCKS_MHZ.values())
            for run in repeated(extent, ordering, clock)
        ]

    def finish(self, rows: Rows) -> Rows:
        """Average the repeated runs."""
        return averaged(rows)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 6.3."""
        software, rmw = (share_of_line(rows, *configuration) for configuration in CLOCKS_MHZ.items())
        low_clock = CLOCKS_MHZ["rmw"]
        return [
            at_least("software ordering at 200 MHz reaches line rate", software, LINE_RATE),
            at_least("`set` and `update` at 166 MHz reach 99 % of line rate", rmw, LINE_RATE),
            at_most(
                "166 MHz need `set` and `update`: software ordering does not reach line rate there",
                share_of_line(rows, "software_only", low_clock),
                LINE_RATE,
            ),
            *(
                near(
                    f"at {clock} MHz `set` and `update` save {100 * saving:.1f} % of the {way} cycles",
                    saved(rows, f"{way}_total", "cycles", clock),
                    saving,
                )
                for clock, (way, saving) in product(CLOCKS_MHZ.values(), SAVINGS.items())
            ),
        ]
