"""HPCA 2005, table 1: what a frame needs."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._papers import hpca
from spinach_nic.experiments._requirements import (
    RECEIVE_TASKS,
    SEND_TASKS,
    SINGLE_CORE_CLOCK_MHZ,
    TASKS,
    access_gbps,
    million_instructions_per_s,
)
from spinach_nic.experiments._tengig import hpca_nic
from spinach_nic.experiments.runner import Claim, Column, Experiment, Extent, Point, Rows, near
from spinach_nic.runs.result import Result


def requirements(result: Result) -> Rows:
    """Return the instructions of the tasks, and the cores' accesses in them, per frame."""
    tasks = result.tasks
    return [
        {"task": task, "instructions": tasks[task].instructions, "data_accesses": tasks[task].memory_accesses}
        for task in TASKS
    ]


class Requirements(Experiment):
    """One core, so that nothing is spent on waiting for others."""

    name = "hpca05-table-1"
    summary = "Instructions and data accesses per frame, without the cost of parallel cores"
    source = hpca("table 1, section 2.1")
    key = (Column("task", "task"),)
    measured = (
        Column("instructions", "instructions", digits=1),
        Column("data_accesses", "data accesses", digits=1),
    )
    published = (
        {"task": "fetch_send_bd", "instructions": 24.5, "data_accesses": 10.6},
        {"task": "send_frame", "instructions": 256.9, "data_accesses": 90.0},
        {"task": "fetch_receive_bd", "instructions": 12.1, "data_accesses": 4.1},
        {"task": "receive_frame", "instructions": 241.0, "data_accesses": 80.8},
    )
    notes = ("Measured with one core, which takes uncontended locks; published for firmware without locks.",)

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """One run."""
        nic = hpca_nic(extent, cores=1, core_clock_mhz=SINGLE_CORE_CLOCK_MHZ, firmware="optimized")
        return [Point(nic, requirements)]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 2.1: what line rate with frames of 1518 bytes needs."""
        send, receive = (million_instructions_per_s(rows, tasks) for tasks in (SEND_TASKS, RECEIVE_TASKS))
        sent, received = (access_gbps(rows, tasks) for tasks in (SEND_TASKS, RECEIVE_TASKS))
        return [
            near("sending at line rate takes 229 million instructions a second", send, 229),
            near("receiving takes 206 million instructions a second", receive, 206),
            near("both take 435 million instructions a second", send + receive, 435),
            near("sending takes 2.6 Gb/s of control data", sent, 2.6),
            near("receiving takes 2.2 Gb/s of control data", received, 2.2),
            near("both take 4.8 Gb/s of control data", sent + received, 4.8),
        ]
