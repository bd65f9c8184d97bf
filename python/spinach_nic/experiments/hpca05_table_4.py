"""HPCA 2005, table 4: what the memories move."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._bandwidth import (
    ACCESSES,
    KEY,
    MEASURED_WITH_ACCESSES,
    accesses,
    memories_and_accesses,
    memory_claims,
)
from spinach_nic.experiments._papers import hpca
from spinach_nic.experiments._tengig import software_only
from spinach_nic.experiments.runner import Claim, Experiment, Extent, Point, Rows, near, number, only
from spinach_nic.runs.result import Result


class MemoryBandwidth(Experiment):
    """Six cores at 200 MHz, both ways at line rate."""

    name = "hpca05-table-4"
    summary = "Bandwidth of the memories, six cores at 200 MHz at line rate"
    source = hpca("table 4, sections 2.1 and 6.2")
    key = KEY
    measured = MEASURED_WITH_ACCESSES
    published = (
        {"memory": "instruction_memory", "peak_gbps": 25.6, "consumed_gbps": 0.9},
        {"memory": "scratch_pad", "peak_gbps": 25.6, "consumed_gbps": 9.4},
        {"memory": "frame_memory", "peak_gbps": 64.0, "consumed_gbps": 39.7, "useful_gbps": 39.5},
        {"memory": "scratch_pad, loads of cores", ACCESSES: 142.8},
        {"memory": "scratch_pad, stores of cores", ACCESSES: 107.8},
        {"memory": "scratch_pad, cores", ACCESSES: 250.6},
        {"memory": "scratch_pad, assists", ACCESSES: 41.7},
    )
    notes = ("Published useful data is what line rate requires.",)

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """One run."""
        return [Point(software_only(extent), memories_and_accesses)]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Sections 6.1 and 6.2."""
        consumed = number(only(rows, memory="scratch_pad"), "consumed_gbps")
        return [
            *memory_claims(rows, 0.9),
            near("cores and assists take 9.4 Gb/s of the scratch pads", consumed, 9.4),
            near("cores load 142.8 million times a second", accesses(rows, "loads of cores"), 142.8),
            near("cores store 107.8 million times a second", accesses(rows, "stores of cores"), 107.8),
            near("cores make 250.6 million accesses a second", accesses(rows, "cores"), 250.6),
            near("assists make 41.7 million accesses a second", accesses(rows, "assists"), 41.7),
        ]
