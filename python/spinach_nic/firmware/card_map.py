"""Numbers that firmware takes from its card: addresses, sizes, memories and the number of cores.

A card states them once, in Python. The builder writes them into the header `spinach/card.h`, gives memories
to the linker, and records all of them in the image, so that an image can be checked before it runs on a card.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from spinach_nic.firmware.memory_range import MemoryRange
from spinach_nic.support.checked_records import check_record
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.records import Record
from spinach_nic.support.units import Size

HEADER = "spinach/card.h"
"""Name of the generated header, as firmware includes it."""

_MACRO = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, eq=False, repr=False)
class FirmwareMap(Record):
    """Addresses, sizes, memories and cores of a card, for the build of its firmware."""

    constants: Mapping[str, int | Size] = field(default_factory=dict)
    """Macros of the header `spinach/card.h`; sizes are in bytes."""
    memories: Sequence[MemoryRange] = ()
    """Memories for the linker script, unless `firmware.toml` describes one of the same name."""
    cores: int | None = None
    """Number of cores, unless `firmware.toml` states one."""

    def __post_init__(self) -> None:
        """Check the fields."""
        check_record(self)

    @property
    def numbers(self) -> dict[str, int]:
        """Values of the constants.

        Raises:
            SpinachError: A name is not an identifier of C, or a value is negative or longer than 64 bits.
        """
        return {name: _number(name, value) for name, value in self.constants.items()}

    def header(self) -> str:
        """Return the text of the header."""
        lines = [f"#define {name} {_literal(value)}" for name, value in self.numbers.items()]
        guard = HEADER.upper().replace("/", "_").replace(".", "_")
        about = "/* Numbers of the card, generated from its firmware_map() for this build. */"
        return "\n".join([about, f"#ifndef {guard}", f"#define {guard}", "", *lines, "", "#endif", ""])


def _number(name: str, value: int | Size) -> int:
    if not _MACRO.fullmatch(name):
        raise SpinachError(
            f"invalid name {name!r} of a firmware constant", "use letters, digits and _, as in HOST_RINGS"
        )
    number = value.bytes if isinstance(value, Size) else value
    if not 0 <= number < 2**64:
        raise SpinachError(f"firmware constant {name} = {number}", "give a value from 0 to 2^64 - 1")
    return number


def _literal(number: int) -> str:
    return f"0x{number:x}{'u' if number < 2**32 else 'ull'}"
