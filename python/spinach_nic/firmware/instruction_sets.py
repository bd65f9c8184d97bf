"""Instruction sets of the cores, as described in `spinach-isa`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from spinach_nic import _native


class Toolchain(Struct, frozen=True):
    """Compilers for an instruction set."""

    clang: Sequence[str]
    """Options of Clang from the `ziglang` wheel."""
    linker_emulation: str
    """Linker emulation, after `-m`."""
    gcc: tuple[str, str]
    """Prefix of the names of GCC's programs, and the system package that contains them."""
    gcc_options: Sequence[str]
    qemu: str
    """QEMU's user emulator for programs of the set."""
    folder: str
    """Folder in `firmware/architecture` of its start-up code and its headers."""


class ElfIdentity(Struct, frozen=True):
    """ELF identification of code of an instruction set."""

    machine: int
    name: str
    """Name of the machine, as `EM_RISCV`."""
    bits: int
    byte_order: Literal["big", "little"]
    level: tuple[str, str]
    """Instruction set level of the cores, and the compiler option for it."""


class InstructionSet(Struct, frozen=True):
    """An instruction set that cores execute."""

    name: str
    byte_order: Literal["big", "little"]
    word_bits: int
    parcel_bytes: int
    """Unit of length and address of instructions, in bytes."""
    elf: ElfIdentity
    toolchain: Toolchain
    extensions: Sequence[str]
    general_registers: Sequence[str]
    """Their names, by number."""
    further_registers: Sequence[tuple[str, str]]
    """Names of other registers to show after a fault, and the position of each in the state of a core."""


def _read() -> dict[str, InstructionSet]:
    sets = {}
    for one in json.loads(_native.instruction_sets()):
        elf, toolchain = ElfIdentity(**one.pop("elf")), Toolchain(**one.pop("toolchain"))
        sets[one["name"]] = InstructionSet(**one, elf=elf, toolchain=toolchain)
    return sets


INSTRUCTION_SETS: Mapping[str, InstructionSet] = _read()
"""Instruction sets by name. The first is the default of cores."""

DEFAULT_INSTRUCTION_SET = next(iter(INSTRUCTION_SETS))
