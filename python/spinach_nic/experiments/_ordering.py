"""Frame ordering in software, and with the instructions `set` and `update`: two tables of HPCA 2005."""

from __future__ import annotations

from collections.abc import Mapping

from spinach_nic.runs.result import Result, Task

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


def tasks_of(result: Result) -> Mapping[str, Task]:
    """Return the cost of each task per packet of its direction."""
    nothing = Task(0.0, 0.0, 0.0, 0.0)
    return {task: result.tasks.get(task, nothing) for task in (*TASKS, WORKING_IN_VAIN)}


def instructions_by_task(result: Result) -> dict[str, float]:
    """Return instructions of each task per packet, with those of idle cores as part of dispatch."""
    by_task = {task: costs.instructions for task, costs in tasks_of(result).items()}
    by_task["send_dispatch_ordering"] += by_task.pop(WORKING_IN_VAIN)
    return by_task
