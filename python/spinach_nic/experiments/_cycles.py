"""Cycles of a core by use: a table of the thesis, and again of HPCA 2005."""

from __future__ import annotations

from spinach_nic.experiments.runner import Column, Row, Rows, number
from spinach_nic.runs.result import Result

COMPONENTS = ("execution", "instruction_miss", "load", "conflict", "pipeline")
KEY = (Column("component", "component"),)
MEASURED = (Column("ipc", "IPC contribution", digits=3),)


def components(result: Result) -> Rows:
    """Return the fraction of all cycles of each stall reason, and their sum."""
    assert result.cores_mean is not None
    cycles = result.cores_mean.cycles
    rows: list[Row] = [{"component": cause, "ipc": cycles[cause]} for cause in COMPONENTS]
    return [*rows, {"component": "total", "ipc": sum(cycles.values())}]


def shares(rows: Rows) -> dict[str, float]:
    """Return the rows by component."""
    return {str(row["component"]): number(row, "ipc") for row in rows}
