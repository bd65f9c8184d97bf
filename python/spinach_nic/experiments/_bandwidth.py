"""Memory bandwidth of the NIC: a table of the thesis, and again of HPCA 2005."""

from __future__ import annotations

from spinach_nic.experiments._requirements import required_frame_memory_gbps
from spinach_nic.experiments._tengig import (
    LINE_RATE,
    assist_accesses_per_s,
    core_accesses_per_s,
    core_clock_hz,
)
from spinach_nic.experiments.runner import Claim, Column, Row, Rows, at_least, at_most, near, number, only
from spinach_nic.runs.result import Result

KEY = (Column("memory", "memory"),)
MEASURED = (
    Column("peak_gbps", "peak, Gb/s", digits=1),
    Column("consumed_gbps", "consumed, Gb/s"),
    Column("useful_gbps", "useful, Gb/s"),
)
ACCESSES = "accesses_million_per_s"
MEASURED_WITH_ACCESSES = (*MEASURED, Column(ACCESSES, "accesses, million/s", digits=1))
MEMORIES = ("instruction_memory", "scratch_pad", "frame_memory")


def bandwidth(result: Result) -> list[Row]:
    """Return a row for each memory."""
    memories = {name: result.memories[name] for name in MEMORIES}
    return [
        {
            "memory": name,
            "peak_gbps": memory.peak_gbps,
            "consumed_gbps": memory.gbps,
            "useful_gbps": memory.useful_gbps,
        }
        for name, memory in memories.items()
    ]


def memories_and_accesses(result: Result) -> Rows:
    """Return a row for each memory, and below who made how many accesses to the scratch pads."""
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


def accesses(rows: Rows, whose: str) -> float:
    """Million accesses to the scratch pads in a second."""
    return number(only(rows, memory=f"scratch_pad, {whose}"), ACCESSES)


def memory_claims(rows: Rows, instruction_gbps: float) -> list[Claim]:
    """Return both publications' claims on frame memory, and on instruction memory with its published rate."""
    frame_memory = only(rows, memory="frame_memory")
    instructions = number(only(rows, memory="instruction_memory"), "consumed_gbps")
    useful, consumed = number(frame_memory, "useful_gbps"), number(frame_memory, "consumed_gbps")
    return [
        near("frame memory moves 39.5 Gb/s of useful data at line rate", useful, 39.5, within=0.01),
        near("frame memory moves 39.7 Gb/s with misalignment", consumed, 39.7, within=0.01),
        at_least(
            "misalignment makes frame memory move more", consumed / useful, 1.001, ours="more than rounding"
        ),
        at_most(
            "misalignment makes frame memory move only slightly more",
            consumed / useful,
            1.02,
            ours="slightly is 2 %",
        ),
        at_least(
            "all frames pass frame memory twice, so line rate needs most of 39.5 Gb/s",
            useful / required_frame_memory_gbps(),
            LINE_RATE,
        ),
        near(f"instruction memory moves {instruction_gbps} Gb/s", instructions, instruction_gbps),
    ]
