"""Thesis, table 4.6: what the memories move."""

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
from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._tengig import thesis_nic
from spinach_nic.experiments.runner import Claim, Experiment, Extent, Point, Rows, near, number, only
from spinach_nic.runs.result import Result


class MemoryBandwidth(Experiment):
    """Six cores at 200 MHz, both ways at line rate."""

    name = "thesis-table-4.6"
    summary = "Bandwidth of the memories, six cores at 200 MHz at line rate"
    source = thesis("table 4.6, sections 4.1.1 and 4.5.3")
    key = KEY
    measured = MEASURED_WITH_ACCESSES
    published = (
        {"memory": "instruction_memory", "peak_gbps": 25.6, "consumed_gbps": 0.87},
        {"memory": "scratch_pad", "peak_gbps": 25.6, "consumed_gbps": 8.28},
        {"memory": "frame_memory", "peak_gbps": 76.8, "consumed_gbps": 39.7, "useful_gbps": 39.5},
        {"memory": "scratch_pad, loads of cores", ACCESSES: 141.7},
        {"memory": "scratch_pad, stores of cores", ACCESSES: 97.2},
        {"memory": "scratch_pad, cores", ACCESSES: 238.9},
        {"memory": "scratch_pad, assists", ACCESSES: 19.8},
    )
    notes = (
        "The published peak of frame memory is that of 600 MHz; the text has 500 MHz, as we do: 64 Gb/s.",
        "Published useful data is what line rate requires.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """One run."""
        return [Point(thesis_nic(extent), memories_and_accesses)]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 4.5.3."""
        scratch_pad = only(rows, memory="scratch_pad")
        used = number(scratch_pad, "consumed_gbps") / number(scratch_pad, "peak_gbps")
        return [
            *memory_claims(rows, 0.87),
            near("cores and assists use a third of the scratch pads' bandwidth", used, 8.28 / 25.6),
            near("cores load 141.7 million times a second", accesses(rows, "loads of cores"), 141.7),
            near("cores store 97.2 million times a second", accesses(rows, "stores of cores"), 97.2),
            near("assists make 19.8 million accesses a second", accesses(rows, "assists"), 19.8),
        ]
