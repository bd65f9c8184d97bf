"""Frame ordering in software, and with the instructions `set` and `update`: two tables of HPCA 2005."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from spinach_nic.experiments._tengig import hpca_nic, line_rate_fraction
from spinach_nic.experiments.runner import (
    Column,
    Extent,
    NicRun,
    Row,
    Rows,
    figure_of,
    number,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result, Task
from spinach_nic.support.measured import Measured, ratio_of

TASKS = (
    "fetch_send_bd",
    "send_frame",
    "send_dispatch_ordering",
    "send_locking",
    "fetch_receive_bd",
    "receive_frame",
    "receive_dispatch_ordering",
    "receive_locking",
)
WORKING_IN_VAIN = "idle"
"""Cores that find no work look for some; per frame of either direction."""
FIRMWARE = {"software_only": "optimized", "rmw": "rmw"}
"""Image of each ordering."""
CLOCKS_MHZ = {"software_only": 200, "rmw": 166}
"""Published clock of each ordering."""
LATENCIES = ("1us", "0.9us", "1.1us", "1.2us", "1.3us")
"""Host latencies of the repeated runs; the first is the default. Their differences give the errors."""

KEY = (Column("ordering", "ordering"), Column("core_clock_mhz", "MHz"), Column("task", "task"))
SHARE = Column("line_rate_fraction", "of line rate", digits=3)
NOTES = (
    "Means of runs with different host latencies, and the 95 % errors of their differences.",
    "Cores that find no work look for some. That is part of dispatch and of `idle`, and there is more of "
    "it where more cycles are left over: at 200 MHz more than at 166 MHz. So savings are judged at equal "
    "clocks.",
)


def repeated(extent: Extent, ordering: str, core_clock_mhz: int) -> list[NicRun]:
    """Return six cores with an ordering, once for each latency of the host."""
    run = hpca_nic(extent, core_clock_mhz=core_clock_mhz, firmware=FIRMWARE[ordering])
    _, *others = extent.some(LATENCIES, needed=LATENCIES[:2])
    return [run, *(replace(run, settings=(*run.settings, ("host_latency", each))) for each in others)]


def figures_of(result: Result, ordering: str, core_clock_mhz: int, tasks: Mapping[str, Row]) -> Rows:
    """Return a row for each task, with the throughput that it was measured at."""
    share = line_rate_fraction(result).value
    key: Row = {"ordering": ordering, "core_clock_mhz": core_clock_mhz}
    return [{**key, "task": task, **figures, SHARE.name: share} for task, figures in tasks.items()]


def averaged(rows: Rows) -> Rows:
    """Return the mean of the rows of each key, with errors if there are several."""
    names = [column.name for column in KEY]
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return [
        {
            **{name: group[0][name] for name in names},
            **with_errors(
                **{
                    name: ratio_of([number(row, name) for row in group], [1.0] * len(group))
                    for name in group[0]
                    if name not in names
                }
            ),
        }
        if len(group) > 1
        else group[0]
        for group in groups.values()
    ]


def growth(rows: Rows, task: str, column: str, core_clock_mhz: int) -> Measured:
    """Return the cost of a task with `set` and `update`, as a ratio to that without, at the same clock."""
    rmw, software = (
        figure_of(only(rows, ordering=ordering, core_clock_mhz=core_clock_mhz, task=task), column)
        for ordering in ("rmw", "software_only")
    )
    return rmw / software


def saved(rows: Rows, task: str, column: str, core_clock_mhz: int) -> Measured:
    """Return the fraction that `set` and `update` save at the same clock."""
    return Measured(1.0) - growth(rows, task, column, core_clock_mhz)


def share_of_line(rows: Rows, ordering: str, core_clock_mhz: int) -> Measured:
    """Return the fraction of line rate of an ordering."""
    row = only(rows, ordering=ordering, core_clock_mhz=core_clock_mhz, task="send_frame")
    return figure_of(row, SHARE.name)


def tasks_of(result: Result) -> Mapping[str, Task]:
    """Return the cost of each task per packet of its direction."""
    nothing = Task(0.0, 0.0, 0.0, 0.0)
    return {task: result.tasks.get(task, nothing) for task in (*TASKS, WORKING_IN_VAIN)}


def instructions_by_task(result: Result) -> dict[str, float]:
    """Return instructions of each task per packet, with those of idle cores as part of dispatch."""
    by_task = {task: costs.instructions for task, costs in tasks_of(result).items()}
    by_task["send_dispatch_ordering"] += by_task.pop(WORKING_IN_VAIN)
    return by_task
