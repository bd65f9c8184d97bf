"""HPCA 2005, table 2: the instructions per cycle that ideal cores reach with NIC firmware."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._papers import hpca
from spinach_nic.experiments._parallelism import uniprocessor
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Row,
    Rows,
    TraceStudy,
    at_least,
    near,
    number,
    only,
)
from spinach_nic.studies.analysis import IssueLimit, TracedRun, idealized, issue_limit_table, issue_limits

_COLUMNS = (
    ("perfect", "perfect"),
    ("perfect", "none"),
    ("stalls", "perfect"),
    ("stalls", "one_per_cycle"),
    ("stalls", "none"),
)
_PUBLISHED = {
    ("in_order", 1): (1.00, 1.00, 0.87, 0.87, 0.87),
    ("in_order", 2): (1.45, 1.38, 1.19, 1.19, 1.13),
    ("in_order", 4): (1.73, 1.45, 1.34, 1.33, 1.17),
    ("out_of_order", 1): (1.00, 1.00, 1.00, 1.00, 0.88),
    ("out_of_order", 2): (1.98, 1.49, 1.96, 1.74, 1.21),
    ("out_of_order", 4): (2.97, 1.69, 2.65, 2.00, 1.29),
}


def limits(traced: TracedRun) -> list[IssueLimit]:
    """Return all limits of the table, without waiting, dispatch and locking."""
    trace = traced.instructions
    return issue_limits(trace, issue_limit_table(), idealized(trace))


def rows_of(found: list[IssueLimit]) -> Rows:
    """Return a row for each cell of the table."""
    return [
        {
            "order": limit.configuration.order,
            "issue_width": limit.configuration.width,
            "pipeline": limit.configuration.pipeline,
            "branch_prediction": limit.configuration.prediction,
            "ipc": limit.instructions_per_cycle,
        }
        for limit in found
    ]


def published_rows() -> Rows:
    """Return the cells of the paper."""
    return [
        {
            "order": order,
            "issue_width": width,
            "pipeline": pipeline,
            "branch_prediction": prediction,
            "ipc": ipc,
        }
        for (order, width), cells in _PUBLISHED.items()
        for (pipeline, prediction), ipc in zip(_COLUMNS, cells, strict=True)
    ]


class IssueLimits(Experiment):
    """Limits of a trace of the firmware on one core, parallelization overheads left out."""

    name = "hpca05-table-2"
    summary = "Theoretical peak IPC of NIC firmware by issue order, width, pipeline and branch prediction"
    source = hpca("table 2, section 2.2")
    key = (
        Column("order", "order"),
        Column("issue_width", "width"),
        Column("pipeline", "pipeline"),
        Column("branch_prediction", "branch prediction"),
    )
    measured = (Column("ipc", "IPC"),)
    published = published_rows()
    notes = ("The trace is of this project's firmware, compiled by another compiler for MIPS II.",)

    def points(self, extent: Extent) -> Sequence[Point[list[IssueLimit]]]:
        """One trace, all limits in one pass."""
        return [Point(TraceStudy(uniprocessor(extent), limits, "issue-limits"), rows_of)]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 2.2."""

        def ipc(order: str, width: int, pipeline: str, prediction: str) -> float:
            row: Row = only(
                rows, order=order, issue_width=width, pipeline=pipeline, branch_prediction=prediction
            )
            return number(row, "ipc")

        scalar = ipc("in_order", 1, "stalls", "none")
        return [
            near("an in-order core with stalls and no branch prediction sustains 0.87", scalar, 0.87),
            near(
                "out of order, two wide, predicting a branch per cycle, a core reaches 1.74",
                ipc("out_of_order", 2, "stalls", "one_per_cycle"),
                1.74,
            ),
            near(
                "out of order, two wide, predicting a branch per cycle, a core is twice as fast as that",
                ipc("out_of_order", 2, "stalls", "one_per_cycle") / scalar,
                2.0,
            ),
            *(
                near(
                    f"{order.replace('_', ' ')}, {width} wide, with stalls and no branch prediction, "
                    f"a core reaches {_PUBLISHED[order, width][-1]:.2f}",
                    ipc(order, width, "stalls", "none"),
                    _PUBLISHED[order, width][-1],
                )
                for order, width in (
                    ("in_order", 2),
                    ("in_order", 4),
                    ("out_of_order", 2),
                    ("out_of_order", 4),
                )
            ),
            at_least(
                "in order, four wide, removing hazards matters more than predicting branches",
                ipc("in_order", 4, "perfect", "none") - ipc("in_order", 4, "stalls", "perfect"),
                0.0,
            ),
            at_least(
                "out of order, four wide, predicting branches matters more than removing hazards",
                ipc("out_of_order", 4, "stalls", "perfect") - ipc("out_of_order", 4, "perfect", "none"),
                0.0,
            ),
        ]
