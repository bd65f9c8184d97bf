"""HPCA 2005, table 3: what becomes of the cycles of a core."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._cycles import KEY, MEASURED, components, shares
from spinach_nic.experiments._papers import hpca
from spinach_nic.experiments._tengig import software_only
from spinach_nic.reproduction import Claim, Experiment, Extent, Point, Rows, at_least, near
from spinach_nic.result import Result


class ComputationBandwidth(Experiment):
    """Six cores at 200 MHz with a one-entry store buffer, both ways at line rate."""

    name = "hpca05-table-3"
    summary = "Computation bandwidth by cause, six cores at 200 MHz at line rate"
    source = hpca("table 3, sections 6.1 and 6.2")
    key = KEY
    measured = MEASURED
    published = ({"component": "total", "ipc": 1.00},)

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """One run."""
        return [Point(software_only(extent), components)]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Sections 6.1 and 6.2."""
        share = shares(rows)
        return [
            near("scratch pad accesses and conflicts lose 17 %", share["load"] + share["conflict"], 0.17),
            at_least(
                "instruction misses lose least",
                min(share["load"], share["conflict"], share["pipeline"]) - share["instruction_miss"],
                0,
            ),
            near("every cycle is accounted for", share["total"], 1.0, within=1e-9),
        ]
