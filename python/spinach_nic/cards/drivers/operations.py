"""The operations of a host, and their encoding for a `ScriptedHost`."""

from __future__ import annotations

import struct
from collections.abc import Generator, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from spinach_nic.cards.drivers.codes import ScriptDrop, ScriptOperation, ScriptWake
from spinach_nic.support.units import Time

NEVER = 2**64 - 1
"""Time after any simulation, in femtoseconds."""

WORDS_PER_OPERATION = 4
MOST_OPERATIONS = 4096
"""Maximum number of operations in one script."""

INTERRUPT = ScriptWake.INTERRUPT
FRAME_DUE = ScriptWake.FRAME_DUE
DropReason = ScriptDrop

_COMMAND_REGISTER, _BASE_ADDRESS_REGISTER = 0x04, 0x10
_MEMORY_SPACE, _BUS_MASTER = 2, 4


class Operation(NamedTuple):
    """One operation of a script; made by the functions of this module."""

    code: int
    first: int = 0
    second: int = 0
    third: int = 0


_SEND, _TAKE = ScriptOperation.SEND, ScriptOperation.TAKE
_operation = partial(tuple.__new__, Operation)
"""Makes an operation for each frame, in half the time of the constructor."""

Program = Generator[Operation | Sequence[Operation], Any, None]
"""Running driver: it yields an operation and receives its result, or several and receives a list."""


def read_configuration(address: int, size: int = 4) -> Operation:
    """Read the configuration space of the NIC; all ones if nothing answers."""
    return Operation(ScriptOperation.READ_CONFIGURATION, address, size)


def write_configuration(address: int, value: int, size: int = 4) -> Operation:
    """Write to the configuration space of the NIC."""
    return Operation(ScriptOperation.WRITE_CONFIGURATION, address, value, size)


def enable_pci_function(base_address: int) -> list[Operation]:
    """Set the base address of a PCI function's first window; enable memory space and bus master."""
    return [
        write_configuration(_BASE_ADDRESS_REGISTER, base_address),
        write_configuration(_COMMAND_REGISTER, _MEMORY_SPACE | _BUS_MASTER, size=2),
    ]


def read(address: int, size: int = 4) -> Operation:
    """Read `size` bytes of the NIC as a little-endian number; all ones if nothing answers."""
    return Operation(ScriptOperation.READ, address, size)


def write(address: int, value: int, size: int = 4) -> Operation:
    """Write `size` bytes to the NIC."""
    return Operation(ScriptOperation.WRITE, address, value, size)


def wait(*, until: Time | None = None, for_interrupt: bool = False, for_frame: bool = False) -> Operation:
    """Wait until a moment, or until the interrupt line is asserted or a frame is due to be sent.

    The result is `INTERRUPT`, `FRAME_DUE`, both, or 0 if the time is up.
    """
    end = NEVER if until is None else until.femtoseconds
    return Operation(ScriptOperation.WAIT, end, INTERRUPT * for_interrupt + FRAME_DUE * for_frame)


def send(header: int, payload: int, header_bytes: int) -> Operation:
    """Put the next frame that is due into memory: its first bytes at `header`, the rest at `payload`.

    The result is the number of its bytes; 0 if none is due.
    """
    return _operation((_SEND, header, payload, header_bytes))


def take(address: int, length: int) -> Operation:
    """Check a frame that was received, byte for byte, and count it."""
    return _operation((_TAKE, address, length, 0))


def drop(reason: DropReason) -> Operation:
    """Count a frame that was received as dropped."""
    return Operation(ScriptOperation.DROP, reason)


def encoded(operations: Sequence[Operation]) -> bytes:
    """Return a script of these operations."""
    words = chain.from_iterable(operations)
    return struct.pack(f"<{1 + WORDS_PER_OPERATION * len(operations)}Q", len(operations), *words)


def results(script: bytes) -> list[int]:
    """Return the results in a script that is done."""
    words = struct.unpack(f"<{len(script) // 8}Q", script)
    return list(words[WORDS_PER_OPERATION::WORDS_PER_OPERATION])
