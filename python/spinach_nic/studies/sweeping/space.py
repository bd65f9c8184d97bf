"""Space of a sweep: axes with values or ranges, and the points that are drawn from them."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from spinach_nic.support.errors import SpinachError
from spinach_nic.support.extras import require
from spinach_nic.support.limits import shortened
from spinach_nic.support.units import Size, parse_quantity

Method = Literal["grid", "list", "random", "latin_hypercube"]
Scalar = bool | int | float | str
Value = Scalar | list[Scalar]
"""Value of an axis, as written in the file."""
MOST_POINTS = 1_000_000
_STEPS_OF_SIZES = 64
"""Number of steps in a range of sizes, at least. The steps are powers of two, as hardware has few others."""

_NUMBER = re.compile(r"([+-]?[0-9]+(?:\.[0-9]*)?)\s*([A-Za-z/%]*)")


class Range(Struct, forbid_unknown_fields=True, rename={"start": "from", "end": "to"}, frozen=True):
    """A range of numbers, or of quantities in one unit; both ends belong to it."""

    start: int | float | str
    end: int | float | str
    count: Annotated[int, Meta(ge=2, le=MOST_POINTS)] | None = None
    """Number of values that a grid takes, in equal steps."""
    scale: Literal["linear", "logarithmic"] = "linear"
    """Scale of steps: equal differences or equal ratios."""


Given = Scalar | list[Value] | Range
"""Content of an axis: one value, values or a range."""


class Axis:
    """One dimension of a sweep. A position on it is a number from 0 up to and without 1."""

    def __init__(self, name: str, given: Given, allows: Callable[[int], bool] | None = None) -> None:
        """Create an axis with the values or the range of the file.

        Args:
            name: Path of a parameter, or name of an option.
            given: Content of the axis.
            allows: Test of the integers of a range that the parameter allows; `None` if it allows all.

        Raises:
            SpinachError: The range is invalid, or the parameter allows none of its integers.
        """
        self.name = name
        if allows is not None and isinstance(given, Range):
            given = _allowed(name, given, allows)
        self._span = _Span.of(name, given) if isinstance(given, Range) else None
        self._count = given.count if isinstance(given, Range) else None
        if isinstance(given, Range):
            self._values: list[Value] = []
        else:
            self._values = [*given] if isinstance(given, list) else [given]
            if not self._values:
                raise SpinachError(f"{name} has no values", "give at least one")

    @property
    def varies(self) -> bool:
        """Return true if it has more than one value."""
        return self._span is not None or len(self._values) > 1

    @property
    def listed(self) -> Sequence[Value] | None:
        """Its values, if these are listed."""
        return self._values if self._span is None else None

    @property
    def whole(self) -> tuple[int, int] | None:
        """The ends of a range of integers."""
        span = self._span
        return (int(span.start), int(span.end)) if span is not None and span.is_whole else None

    def values(self) -> Sequence[Value]:
        """Return the values of a grid.

        Raises:
            SpinachError: It is a range without a count.
        """
        if self._span is None:
            return self._values
        if self._count is None:
            raise SpinachError(
                f"the range of {self.name} has no count", "give the number of values of a grid"
            )
        found = [self._span.at(step / (self._count - 1)) for step in range(self._count)]
        return list(dict.fromkeys(found))

    def exactly(self, number: int) -> Value:
        """Return an integer of the range, as it is written."""
        assert self._span is not None
        return self._span.written(number)

    def at(self, position: float) -> Value:
        """Return the value at a position: listed values have equal parts."""
        if self._span is not None:
            return self._span.draw(position)
        return self._values[min(int(position * len(self._values)), len(self._values) - 1)]


@dataclass(frozen=True)
class _Span:
    start: float
    end: float
    unit: str
    is_logarithmic: bool
    base: int = 1
    """Base units in the unit, such as bytes."""
    quantum: Fraction = Fraction(0)
    """Part of the unit that values are multiples of; 0 if they may be any numbers."""

    @classmethod
    def of(cls, name: str, given: Range) -> _Span:
        start, unit = _read(name, given.start)
        end, other = _read(name, given.end)
        if unit != other:
            message = f"the range of {name} begins in {unit or 'a number'} and ends in {other or 'a number'}"
            raise SpinachError(message, "give both ends in the same unit")
        is_logarithmic = given.scale == "logarithmic"
        if not start < end or (is_logarithmic and start <= 0):
            least = ", above 0" if is_logarithmic else ""
            raise SpinachError(f"invalid range of {name}", f"give the ends in rising order{least}")
        span = cls(start, end, unit, is_logarithmic)
        with suppress(SpinachError):
            one = parse_quantity(f"1{unit}")
            if one.is_whole:
                steps = max(given.count or 0, _STEPS_OF_SIZES)
                first = (span.share(1 / steps) - start) * int(one.base)
                step = 2 ** int(math.log2(max(first, 1))) if isinstance(one, Size) else 1
                return replace(span, base=int(one.base), quantum=Fraction(step, int(one.base)))
        return span

    @property
    def has_integer_ends(self) -> bool:
        return self.start.is_integer() and self.end.is_integer()

    @property
    def is_whole(self) -> bool:
        """True if its values are integers: counts, whose ends are."""
        return self.has_integer_ends and not self.unit

    def at(self, share: float) -> Value:
        number = self.share(share)
        return self.written(round(number) if self.is_whole else number)

    def share(self, share: float) -> float:
        """Return the number at a share of the range."""
        if self.is_logarithmic:
            return float(self.start * (self.end / self.start) ** share)
        return self.start + (self.end - self.start) * share

    def draw(self, position: float) -> Value:
        """Return the value at a position; integers have equal shares of positions, or of their logarithms."""
        if not self.is_whole or self.is_logarithmic:
            return self.at(position)
        return self.written(min(int(self.start + position * (self.end - self.start + 1)), int(self.end)))

    def written(self, number: float) -> Value:
        if not self.unit:
            return number
        # Six digits, and as many as the ends have in common.
        digits = 6 + int(math.log10(max(abs(self.start), abs(self.end)) / (self.end - self.start)))
        short = float(f"{number:.{max(digits, 6)}g}")
        if self.quantum:
            short = min(
                max(float(round(Fraction(short) / self.quantum) * self.quantum), self.start), self.end
            )
        return f"{int(short) if short.is_integer() else short}{self.unit}"


def _allowed(name: str, given: Range, allows: Callable[[int], bool]) -> Given:
    """Return the integers of a range that are allowed: all, or those next to the values of a grid."""
    span = _Span.of(name, given)
    if not span.has_integer_ends or span.end - span.start > MOST_POINTS:
        return given
    found = [number for number in range(int(span.start), int(span.end) + 1) if allows(number * span.base)]
    if not found:
        message = f"{name} allows no number from {given.start} to {given.end}"
        raise SpinachError(message, "`spinach describe` shows the numbers that it allows")
    if given.count is not None:
        steps = (span.share(step / (given.count - 1)) for step in range(given.count))
        found = [*dict.fromkeys(min(found, key=lambda number: abs(number - step)) for step in steps)]
    return [span.written(number) for number in found]


def _read(name: str, end: float | str) -> tuple[float, str]:
    is_text = not isinstance(end, int | float)
    match = _NUMBER.fullmatch(str(end).strip()) if is_text else None
    try:
        number = float(match[1]) if match else math.nan if is_text else float(end)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        message = f"the range of {name} has an end {shortened(end)}"
        raise SpinachError(message, "give a finite number, or one with a unit")
    return number, match[2] if match else ""


def draw(method: Method, axes: Sequence[Axis], samples: int, seed: int) -> Iterator[Mapping[str, Any]]:
    """Yield the points of a sweep, as values by the name of the axis.

    Args:
        method: `grid` takes all combinations, `list` the first values of all axes, the second and so on, the
            others draw `samples` points.
        axes: Axes that vary; an axis with one value takes it at all points.
        samples: Number of points that are drawn.
        seed: Seed of the draw.

    Raises:
        SpinachError: The axes do not suit the method.
    """
    names = [axis.name for axis in axes]
    rows: Iterator[tuple[Value, ...]]
    if method == "grid":
        rows = itertools.product(*(axis.values() for axis in axes))
    elif method == "list":
        rows = _side_by_side(axes)
    else:
        rows = _drawn(method, axes, samples, seed)
    for count, row in enumerate(rows):
        if count == MOST_POINTS:
            raise SpinachError(f"the sweep has more than {MOST_POINTS:,} points", "vary fewer values")
        yield dict(zip(names, row, strict=True))


def _side_by_side(axes: Sequence[Axis]) -> Iterator[tuple[Value, ...]]:
    columns = {axis.name: axis.values() for axis in axes}
    lengths = {name: len(values) for name, values in columns.items() if len(values) > 1}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise SpinachError(f"the lists differ in length: {told}", "give each a value for every point")
    length = max(lengths.values(), default=1)
    filled = [list(values) * length if len(values) == 1 else values for values in columns.values()]
    yield from zip(*filled, strict=True)


def _drawn(method: Method, axes: Sequence[Axis], samples: int, seed: int) -> Iterator[tuple[Value, ...]]:
    require("search", purpose=f"the method {method}")
    import numpy as np

    varying = [axis for axis in axes if axis.varies]
    if method == "latin_hypercube":
        from scipy.stats import qmc

        positions = qmc.LatinHypercube(max(len(varying), 1), rng=seed).random(samples)
    else:
        positions = np.random.default_rng(seed).random((samples, max(len(varying), 1)))
    for row in positions:
        places = dict(zip((axis.name for axis in varying), map(float, row), strict=False))
        yield tuple(axis.at(places.get(axis.name, 0.0)) for axis in axes)
