"""VLIW machines, and the code of an image scheduled for one (the VLIW paper, sections 3.2 and 4)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Literal, Self

from spinach_nic import _native
from spinach_nic.support.arguments import Within, check_fields, checked

UNITS = Within(0, 64)
LATENCIES = Within(1, 1000)


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
    """Operations in a bundle, if fewer than the units."""
    load_latency: Annotated[int, LATENCIES]
    """Bundles from a load to the first use of its data."""
    multiply_latency: Annotated[int, LATENCIES]
    memory_order: Literal["stores", "disjoint_offsets"]
    """Stores stay in order with all accesses, or only with those that may overlap them."""
    register_renaming: bool
    """True if every result has a separate register: a bound, since no core has that many."""
    original_delay_slot: bool
    """The delay slot holds only the instruction of the compiler."""

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
        """Maximum operations in a bundle."""
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
        """Return the same units with other rules."""
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
        extensions: Extensions of the instruction set, such as `atomic_bit_array`.

    Raises:
        SpinachError: No image with code and symbols, a machine that lacks a unit or has slow results, or code
            in which control enters a delay slot.
    """
    return VliwCode(*_native.vliw_layout(image, machine.to_json(), list(extensions)))
