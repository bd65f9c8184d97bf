"""The VLIW paper, sections 1 and 3.1: how long the event handlers of the firmware are."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._papers import vliw_firmware
from spinach_nic.experiments._parallelism import uniprocessor
from spinach_nic.experiments._requirements import TASKS
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Row,
    Rows,
    TraceStudy,
    at_most,
    near,
    number,
    only,
)
from spinach_nic.firmware.elf import Executable
from spinach_nic.studies.analysis import TracedRun, TraceFilter, VliwMachine, schedule_blocks

HANDLERS = (
    "fetch_send_bds",
    "request_buffers",
    "handle_dma_reads",
    "retire_transmits",
    "fetch_receive_bds",
    "receive_frames",
    "handle_dma_writes",
)
"""Event handlers called by the dispatch loop of our firmware."""
MEAN, MEAN_BY_INVOCATIONS = "mean", "mean by invocations"
_COUNTS = ("static_instructions", "dynamic_instructions")


def sizes(traced: TracedRun) -> Rows:
    """Return a row for each handler, and their means, each with one weighting for both counts."""
    machine = VliwMachine.of(1, 1, 1)
    _, blocks = schedule_blocks(traced.image, traced.instructions, machine, TraceFilter(tasks=list(TASKS)))
    static = _instructions_of_functions(traced)
    rows: list[Row] = []
    for handler in HANDLERS:
        its = [block for block in blocks if block.function == handler]
        invocations = min(its, key=lambda block: block.address).entries
        executed = sum(block.entries * len(block.instructions) for block in its)
        rows.append(
            {
                "handler": handler,
                "invocations": invocations,
                "static_instructions": float(static[handler]),
                "dynamic_instructions": executed / invocations,
            }
        )
    by_invocations = [int(number(row, "invocations")) for row in rows]
    return [
        *rows,
        _mean(MEAN, rows, [1] * len(rows)),
        _mean(MEAN_BY_INVOCATIONS, rows, by_invocations),
    ]


def _mean(name: str, rows: Rows, weights: Sequence[int]) -> Row:
    def mean(count: str) -> float:
        weighted = (number(row, count) * weight for row, weight in zip(rows, weights, strict=True))
        return sum(weighted) / sum(weights)

    invocations = int(sum(number(row, "invocations") for row in rows))
    return {"handler": name, "invocations": invocations, **{count: mean(count) for count in _COUNTS}}


def _instructions_of_functions(traced: TracedRun) -> dict[str, int]:
    functions = Executable.load(traced.image).functions
    return {function.name: function.bytes // 4 for function in functions}


class Handlers(Experiment):
    """One core with more frames than it can process."""

    name = "vliw-handlers"
    summary = "Static and executed instructions of the event handlers"
    source = vliw_firmware("sections 1 and 3.1")
    key = (Column("handler", "handler"),)
    measured = (
        Column("invocations", "invocations"),
        Column("static_instructions", "static instructions", digits=0),
        Column("dynamic_instructions", "executed by an invocation", digits=0),
    )
    published = ({"handler": MEAN, "static_instructions": 95.0, "dynamic_instructions": 217.0},)
    notes = (
        "Rows have the code of the handlers, without that of functions that they call. The paper averages "
        "static and executed instructions over handlers: so does the mean that claims compare. The mean by "
        "invocations weights both counts by them.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Rows]]:
        """One trace."""
        return [Point(TraceStudy(uniprocessor(extent), sizes, "vliw --blocks 20"), list)]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Sections 1 and 3.1."""
        mean = only(rows, handler=MEAN)
        static, dynamic = (number(mean, f"{kind}_instructions") for kind in ("static", "dynamic"))
        return [
            near("handlers average 95 static instructions", static, 95),
            near("handlers average 217 executed instructions", dynamic, 217),
            at_most("handlers execute less than 220 instructions on average", dynamic, 220),
        ]
