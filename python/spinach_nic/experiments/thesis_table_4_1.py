"""Thesis, table 4.1: what a frame needs, accesses of the assists included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._requirements import (
    RECEIVE_TASKS,
    SEND_TASKS,
    SINGLE_CORE_CLOCK_MHZ,
    access_gbps,
    million_instructions_per_s,
)
from spinach_nic.experiments._tengig import assist_accesses_per_s, thesis_nic
from spinach_nic.experiments.runner import Claim, Column, Experiment, Extent, NicRun, Point, Row, Rows, near
from spinach_nic.runs.result import Result

Way = Literal["tx", "rx"]


def requirements(way: Way) -> Callable[[Result], Rows]:
    """Return the requirements per frame in one direction: by task, and all accesses in a separate row."""
    tasks, whole = (SEND_TASKS, "send") if way == "tx" else (RECEIVE_TASKS, "receive")

    def measure(result: Result) -> Rows:
        frames_per_s = (result.tx if way == "tx" else result.rx).rate("frames_per_s")
        rows: list[Row] = [
            {
                "task": task,
                "instructions": result.tasks[task].instructions,
                "core_accesses": result.tasks[task].memory_accesses,
                "data_accesses": None,
            }
            for task in tasks
        ]
        instructions = sum(result.tasks[task].instructions for task in tasks)
        by_cores = sum(result.tasks[task].memory_accesses for task in tasks)
        by_assists = assist_accesses_per_s(result) / frames_per_s
        return [
            *rows,
            {
                "task": whole,
                "instructions": instructions,
                "core_accesses": by_cores,
                "data_accesses": by_cores + by_assists,
            },
        ]

    return measure


class Requirements(Experiment):
    """One core, one direction at a time: so all accesses of the assists belong to it."""

    name = "thesis-table-4.1"
    summary = "Instructions and data accesses per frame, without the cost of parallel cores"
    source = thesis("table 4.1, section 4.1.1")
    key = (Column("task", "task"),)
    measured = (
        Column("instructions", "instructions", digits=1),
        Column("core_accesses", "accesses by cores", digits=1),
        Column("data_accesses", "and assists", digits=1),
    )
    published = (
        {"task": "fetch_send_bd", "instructions": 24.5, "data_accesses": 19.6},
        {"task": "send_frame", "instructions": 256.9, "data_accesses": 92.0},
        {"task": "send", "instructions": 281.4, "data_accesses": 111.6},
        {"task": "fetch_receive_bd", "instructions": 12.1, "data_accesses": 12.3},
        {"task": "receive_frame", "instructions": 241.0, "data_accesses": 98.8},
        {"task": "receive", "instructions": 253.1, "data_accesses": 111.1},
    )
    notes = (
        "An access of an assist belongs to no task of the firmware: it is counted for all of sending or "
        "receiving. The sums of published figures are ours.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each direction."""
        return [
            Point(one_way(extent, "tx"), requirements("tx")),
            Point(one_way(extent, "rx"), requirements("rx")),
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 4.1.1: what line rate with frames of 1518 bytes needs."""
        send, receive = (million_instructions_per_s(rows, (task,)) for task in ("send", "receive"))
        sent, received = (access_gbps(rows, (task,)) for task in ("send", "receive"))
        return [
            near("sending at line rate takes 229 million instructions a second", send, 229),
            near("receiving takes 206 million instructions a second", receive, 206),
            near("both take 434 million instructions a second", send + receive, 434),
            near("sending takes 2.90 Gb/s of control data", sent, 2.90),
            near("receiving takes 2.89 Gb/s of control data", received, 2.89),
            near("both take 5.79 Gb/s of control data", sent + received, 5.79),
        ]


def one_way(extent: Extent, way: Way) -> NicRun:
    """Frames in one direction only."""
    both = thesis_nic(extent, cores=1, core_clock_mhz=SINGLE_CORE_CLOCK_MHZ)
    return replace(both, traffic=f"{both.traffic}:{way}")
