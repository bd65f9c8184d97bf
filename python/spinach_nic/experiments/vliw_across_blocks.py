"""Beyond the VLIW paper: what its scheduler leaves between basic blocks and in registers used again."""

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
    Row,
    Rows,
    TraceStudy,
    at_least,
    at_most,
    expectation,
    number,
    only,
)
from spinach_nic.studies.analysis import TracedRun, VliwMachine, schedule_paths

UNITS = ((1, 1), (3, 3))
"""Integer and load/store units; there is one for branches."""
BLOCKS = (1, 2, 4, 8)
"""The most basic blocks that are scheduled as one. A single one is what the paper does."""


def bounds(traced: TracedRun) -> Rows:
    """Return a row for each machine, length of paths, and rule."""
    rows: list[Row] = []
    for integer, load_store in UNITS:
        table_1 = VliwMachine.of(integer, load_store, 1)
        machines = {
            "none": table_1,
            "registers": table_1.with_options(register_renaming=True),
            "registers and offsets": table_1.with_options(
                register_renaming=True, memory_order="disjoint_offsets"
            ),
        }
        for removed, machine in machines.items():
            for blocks in BLOCKS:
                found = schedule_paths(traced.image, traced.instructions, machine, blocks_maximum=blocks)
                rows.append(
                    {
                        "integer_units": integer,
                        "load_store_units": load_store,
                        "removed": removed,
                        "blocks": blocks,
                        "frames_per_kilocycle": found.frames_per_kilocycle(traced.frames),
                        "ipc": found.instructions_per_cycle,
                        "paths": found.blocks,
                    }
                )
    return rows


class AcrossBlocks(Experiment):
    """Upper bounds: paths of several blocks that are all foreseen, and a register for every result."""

    name = "vliw-across-blocks"
    summary = "What register renaming and scheduling across basic blocks would add to a VLIW core, at most"
    source = vliw_firmware("sections 3.2 and 5 (excluded by its scheduler)")
    key = (
        Column("integer_units", "integer"),
        Column("load_store_units", "load/store"),
        Column("removed", "false dependences removed"),
        Column("blocks", "blocks as one"),
    )
    measured = (
        Column("frames_per_kilocycle", "frames per 1000 cycles"),
        Column("ipc", "IPC"),
        Column("paths", "different paths"),
    )
    notes = (
        "One block as one, and none removed, is `vliw-table-1`. Registers: every result has a separate one. "
        "Offsets: accesses relative to the same value of a register that do not overlap pass each other.",
        "Blocks that follow each other are scheduled as one, as if every path were foreseen and never left "
        "early; only what has side effects stays behind branches. A compiler reaches less.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Rows]]:
        """One trace, all bounds."""
        study = TraceStudy(uniprocessor(extent), bounds, "vliw --all --path-blocks 4 --rename-registers")
        return [Point(study, list)]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Sections 3.2 and 5."""

        def ipc(removed: str, blocks: int) -> float:
            integer, load_store = UNITS[-1]
            row = only(
                rows, integer_units=integer, load_store_units=load_store, removed=removed, blocks=blocks
            )
            return number(row, "ipc")

        return [
            at_most(
                "within a block registers are rarely used again: renaming adds less than 5 %",
                ipc("registers", 1) / ipc("none", 1),
                1.05,
                ours="rarely is a twentieth",
            ),
            expectation(
                at_least(
                    "what is exhausted is the parallelism within blocks: four as one have more",
                    ipc("none", 4) / ipc("none", 1),
                    1.05,
                    ours="a twentieth",
                )
            ),
        ]
