"""VLIW scheduling of the basic blocks that a trace executes (the VLIW paper, sections 3.2 and 4)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from spinach_nic import _native
from spinach_nic.firmware.instruction_sets import DEFAULT_INSTRUCTION_SET
from spinach_nic.firmware.vliw import VliwMachine
from spinach_nic.studies.analysis.traces import TraceFilter, describe_trace
from spinach_nic.support.arguments import Within, checked
from spinach_nic.support.errors import SpinachError

TABLE_1_UNITS = ((1, 1, 1), (2, 1, 1), (2, 3, 1), (3, 3, 1), (4, 4, 1), (5, 5, 1), (6, 6, 1))
"""The machines of the VLIW paper, table 1, as integer, load/store and branch units."""


PATHS = Within(1, 1 << 16)
"""Range of the blocks of a path."""


@dataclass(frozen=True)
class VliwEvaluation:
    """Performance of a machine on a profile."""

    cycles: int
    operations: int
    """Operations executed, without NOPs: neither those of the source nor those that fill bundles."""
    slots: int
    """Issue slots of all cycles."""
    source_instructions: int
    source_nops: int
    unscheduled_instructions: int
    """Instructions of the trace that are in no block of the image; they take no cycles here."""
    blocks: int

    @property
    def instructions_per_cycle(self) -> float:
        """Operations per cycle."""
        return self.operations / self.cycles if self.cycles else 0.0

    @property
    def nops(self) -> int:
        """NOPs that fill bundles."""
        return self.slots - self.operations

    @property
    def utilisation(self) -> float:
        """Fraction of issue slots filled."""
        return self.operations / self.slots if self.slots else 0.0

    def frames_per_kilocycle(self, frames: int) -> float:
        """Frames per thousand cycles, if the trace is of the processing of `frames`."""
        return 1000 * frames / self.cycles if self.cycles else 0.0


@dataclass(frozen=True)
class Dependence:
    """Instruction `to` comes at least `latency` bundles after `from_`; 0 allows the same bundle."""

    from_: int
    to: int
    latency: int


@dataclass(frozen=True)
class ScheduledBlock:
    """A basic block and its bundles. Instructions are indexes into `instructions`."""

    address: int
    function: str | None
    entries: int
    """Number of entries of control."""
    instructions: Sequence[str]
    units: Sequence[int | None]
    """Kind of unit per instruction; `None` for NOPs."""
    exit: int | None
    """The branch, jump or exception that control leaves by."""
    delay_slots: int
    annuls: bool
    """The delay slot executes only if the branch is taken."""
    dependences: Sequence[Dependence]
    bundles: Sequence[Sequence[int]]
    wait_cycles: int
    """Cycles after the last bundle until slow results have arrived."""


@checked
def check_schedulable(trace: Path) -> None:
    """Check that a trace is of firmware for the default instruction set, that of the VLIW machines.

    Raises:
        SpinachError: The trace is of firmware for another instruction set, or cannot be read.
    """
    traced, scheduled = describe_trace(trace).instruction_set, DEFAULT_INSTRUCTION_SET
    if traced != scheduled:
        message = f"the VLIW study takes {scheduled} firmware only, and {trace} is of {traced} firmware"
        raise SpinachError(
            message, f"trace a card with {scheduled} cores, as with --set instruction_set={scheduled}"
        )


@checked
def schedule_blocks(
    image: Path, trace: Path, machine: VliwMachine, filter: TraceFilter | None = None
) -> tuple[VliwEvaluation, list[ScheduledBlock]]:
    """Schedule the blocks of an image that a trace of it executes, those that take most cycles first.

    Raises:
        SpinachError: No image with code and symbols, no instruction trace, another instruction set than
            the default, an image other than the firmware of the trace, an unknown name in the filter, or a
            machine that lacks a unit.
    """
    check_schedulable(trace)
    found = json.loads(_native.schedule_blocks(image, trace, _filter(filter), machine.to_json()))
    return VliwEvaluation(**found["evaluation"]), [_block(fields) for fields in found["blocks"]]


@checked
def schedule_paths(
    image: Path,
    trace: Path,
    machine: VliwMachine,
    filter: TraceFilter | None = None,
    *,
    blocks_maximum: Annotated[int, PATHS],
) -> VliwEvaluation:
    """Return an upper bound for scheduling across blocks: consecutive blocks are scheduled together.

    Every path that the trace takes has a separate schedule and is never left early; instructions without side
    effects move past branches. In the result `blocks` counts different paths. With paths of one block this is
    `schedule_blocks`.

    Args:
        image: The ELF file that was traced.
        trace: The instruction trace.
        machine: The units.
        filter: Selection of the instructions that count.
        blocks_maximum: Maximum number of blocks in a path.

    Raises:
        SpinachError: The errors of `schedule_blocks`, or no block.
    """
    check_schedulable(trace)
    found = _native.schedule_paths(image, trace, _filter(filter), machine.to_json(), blocks_maximum)
    return VliwEvaluation(**json.loads(found))


@checked
def vliw_listing(
    image: Path,
    trace: Path,
    machine: VliwMachine,
    filter: TraceFilter | None = None,
    *,
    blocks_maximum: Annotated[int, Within(0, 10**6)] = 20,
) -> str:
    """Return the source and the bundles of the blocks that take most cycles, side by side.

    Raises:
        SpinachError: The errors of `schedule_blocks`.
    """
    check_schedulable(trace)
    return _native.vliw_listing(image, trace, _filter(filter), machine.to_json(), blocks_maximum)


def _filter(filter: TraceFilter | None) -> str:
    return (filter or TraceFilter()).to_json()


def _block(fields: dict[str, Any]) -> ScheduledBlock:
    schedule = fields.pop("schedule")
    dependences = [
        Dependence(edge["from"], edge["to"], edge["latency"]) for edge in fields.pop("dependences")
    ]
    return ScheduledBlock(**fields, dependences=dependences, **schedule)
