"""The tasks of firmware, as its linker script declares them.

A script marks the functions of a task by two symbols, `task_NAME_start` and `task_NAME_end`, and further
pieces of it by `task_NAME_2_start` and so on. `task_NAME_traits` combines the traits of the task, which the
script defines as symbols themselves: `task_trait_` and one of `tx`, `rx`, `dispatch`, `locking`, `waiting`.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from spinach_nic.firmware.elf import Executable
from spinach_nic.traffic import DIRECTIONS, Direction

Sort = Literal["work", "dispatch", "locking", "waiting"]
SORTS: tuple[Sort, ...] = ("dispatch", "locking", "waiting")
"""Kinds of tasks in linker scripts; other tasks are work."""

_START = re.compile(r"task_(?P<piece>(?P<name>\w+?)(?:_[0-9]+)?)_start")
_TRAIT = "task_trait_"


class FirmwareTask(Struct, frozen=True):
    """A task of firmware."""

    pieces: tuple[range, ...]
    """The addresses of its instructions."""
    directions: tuple[Direction, ...]
    """Direction of its frames; both for a task without one."""
    sort: Sort
    """`work` on frames; `dispatch`, which finds work and orders it; `locking`; `waiting` for work."""


def tasks_of(executable: Executable) -> dict[str, FirmwareTask]:
    """Return the tasks that the linker script has marked, by name, in the order of the symbols."""
    pieces: dict[str, tuple[range, ...]] = {}
    for symbol_name, symbol in executable.symbols.items():
        found = _START.fullmatch(symbol_name)
        end = executable.symbols.get(f"task_{found['piece']}_end") if found else None
        if found and end is not None:
            name = found["name"]
            pieces[name] = (*pieces.get(name, ()), range(symbol.address, end.address))
    return {name: FirmwareTask(ranges, *_traits(executable, name)) for name, ranges in pieces.items()}


def code_without_functions(executable: Executable) -> list[tuple[range, str, str]]:
    """Return the code of tasks that is in no function, such as dispatch loops in assembly.

    Returns:
        The addresses, the source file or the name of the task, and the task.
    """
    found: list[tuple[range, str, str]] = []
    for name, task in tasks_of(executable).items():
        for piece in task.pieces:
            start = piece.start
            inside = [one for one in executable.functions if one.address in piece]
            for function in inside:
                found += _named(executable, range(start, function.address), name)
                start = max(start, function.address + function.bytes)
            found += _named(executable, range(start, piece.stop), name)
    return found


def _named(executable: Executable, code: range, task: str) -> list[tuple[range, str, str]]:
    line = executable.source_line_at(code.start) if code else None
    return [(code, task if line is None else line.file, task)] if code else []


def _traits(executable: Executable, task: str) -> tuple[tuple[Direction, ...], Sort]:
    symbols = executable.symbols
    declared = symbols.get(f"task_{task}_traits")

    def has(trait: str) -> bool:
        known = symbols.get(_TRAIT + trait)
        return declared is not None and known is not None and bool(declared.address & known.address)

    directions = tuple(direction for direction in DIRECTIONS if has(direction))
    return directions or DIRECTIONS, next((sort for sort in SORTS if has(sort)), "work")


def tasks_of_functions(executable: Executable) -> dict[str, str]:
    """Return the task that each function belongs to, as the linker script marks them."""
    tasks = tasks_of(executable)
    return {
        function.name: name
        for function in executable.functions
        for name, task in tasks.items()
        if any(function.address in piece for piece in task.pieces)
    }
