"""HPCA 2005, table 4: what the memories move."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._bandwidth import KEY, MEASURED, bandwidth, frame_memory_claims
from spinach_nic.experiments._papers import hpca
from spinach_nic.experiments._tengig import software_only
from spinach_nic.reproduction import Claim, Experiment, Extent, Point, Rows
from spinach_nic.result import Result


class MemoryBandwidth(Experiment):
    """Six cores at 200 MHz, both ways at line rate."""

    name = "hpca05-table-4"
    summary = "Bandwidth of the memories, six cores at 200 MHz at line rate"
    source = hpca("table 4, sections 2.1 and 6.2")
    key = KEY
    measured = MEASURED
    published = (
        {"memory": "instruction_memory", "peak_gbps": 25.6, "consumed_gbps": 0.9},
        {"memory": "scratch_pad", "peak_gbps": 25.6},
        {"memory": "frame_memory", "peak_gbps": 64.0, "consumed_gbps": 39.7, "useful_gbps": 39.5},
    )
    notes = ("Published useful data is what line rate requires.",)

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """One run."""
        return [Point(software_only(extent), bandwidth)]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 6.2."""
        return frame_memory_claims(rows)
