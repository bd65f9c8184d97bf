"""Registers that engines listen to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def flat(rows: Iterable[Iterable[int]]) -> list[int]:
    """The numbers of a table, row after row."""
    return [int(number) for row in rows for number in row]


class Listeners:
    """Listeners of registers: collects rows for the parameter `notify` of a `RegisterFile`."""

    def __init__(self) -> None:
        """No listeners yet."""
        self.rows: list[tuple[int, int, int, int]] = []
        self.lanes = 0

    def add(self, *registers: int, hears_all: bool = False, followed: Sequence[int] = ()) -> int:
        """Someone who hears of `registers`; returns the lane of `written` that is his.

        Args:
            registers: What he hears of when it is written.
            hears_all: Whether he hears of changes that others make to these, too.
            followed: Further registers, of whose changes it hears, from whichever side they come.
        """
        lane = self.lanes
        self.rows += [(register, register, lane, int(hears_all)) for register in registers]
        self.rows += [(register, register, lane, 1) for register in followed]
        self.lanes += 1
        return lane
