"""The VLIW paper, table 1: firmware scheduled for VLIW machines of growing width."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._papers import vliw_firmware
from spinach_nic.experiments._parallelism import uniprocessor
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
    near,
    number,
    only,
)
from spinach_nic.studies.analysis import TABLE_1_UNITS, TracedRun, VliwMachine, schedule_blocks

PUBLISHED = ((3.71, 1.19), (4.20, 1.35), (4.97, 1.60), (5.15, 1.65), (5.20, 1.67), (5.23, 1.67), (5.23, 1.67))
"""Frames per thousand cycles and instructions per cycle, machine by machine."""


def schedules(traced: TracedRun) -> Rows:
    """Return a row for each machine: its schedule weighted by how often one core executed each block."""
    rows = []
    for units in TABLE_1_UNITS:
        machine = VliwMachine.of(*units)
        found, _ = schedule_blocks(traced.image, traced.instructions, machine)
        integer, load_store, branch = units
        rows.append(
            {
                "processors": 1,
                "issue_width": machine.width,
                "integer_units": integer,
                "load_store_units": load_store,
                "branch_units": branch,
                "frames_per_kilocycle": found.frames_per_kilocycle(traced.frames),
                "ipc": found.instructions_per_cycle,
                "slots_used": found.utilisation,
            }
        )
    return rows


class VliwWidths(Experiment):
    """Basic blocks scheduled, perfect memory, a bundle per cycle."""

    name = "vliw-table-1"
    summary = "Frames per thousand cycles and IPC of one VLIW core by its units"
    source = vliw_firmware("table 1, section 5")
    key = (
        Column("processors", "processors"),
        Column("issue_width", "width"),
        Column("integer_units", "integer"),
        Column("load_store_units", "load/store"),
        Column("branch_units", "branch"),
    )
    measured = (
        Column("frames_per_kilocycle", "frames per 1000 cycles"),
        Column("ipc", "IPC"),
        Column("slots_used", "slots used"),
    )
    published = tuple(
        {
            "processors": 1,
            "issue_width": sum(units),
            "integer_units": units[0],
            "load_store_units": units[1],
            "branch_units": units[2],
            "frames_per_kilocycle": frames,
            "ipc": ipc,
        }
        for units, (frames, ipc) in zip(TABLE_1_UNITS, PUBLISHED, strict=True)
    )
    notes = (
        "The schedules are of this project's firmware, so the work for a frame is not that of the paper's.",
        "What register renaming and scheduling across blocks would add is in `vliw-across-blocks`.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Rows]]:
        """One trace, every machine."""
        return [Point(TraceStudy(uniprocessor(extent), schedules, "vliw --all"), list)]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 5."""
        ipc = {int(number(row, "issue_width")): number(row, "ipc") for row in rows}
        frames = {width: number(only(rows, issue_width=width), "frames_per_kilocycle") for width in ipc}
        return [
            near("three wide, 3.71 frames per thousand cycles", frames[3], 3.71),
            near("three wide, 1.19 instructions per cycle", ipc[3], 1.19),
            near("seven wide, 5.15 frames per thousand cycles", frames[7], 5.15),
            near("seven wide, 1.65 instructions per cycle", ipc[7], 1.65),
            near("seven units handle 39 % more frames than three", frames[7] / frames[3], 1.39),
            near("at most 1.67 instructions per cycle, from nine units on", ipc[9], 1.67),
            at_least(
                "seven units execute more instructions per cycle than three",
                ipc[7] / ipc[3],
                1.05,
                ours="a twentieth",
            ),
            at_most(
                "more than nine units yield little", ipc[13] / ipc[9], 1.05, ours="little is a twentieth"
            ),
        ]
