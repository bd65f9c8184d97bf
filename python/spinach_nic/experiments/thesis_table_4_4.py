"""Thesis, table 4.4: what becomes of the cycles of a core."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._cycles import KEY, MEASURED, components, shares
from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._tengig import thesis_nic
from spinach_nic.experiments.runner import Claim, Experiment, Extent, Point, Rows, at_least, near
from spinach_nic.runs.result import Result


class ComputationBandwidth(Experiment):
    """Six cores at 200 MHz, both ways at line rate."""

    name = "thesis-table-4.4"
    summary = "Computation bandwidth by stall reason, six cores at 200 MHz at line rate"
    source = thesis("table 4.4, section 4.5.3")
    key = KEY
    measured = MEASURED
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
        share = shares(rows)
        return [
            near("cores sustain 0.63 instructions per cycle", share["execution"], 0.63),
            near("instruction misses lose 0.01 instructions per cycle", share["instruction_miss"], 0.01),
            at_least("scratch pad loads lose at least 0.12 instructions per cycle", share["load"], 0.12),
            near("scratch pad conflicts lose 0.04 instructions per cycle", share["conflict"], 0.04),
            near("hazards lose 0.21 instructions per cycle", share["pipeline"], 0.21),
        ]
