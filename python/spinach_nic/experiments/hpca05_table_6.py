"""HPCA 2005, table 6: cycles by function and frame-ordering method."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spinach_nic.experiments._ordering import TASKS, tasks_of
from spinach_nic.experiments._papers import hpca
from spinach_nic.experiments._tengig import LINE_RATE, line_rate_fraction, rmw_enhanced, software_only
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Row,
    Rows,
    at_least,
    figure_of,
    near,
    number,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured


def cycles(ordering: str) -> Callable[[Result], Rows]:
    """Return a row for each task and for each direction, and the throughput that they were measured at."""

    def measure(result: Result) -> Rows:
        costs = tasks_of(result)
        by_task = {task: cost.cycles for task, cost in costs.items()}
        send = sum(by_task[task] for task in TASKS[:4])
        receive = sum(by_task[task] for task in TASKS[4:])
        share = with_errors(line_rate_fraction=line_rate_fraction(result))
        rows: list[Row] = [
            {"ordering": ordering, "task": task, "cycles": spent, **share}
            for task, spent in (by_task | {"send_total": send, "receive_total": receive}).items()
        ]
        return rows

    return measure


class OrderingCycles(Experiment):
    """Six cores, both ways at line rate."""

    name = "hpca05-table-6"
    summary = "Cycles per packet by function and frame-ordering method"
    source = hpca("table 6, section 6.3")
    key = (Column("ordering", "ordering"), Column("task", "task"))
    measured = (Column("cycles", "cycles", digits=1), Column("line_rate_fraction", "of line rate", digits=3))
    published = tuple(
        {"ordering": ordering, "task": task, "cycles": spent}
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
    notes = (
        "Cores that find no work look for some. That is part of dispatch and of `idle`, and there is more of "
        "it where more cycles are left over: at 200 MHz more than at 166 MHz.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each ordering."""
        return [
            Point(software_only(extent), cycles("software_only")),
            Point(rmw_enhanced(extent), cycles("rmw")),
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 6.3."""

        def saved(task: str) -> float:
            rmw, software = (
                only(rows, ordering=ordering, task=task) for ordering in ("rmw", "software_only")
            )
            return 1 - number(rmw, "cycles") / number(software, "cycles")

        def share(ordering: str) -> Measured:
            return figure_of(only(rows, ordering=ordering, task="send_frame"), "line_rate_fraction")

        return [
            at_least("software ordering at 200 MHz reaches line rate", share("software_only"), LINE_RATE),
            at_least("`set` and `update` at 166 MHz reach 99 % of line rate", share("rmw"), LINE_RATE),
            at_least("`set` and `update` save send cycles", saved("send_total"), 0.05),
            at_least("`set` and `update` save receive cycles", saved("receive_total"), 0.05),
            near("`set` and `update` save 28.4 % of the send cycles", saved("send_total"), 0.284),
            near("`set` and `update` save 4.7 % of the receive cycles", saved("receive_total"), 0.047),
        ]
