"""Thesis, table 4.5: where the firmware spends its time."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._profile import FUNCTIONS, execution_time
from spinach_nic.experiments._tengig import thesis_nic
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Row,
    Rows,
    at_least,
    near,
    number,
    only,
)
from spinach_nic.runs.result import Result


def profile(result: Result) -> Rows:
    """Return a row for each function."""
    shares = execution_time(result)
    rows: list[Row] = [{"function": name, "execution_time": share} for name, share in shares.items()]
    return [*rows, {"function": "total", "execution_time": sum(shares.values())}]


class ExecutionProfile(Experiment):
    """Six cores at 200 MHz, both ways at line rate."""

    name = "thesis-table-4.5"
    summary = "Execution time by function, six cores at 200 MHz at line rate"
    source = thesis("table 4.5, section 4.5.3")
    key = (Column("function", "function"),)
    measured = (Column("execution_time", "% of execution time", digits=2),)
    published = (
        {"function": "dispatch", "execution_time": 30.58},
        {"function": "dispatch_locking", "execution_time": 3.28},
        {"function": "send", "execution_time": 33.84},
        {"function": "send_locking", "execution_time": 0.09},
        {"function": "receive", "execution_time": 28.84},
        {"function": "receive_locking", "execution_time": 2.48},
        {"function": "miscellaneous", "execution_time": 0.88},
        {"function": "miscellaneous_locking", "execution_time": 0.01},
        {"function": "total", "execution_time": 100.00},
    )
    notes = (
        "Polling without success is part of dispatch, as published. Our firmware takes locks only when it "
        "dispatches, and those are split by whether they serve sending or receiving.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """One run."""
        return [Point(thesis_nic(extent), profile)]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 4.5.3."""
        share = {name: number(only(rows, function=name), "execution_time") for name in (*FUNCTIONS, "total")}
        locking = sum(value for name, value in share.items() if name.endswith("locking"))
        return [
            at_least("sending takes more than receiving", share["send"] / share["receive"], 1),
            near(
                "sending and receiving take slightly more than 60 %", share["send"] + share["receive"], 62.68
            ),
            near("locking takes 5.9 %", locking, 5.9),
            near("dispatch takes almost 31 %", share["dispatch"], 30.58),
        ]
