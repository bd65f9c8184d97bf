"""Registers that engines listen to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def flat(rows: Iterable[Iterable[int]]) -> list[int]:
    """Return the numbers of a table, row after row."""
    return [int(number) for row in rows for number in row]


class Listeners:
    """Listeners of registers: collects rows for the parameter `notify` of a `RegisterFile`."""

    def __init__(self) -> None:
        """Create an empty collection."""
        self.rows: list[tuple[int, int, int, int]] = []
        self.lanes = 0

    def add(self, *registers: int, hears_all: bool = False, followed: Sequence[int] = ()) -> int:
        """Add a listener of registers; return its lane of `written`.

        Args:
            registers: Registers whose writes are reported.
            hears_all: True if changes of these by others are reported too.
            followed: Further registers whose changes from any side are reported.
        """
        lane = self.lanes
        self.rows += [(register, register, lane, int(hears_all)) for register in registers]
        self.rows += [(register, register, lane, 1) for register in followed]
        self.lanes += 1
        return lane
