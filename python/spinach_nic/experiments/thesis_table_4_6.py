"""Thesis, table 4.6: what the memories move."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._bandwidth import KEY, MEASURED, bandwidth, frame_memory_claims
from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._tengig import (
    assist_accesses_per_s,
    core_accesses_per_s,
    core_clock_hz,
    thesis_nic,
)
from spinach_nic.reproduction import Claim, Column, Experiment, Extent, Point, Row, Rows, near, number, only
from spinach_nic.result import Result

ACCESSES = "accesses_million_per_s"


def memories_and_accesses(result: Result) -> Rows:
    """A row for each memory, and below who made how many accesses to the scratch pads."""
    assert result.cores_mean is not None
    core_cycles_per_s = core_clock_hz(result) * len(result.cores)
    accesses_per_s = {
        "scratch_pad, loads of cores": result.cores_mean.per_cycle["loads"] * core_cycles_per_s,
        "scratch_pad, stores of cores": result.cores_mean.per_cycle["stores"] * core_cycles_per_s,
        "scratch_pad, cores": core_accesses_per_s(result),
        "scratch_pad, assists": assist_accesses_per_s(result),
    }
    memories: list[Row] = [{**row, ACCESSES: None} for row in bandwidth(result)]
    nothing: Row = {column.name: None for column in MEASURED}
    return [
        *memories,
        *({"memory": name, **nothing, ACCESSES: rate / 1e6} for name, rate in accesses_per_s.items()),
    ]


class MemoryBandwidth(Experiment):
    """Six cores at 200 MHz, both ways at line rate."""

    name = "thesis-table-4.6"
    summary = "Bandwidth of the memories, six cores at 200 MHz at line rate"
    source = thesis("table 4.6, sections 4.1.1 and 4.5.3")
    key = KEY
    measured = (*MEASURED, Column(ACCESSES, "accesses, million/s", digits=1))
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

        def accesses(whose: str) -> float:
            return number(only(rows, memory=f"scratch_pad, {whose}"), ACCESSES)

        scratch_pad = only(rows, memory="scratch_pad")
        used = number(scratch_pad, "consumed_gbps") / number(scratch_pad, "peak_gbps")
        return [
            *frame_memory_claims(rows),
            near("cores and assists use a third of the scratch pads' bandwidth", used, 8.28 / 25.6),
            near("cores load 141.7 million times a second", accesses("loads of cores"), 141.7),
            near("cores store 97.2 million times a second", accesses("stores of cores"), 97.2),
            near("assists make 19.8 million accesses a second", accesses("assists"), 19.8),
        ]
