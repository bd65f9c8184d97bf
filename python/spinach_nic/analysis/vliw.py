"""VLIW scheduling of the basic blocks of an image (`vliw-firmware`, sections 3.2 and 4)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from spinach_nic import _native
from spinach_nic.analysis.traces import TraceFilter
from spinach_nic.arguments import Within, check_fields, checked

TABLE_1_UNITS = ((1, 1, 1), (2, 1, 1), (2, 3, 1), (3, 3, 1), (4, 4, 1), (5, 5, 1), (6, 6, 1))
"""The machines of `vliw-firmware`, table 1, as integer, load/store and branch units."""


UNITS = Within(0, 64)
LATENCIES = Within(1, 1000)
PATHS = Within(1, 1 << 16)
"""Blocks of a path."""


@dataclass(frozen=True)
class Unit:
    """Several units of one kind."""

    name: str
    count: Annotated[int, UNITS]
    classes: Sequence[str]
    """The classes of operations they execute, as `Alu` or `Load`."""

    def __post_init__(self) -> None:
        """Reject invalid units."""
        check_fields(self)


@dataclass(frozen=True)
class VliwMachine:
    """A machine that issues one bundle per cycle. `VliwMachine.of` makes those of the paper."""

    units: Sequence[Unit]
    issue_width: Annotated[int, Within(1, 1024)] | None
    """Operations in a bundle, if fewer than there are units."""
    load_latency: Annotated[int, LATENCIES]
    """Bundles from a load to the first that can use what it loads."""
    multiply_latency: Annotated[int, LATENCIES]
    memory_order: Literal["stores", "disjoint_offsets"]
    """Stores stay in order with all accesses; or only with those that are not seen to be elsewhere."""
    register_renaming: bool
    """True if every result has a separate register: a bound, since no core has that many."""
    original_delay_slot: bool
    """The delay slot holds only what the compiler put there."""

    def __post_init__(self) -> None:
        """Reject invalid machines."""
        check_fields(self)

    @classmethod
    @checked
    def of(
        cls,
        integer: Annotated[int, UNITS],
        load_store: Annotated[int, UNITS],
        branch: Annotated[int, UNITS],
    ) -> Self:
        """Return a machine of table 1: the given units, every result in the next cycle, stores in order."""
        fields = json.loads(_native.vliw_machine(integer, load_store, branch))
        return cls(**{**fields, "units": tuple(Unit(**unit) for unit in fields["units"])})

    @property
    def width(self) -> int:
        """Operations in a bundle at most."""
        units = sum(unit.count for unit in self.units)
        return units if self.issue_width is None else min(units, self.issue_width)

    def with_options(
        self,
        *,
        issue_width: int | None = None,
        load_latency: int = 1,
        multiply_latency: int = 1,
        memory_order: Literal["stores", "disjoint_offsets"] = "stores",
        register_renaming: bool = False,
        original_delay_slot: bool = False,
    ) -> Self:
        """The same units with other rules."""
        return replace(
            self,
            issue_width=issue_width,
            load_latency=load_latency,
            multiply_latency=multiply_latency,
            memory_order=memory_order,
            register_renaming=register_renaming,
            original_delay_slot=original_delay_slot,
        )

    def to_json(self) -> str:
        """Return the machine for the native scheduler."""
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class VliwEvaluation:
    """Performance of a machine on a profile."""

    cycles: int
    operations: int
    """Operations executed, without NOPs: neither those of the source nor those that fill bundles."""
    slots: int
    """Places for operations in all cycles."""
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
        """Share of the places that hold operations."""
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


@dataclass(frozen=True)
class VliwCode:
    """The code of an image, scheduled and laid out for a VLIW core."""

    base: int
    """The first address, as in the image."""
    slices: Sequence[bytes]
    """Content of the parallel memories: 16 bytes of each bundle in the first, the next 16 in the second.
    An instruction's place of 4 bytes in the image is a bundle's place of 16 bytes in each."""
    bundles: int
    operations: int
    """Number of operations, without NOPs."""


@checked
def vliw_code(image: Path, machine: VliwMachine, *, extensions: Sequence[str] = ()) -> VliwCode:
    """Schedule all code of an image, verify every block's schedule, and lay it out for a `VliwCore` core.

    Code addresses keep their values: a block of bundles begins where the block of instructions did.

    Args:
        image: An ELF executable for the instruction set of that core.
        machine: The units of the core. Every result must be ready in the next cycle.
        extensions: Of the instruction set, as `atomic_bit_array`.

    Raises:
        SpinachError: No image with code and symbols, a machine that lacks a unit or has slow results, or code
            in which control enters a delay slot.
    """
    return VliwCode(*_native.vliw_layout(image, machine.to_json(), list(extensions)))


@checked
def schedule_blocks(
    image: Path, trace: Path, machine: VliwMachine, filter: TraceFilter | None = None
) -> tuple[VliwEvaluation, list[ScheduledBlock]]:
    """Schedule the blocks of an image that a trace of it executes, those that take most cycles first.

    Raises:
        SpinachError: No image with code and symbols, no complete instruction trace, an unknown name in the
            filter, or a machine that lacks a unit.
    """
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
    """Bound what scheduling across blocks could bring: blocks that follow each other are scheduled as one.

    Every path that the trace takes has a separate schedule and is never left early; instructions without side
    effects move past branches. In the result `blocks` counts different paths. With paths of one block this is
    `schedule_blocks`.

    Args:
        image: The ELF file that was traced.
        trace: The instruction trace.
        machine: The units.
        filter: Which instructions count.
        blocks_maximum: How many blocks a path has at most.

    Raises:
        SpinachError: As `schedule_blocks`, or no block.
    """
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
    """The source and the bundles of the blocks that take most cycles, side by side.

    Raises:
        SpinachError: As `schedule_blocks`.
    """
    return _native.vliw_listing(image, trace, _filter(filter), machine.to_json(), blocks_maximum)


def _filter(filter: TraceFilter | None) -> str:
    return (filter or TraceFilter()).to_json()


def _block(fields: dict[str, Any]) -> ScheduledBlock:
    schedule = fields.pop("schedule")
    dependences = [
        Dependence(edge["from"], edge["to"], edge["latency"]) for edge in fields.pop("dependences")
    ]
    return ScheduledBlock(**fields, dependences=dependences, **schedule)
