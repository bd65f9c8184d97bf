"""Instant experiments. Their requests are pickled for other processes, so they are in a module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spinach_nic import SpinachError
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    Source,
    at_least,
    number,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

carried_out: list[int] = []
"""Requests carried out in this process."""


class SystemFailureError(SpinachError):
    """Failure as of a lost frame."""

    exit_code = 3


@dataclass(frozen=True)
class Square:
    """Asks for a square."""

    side: int

    def carry_out(self) -> int:
        """Multiply."""
        carried_out.append(self.side)
        if self.side == 13:
            raise SystemFailureError("13 is not accounted for", "look at the firmware")
        if self.side == 17:
            raise KeyboardInterrupt
        return self.side * self.side

    def __str__(self) -> str:
        """Return the user's wording."""
        return f"square {self.side}"


class Squares(Experiment):
    """The squares of some numbers; every square is claimed to be 9 or more."""

    name = "tiny-table-1"
    summary = "Squares"
    source = Source("Arithmetic", "table 1")
    key = (Column("side", "side"),)
    measured = (Column("area", "area", digits=1),)
    published = ({"side": 2, "area": 5.0},)
    sides: tuple[int, ...] = (2, 3)

    def points(self, extent: Extent) -> Sequence[Point[int]]:
        return [self._point(side) for side in self.sides]

    def _point(self, side: int) -> Point[int]:
        def measure(area: int) -> Rows:
            return [{"side": side, "area": float(area)}]

        return Point(Square(side), measure)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        return [at_least(f"{row['side']} is large", number(row, "area"), 9) for row in rows]

    def plot(self, figure: Figure, rows: Rows) -> None:
        sides, areas = ([number(row, name) for row in rows] for name in ("side", "area"))
        figure.subplots().plot(sides, areas, label="area")


class MoreSquares(Squares):
    """Shares a request with the other."""

    name = "tiny-table-2"
    sides = (3, 4)


class FailingSquares(Squares):
    """One of its points fails."""

    name = "tiny-table-3"
    sides = (3, 13)


class InterruptedSquares(Squares):
    """The user interrupts one of its points."""

    name = "tiny-table-4"
    sides = (17,)
