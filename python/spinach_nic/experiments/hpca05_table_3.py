"""HPCA 2005, table 3: what becomes of the cycles of a core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spinach_nic.experiments._cycles import KEY, MEASURED, components, shares
from spinach_nic.experiments._papers import hpca
from spinach_nic.experiments._parallelism import uniprocessor
from spinach_nic.experiments._tengig import software_only
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    TraceStudy,
    at_least,
    near,
    number,
    only,
)
from spinach_nic.runs.result import Result
from spinach_nic.studies.analysis import (
    IssueConfiguration,
    TracedRun,
    VliwMachine,
    idealized,
    issue_limits,
    schedule_blocks,
)

PEAK = "theoretical peak"
LOAD_TO_USE = "loads that the next instruction uses"
_LOAD_LATENCY = 2
_LOAD_STORE_UNIT = 1


def limits_of_code(traced: TracedRun) -> tuple[float, float]:
    """Return the peak of in-order cores (table 2), and the share of loads that the next instruction uses."""
    trace = traced.instructions
    (limit,) = issue_limits(trace, [IssueConfiguration("in_order", 1, "stalls", "none")], idealized(trace))
    # Of the dependences between renamed registers, only true ones have the latency of a load.
    machine = VliwMachine.of(1, 1, 1).with_options(load_latency=_LOAD_LATENCY, register_renaming=True)
    _, blocks = schedule_blocks(traced.image, trace, machine)
    loads = used = 0
    for block in blocks:
        for index, (text, unit) in enumerate(zip(block.instructions, block.units, strict=True)):
            if unit == _LOAD_STORE_UNIT and text.startswith("l"):
                loads += block.entries
                used += block.entries * any(
                    (edge.from_, edge.to, edge.latency) == (index, index + 1, _LOAD_LATENCY)
                    for edge in block.dependences
                )
    return limit.instructions_per_cycle, used / loads


def rows_of_limits(found: tuple[float, float]) -> Rows:
    """Return a row for each."""
    peak, used = found
    return [
        {"component": PEAK, "ipc": peak, "share_of_loads": None},
        {"component": LOAD_TO_USE, "ipc": None, "share_of_loads": used},
    ]


class ComputationBandwidth(Experiment):
    """Six cores at 200 MHz with a one-entry store buffer, both ways at line rate."""

    name = "hpca05-table-3"
    summary = "Computation bandwidth by stall reason, six cores at 200 MHz at line rate"
    source = hpca("table 3, sections 6.1 and 6.2")
    key = KEY
    measured = (*MEASURED, Column("share_of_loads", "of all loads", digits=2))
    published = (
        {"component": "execution", "ipc": 0.72},
        {"component": "instruction_miss", "ipc": 0.01},
        {"component": "load", "ipc": 0.12},
        {"component": "conflict", "ipc": 0.05},
        {"component": "pipeline", "ipc": 0.10},
        {"component": "total", "ipc": 1.00},
        {"component": PEAK, "ipc": 0.87},
        {"component": LOAD_TO_USE, "share_of_loads": 0.5},
    )
    notes = (
        "The theoretical peak is that of table 2: one wide, in order, with stalls and no branch prediction. "
        "Loads are those of one core that never waits.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Any]]:
        """Return a run, and a trace."""
        return [
            Point(software_only(extent), _components),
            Point(TraceStudy(uniprocessor(extent), limits_of_code, "issue-limits --width 1"), rows_of_limits),
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Sections 6.1 and 6.2."""
        share = shares([row for row in rows if row["ipc"] is not None])
        used = number(only(rows, component=LOAD_TO_USE), "share_of_loads")
        return [
            near("cores sustain 0.72 instructions per cycle", share["execution"], 0.72),
            near("instruction misses lose 0.01 instructions per cycle", share["instruction_miss"], 0.01),
            near("scratch pad loads lose 0.12 instructions per cycle", share["load"], 0.12),
            near("scratch pad conflicts lose 0.05 instructions per cycle", share["conflict"], 0.05),
            near("hazards lose 0.10 instructions per cycle", share["pipeline"], 0.10),
            near("scratch pad accesses and conflicts lose 17 %", share["load"] + share["conflict"], 0.17),
            near(
                "cores sustain 83 % of the peak of in-order cores without branch prediction",
                share["execution"] / share[PEAK],
                0.83,
            ),
            near("half of all loads are used by the next instruction", used, 0.5),
            at_least(
                "instruction misses lose least",
                min(share["load"], share["conflict"], share["pipeline"]) - share["instruction_miss"],
                0,
            ),
        ]


def _components(result: Result) -> Rows:
    return [{**row, "share_of_loads": None} for row in components(result)]
