"""Places of instructions: their task, function and source line."""

from __future__ import annotations

from collections.abc import Mapping

from spinach_nic.firmware import Executable
from spinach_nic.firmware.tasks import FirmwareTask
from spinach_nic.runs.profiling.model import Place
from spinach_nic.runs.tasks import ELSEWHERE


def place_of(executable: Executable, tasks: Mapping[str, FirmwareTask], address: int) -> Place:
    """Return the place of the instruction at an address."""
    inside = (name for name, task in tasks.items() if any(address in piece for piece in task.pieces))
    place = next(inside, ELSEWHERE)
    function = executable.function_at(address)
    line = executable.source_line_at(address)
    # Assembly often has no functions, but it has a file.
    file = ELSEWHERE if line is None else line.file
    name = file if function is None else executable.label_of(function)
    return Place(place, name, executable.inlined_at(address), "" if line is None else str(line))
