"""Beyond the VLIW paper: the schedules are executed, by one core and by several."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from spinach_nic.experiments._papers import vliw_firmware
from spinach_nic.experiments._parallelism import processors, uniprocessor
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    TraceStudy,
    at_least,
    at_most,
    expectation,
    figure_of,
    near,
    number,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.studies.analysis import TracedRun, VliwEvaluation, VliwMachine, schedule_blocks
from spinach_nic.support.measured import Measured

UNITS = ((1, 1), (2, 1), (3, 3), (6, 6))
"""Integer and load/store units."""
PROCESSORS = (1, 2, 4)
_CLOCK_MHZ = 100


def estimates(traced: TracedRun) -> list[tuple[tuple[int, int], VliwEvaluation, int]]:
    """Return the offline schedule's estimate for each machine, with its number of frames."""
    found = []
    for integer, load_store in UNITS:
        machine = VliwMachine.of(integer, load_store, 1)
        evaluation, _ = schedule_blocks(traced.image, traced.instructions, machine)
        found.append(((integer, load_store), evaluation, traced.frames))
    return found


def estimated(found: list[tuple[tuple[int, int], VliwEvaluation, int]]) -> Rows:
    """Return a row for each estimate."""
    return [
        {
            "core": "estimate",
            "processors": 1,
            "integer_units": units[0],
            "load_store_units": units[1],
            "frames_per_kilocycle": evaluation.frames_per_kilocycle(frames),
            "ipc": evaluation.instructions_per_cycle,
            "issue_cycles": 1.0,
            "pipeline_cycles": 0.0,
            "memory_cycles": 0.0,
        }
        for units, evaluation, frames in found
    ]


def executed(core: str, count: int, units: tuple[int, int], result: Result) -> Rows:
    """Return a row for a run."""
    assert result.cores_mean is not None
    cycles = result.cores_mean.cycles
    frames_per_kilocycle = result.both("frames_per_s") / (_CLOCK_MHZ * 10**3)
    return [
        {
            "core": core,
            "processors": count,
            "integer_units": units[0],
            "load_store_units": units[1],
            **with_errors(frames_per_kilocycle=frames_per_kilocycle),
            "ipc": result.cores_mean.ipc * count,
            "issue_cycles": cycles["execution"],
            "pipeline_cycles": cycles["pipeline"],
            "memory_cycles": cycles["load"] + cycles["conflict"] + cycles["instruction_miss"],
        }
    ]


class Execution(Experiment):
    """Estimate, single-issue core and VLIW core on the same firmware, and VLIW cores side by side."""

    name = "vliw-execution"
    summary = "Scheduled firmware executed by VLIW cores in the NIC, compared with the offline estimate"
    source = vliw_firmware("sections 5 and 7 (multi-core VLIW, recommended and not evaluated)")
    key = (
        Column("core", "core"),
        Column("processors", "processors"),
        Column("integer_units", "integer"),
        Column("load_store_units", "load/store"),
    )
    measured = (
        Column("frames_per_kilocycle", "frames per 1000 cycles"),
        Column("ipc", "IPC"),
        Column("issue_cycles", "cycles that issue", digits=3),
        Column("pipeline_cycles", "hazards", digits=3),
        Column("memory_cycles", "memory", digits=3),
    )
    notes = (
        "The estimate has perfect memory and issues a bundle in every cycle; the cores share the NIC's "
        "scratch pad and wait for what they load and for what they branch on.",
        f"Cores run at {_CLOCK_MHZ} MHz, so that the link does not limit them.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Any]]:
        """Return a trace for the estimates; a run for each machine."""
        points: list[Point[Any]] = [
            Point(TraceStudy(uniprocessor(extent), estimates, "vliw --all"), estimated)
        ]
        for count in PROCESSORS:
            scalar = processors(extent, count, _CLOCK_MHZ)
            points.append(Point(scalar, partial(executed, "pipelined", count, (1, 1))))
            for units in UNITS if count == 1 else UNITS[2:3]:
                integer, load_store = units
                request = processors(
                    extent, count, _CLOCK_MHZ, core="vliw", integer_units=integer, load_store_units=load_store
                )
                points.append(Point(request, partial(executed, "vliw", count, units)))
        return points

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the paper's expectations of its estimate, and of several VLIW cores."""

        def frames(core: str, count: int, units: tuple[int, int]) -> Measured:
            row = only(rows, core=core, processors=count, integer_units=units[0], load_store_units=units[1])
            return figure_of(row, "frames_per_kilocycle")

        def instructions(core: str, count: int, units: tuple[int, int]) -> float:
            row = only(rows, core=core, processors=count, integer_units=units[0], load_store_units=units[1])
            return number(row, "ipc")

        wide = UNITS[2]
        two_cores = ("pipelined", 2, (1, 1))
        return [
            near(
                "by the estimate three units handle 3.71 frames where a single-issue core handles 2.64",
                frames("estimate", 1, UNITS[0]) / frames("pipelined", 1, (1, 1)),
                3.71 / 2.64,
            ),
            near(
                "by the estimate seven units handle 5.15 frames where two single-issue cores handle 5.59",
                frames("estimate", 1, wide) / frames(*two_cores),
                5.15 / 5.59,
            ),
            at_least(
                "by the estimate the widest machine executes more instructions per cycle than two cores",
                instructions("estimate", 1, UNITS[3]) / instructions(*two_cores),
                1.0,
            ),
            at_least(
                "two cores handle more frames than the estimate of the widest machine",
                frames(*two_cores) / frames("estimate", 1, UNITS[3]),
                1.0,
            ),
            at_least(
                "a three-wide VLIW core handles more frames than a single-issue one",
                frames("vliw", 1, UNITS[0]) / frames("pipelined", 1, (1, 1)),
                1.0,
            ),
            at_least(
                "a VLIW core of seven units handles as many frames as two single-issue cores",
                frames("vliw", 1, wide) / frames("pipelined", 2, (1, 1)),
                0.9,
                ours="comparable is within a tenth",
            ),
            expectation(
                at_least(
                    "the estimate is reached in execution",
                    frames("vliw", 1, wide) / frames("estimate", 1, wide),
                    0.9,
                    ours="within a tenth",
                )
            ),
            at_least(
                "four VLIW cores handle more frames than four single-issue ones",
                frames("vliw", 4, wide) / frames("pipelined", 4, (1, 1)),
                1.0,
            ),
            at_most(
                "more than seven units bring little",
                frames("vliw", 1, UNITS[3]) / frames("vliw", 1, wide),
                1.05,
                ours="little is a twentieth",
            ),
        ]
