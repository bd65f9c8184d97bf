"""Differences between two results: in the requests and in the figures."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from spinach_nic.runs.result import MEASURED_FIELDS, ResultDocument
from spinach_nic.support.measured import Measured, with_error
from spinach_nic.support.representations import html_table

_MOST = 20
"""Maximum results shown in a notebook."""
_ERROR = "_error"
"""Suffix of the column with the 95 % error of a figure."""

Plain = bool | int | float | str | None


@dataclass(frozen=True)
class Difference:
    """A value in which two results differ."""

    name: str
    """Path in the document."""
    first: Plain
    second: Plain
    """`None` where one of them has no such value."""
    first_error: float | None = None
    second_error: float | None = None
    """Half widths of the 95 % confidence intervals; `None` if they are not known."""

    @property
    def shown(self) -> tuple[str, str]:
        """Both values as text: to the second digit of their error, or to six digits if it is not known."""
        return _shown(self.first, self.first_error), _shown(self.second, self.second_error)

    @property
    def is_measurable(self) -> bool:
        """False if the values differ by no more than the error of their difference, or that is not known."""
        if not self.has_error:
            return False
        if not _is_number(self.first) or not _is_number(self.second):
            return True
        first, second = (
            Measured(_real(value), error or 0.0)
            for value, error in ((self.first, self.first_error), (self.second, self.second_error))
        )
        return first.differs_from(second)

    @property
    def has_error(self) -> bool:
        """False if both values are numbers and the error of one of them is not known."""
        is_figure = _is_number(self.first) and _is_number(self.second)
        return not is_figure or None not in (self.first_error, self.second_error)

    @property
    def change(self) -> float | None:
        """Change as a fraction of the first; `None` if that is 0 or one of them is not a number."""
        if not _is_number(self.first) or not _is_number(self.second) or not self.first:
            return None
        return _real(self.second) / _real(self.first) - 1

    @property
    def size(self) -> float:
        """Size of the difference: equal for half and double, largest for a value that only one result has."""
        if not _is_number(self.first) or not _is_number(self.second):
            return math.inf
        first, second = _real(self.first), _real(self.second)
        return abs(math.log(second) - math.log(first)) if min(first, second) > 0 else math.inf


@dataclass(frozen=True)
class Comparison:
    """Differences between two results."""

    configuration: Sequence[Difference]
    """Differences in the requests."""
    results: Sequence[Difference]
    """Measurable differences in the figures, and those of figures whose errors are not known, the largest
    first."""
    within_error: Sequence[Difference] = ()
    """Figures that differ by no more than their errors: no measurable difference."""

    @property
    def measurable(self) -> Sequence[Difference]:
        """Measurable differences in the figures."""
        return [one for one in self.results if one.is_measurable]

    @property
    def without_error(self) -> Sequence[Difference]:
        """Figures that differ and whose errors are not known, such as latencies and counters."""
        return [one for one in self.results if not one.has_error]

    @property
    def differs(self) -> bool:
        """True if anything differs."""
        return bool(self.configuration or self.results or self.within_error)

    def _repr_html_(self) -> str:
        """Show the differences in a notebook."""
        rows = [
            (
                it.name,
                *it.shown,
                "" if it.change is None else f"{100 * it.change:+.2f} %",
            )
            for it in (*self.configuration, *self.results[:_MOST])
        ]
        more = len(self.results) - min(len(self.results), _MOST)
        notes = [f"and {more} more"] if more else []
        if self.within_error:
            notes.append(f"no measurable difference: {', '.join(it.name for it in self.within_error)}")
        if self.without_error:
            notes.append(f"error not known: {', '.join(it.name for it in self.without_error[:_MOST])}")
        return html_table(("", "first", "second", "change"), rows, note="; ".join(notes))


def compare(first: ResultDocument, second: ResultDocument) -> Comparison:
    """Compare two results. The duration of the simulations is left out.

    A part that only one of the NICs has, such as an additional core, is one difference, whatever its
    parameters are. Figures that differ by no more than their errors are listed separately.
    """
    asked = _differences(*_without_whole_parts(first.asked(), second.asked()))
    figures = [
        {name: value for name, value in result.figures().items() if name not in MEASURED_FIELDS}
        for result in (first, second)
    ]
    every = [_with_errors(one, *figures) for one in _differences(*figures) if not one.name.endswith(_ERROR)]
    every.sort(key=lambda one: (-one.size, one.name))
    return Comparison(
        asked,
        [one for one in every if one.is_measurable or not one.has_error],
        [one for one in every if one.has_error and not one.is_measurable],
    )


def _shown(value: Plain, error: float | None) -> str:
    if value is None:
        return "-"
    if error is not None and _is_number(value):
        return with_error(_real(value), error)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _with_errors(one: Difference, first: Mapping[str, Plain], second: Mapping[str, Plain]) -> Difference:
    errors = (figures.get(one.name + _ERROR) for figures in (first, second))
    first_error, second_error = (_real(it) if _is_number(it) else None for it in errors)
    return replace(one, first_error=first_error, second_error=second_error)


def _without_whole_parts(
    first: Mapping[str, Plain], second: Mapping[str, Plain]
) -> tuple[dict[str, Plain], dict[str, Plain]]:
    return _gathered(first, second), _gathered(second, first)


def _gathered(own: Mapping[str, Plain], other: Mapping[str, Plain]) -> dict[str, Plain]:
    """Replace each part that the other result does not have by its number of parameters."""
    known = {prefix for name in other for prefix in _parts_around(name)}
    kept: dict[str, Plain] = {}
    sizes: Counter[str] = Counter()
    for name, value in own.items():
        part = next(
            (prefix for prefix in _parts_around(name) if prefix not in known and prefix not in own), None
        )
        if part is None:
            kept[name] = value
        else:
            sizes[part] += 1
            kept[part] = f"{sizes[part]} parameter{'s' if sizes[part] > 1 else ''}"
    return kept


def _parts_around(name: str) -> Iterator[str]:
    """Yield the paths of the enclosing parts, the outermost first."""
    return (name[:place] for place, letter in enumerate(name) if letter == ".")


def _differences(first: Mapping[str, Plain], second: Mapping[str, Plain]) -> list[Difference]:
    names = dict.fromkeys([*first, *second])
    return [
        Difference(name, first.get(name), second.get(name))
        for name in names
        if first.get(name) != second.get(name)
    ]


def _real(value: Plain) -> float:
    """Convert a number; a document may hold integers beyond the largest `float`."""
    try:
        return float(value or 0)
    except OverflowError:
        return sys.float_info.max if str(value)[0] != "-" else -sys.float_info.max


def _is_number(value: Plain) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
