"""Thesis, table 4.4: what becomes of the cycles of a core."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._tengig import thesis, thesis_nic
from spinach_nic.reproduction import (
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
    number,
    only,
)
from spinach_nic.result import Result

COMPONENTS = {
    "execution": "Execution",
    "instruction_miss": "Instruction miss stalls",
    "load": "Load stalls",
    "conflict": "Scratch pad conflict stalls",
    "pipeline": "Pipeline stalls",
}


def components(result: Result) -> Rows:
    """The share of all cycles that each cause took, and their sum."""
    assert result.cores_mean is not None
    cycles = result.cores_mean.cycles
    rows: list[Row] = [{"component": cause, "ipc": cycles[cause]} for cause in COMPONENTS]
    return [*rows, {"component": "total", "ipc": sum(cycles.values())}]


class ComputationBandwidth(Experiment):
    """Six cores at 200 MHz, both ways at line rate."""

    name = "thesis-table-4.4"
    summary = "Computation bandwidth by cause, six cores at 200 MHz at line rate"
    source = thesis("table 4.4, section 4.5.3")
    key = (Column("component", "component"),)
    measured = (Column("ipc", "IPC contribution", digits=3),)
    published = (
        {"component": "execution", "ipc": 0.63},
        {"component": "instruction_miss", "ipc": 0.01},
        {"component": "load", "ipc": 0.12},
        {"component": "conflict", "ipc": 0.04},
        {"component": "pipeline", "ipc": 0.21},
        {"component": "total", "ipc": 1.00},
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """One run."""
        return [Point(thesis_nic(extent), components)]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 4.5.3."""
        share = {name: number(only(rows, component=name), "ipc") for name in (*COMPONENTS, "total")}
        return [
            near("cores sustain 0.63 instructions per cycle", share["execution"], 0.63),
            at_most("instruction misses lose 0.01 instructions per cycle", share["instruction_miss"], 0.01),
            at_least("scratch pad loads lose at least 0.12 instructions per cycle", share["load"], 0.12),
            near("scratch pad conflicts lose 0.04 instructions per cycle", share["conflict"], 0.04),
            near("hazards lose 0.21 instructions per cycle", share["pipeline"], 0.21),
            near("every cycle is accounted for", share["total"], 1.0, within=1e-9),
        ]
