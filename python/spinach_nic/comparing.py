"""What differs between two results: in what was asked for, and in what came out."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spinach_nic.representations import html_table
from spinach_nic.result import MEASURED_FIELDS, Result

_SHOWN = 20
"""As many results a notebook shows."""

Plain = bool | int | float | str | None


@dataclass(frozen=True)
class Difference:
    """Something that two results have differently."""

    name: str
    """The path in the document."""
    first: Plain
    second: Plain
    """`None` where one of them has nothing."""

    @property
    def change(self) -> float | None:
        """By what share of the first the second is more; `None` if the first is 0 or one is no number."""
        if not _is_number(self.first) or not _is_number(self.second) or not self.first:
            return None
        return _real(self.second) / _real(self.first) - 1

    @property
    def size(self) -> float:
        """How much they differ: alike for the half and for the double, the most for what only one has."""
        if not _is_number(self.first) or not _is_number(self.second):
            return math.inf
        first, second = _real(self.first), _real(self.second)
        return abs(math.log(second) - math.log(first)) if min(first, second) > 0 else math.inf


@dataclass(frozen=True)
class Comparison:
    """What differs between two results."""

    configuration: Sequence[Difference]
    """In what was asked for."""
    results: Sequence[Difference]
    """In the figures, the largest first."""

    def _repr_html_(self) -> str:
        """For notebooks."""
        rows = [
            (
                it.name,
                *("-" if value is None else str(value) for value in (it.first, it.second)),
                "" if it.change is None else f"{100 * it.change:+.2f} %",
            )
            for it in (*self.configuration, *self.results[:_SHOWN])
        ]
        more = len(self.results) - min(len(self.results), _SHOWN)
        return html_table(("", "first", "second", "change"), rows, note=f"and {more} more" if more else "")


def compare(first: Result, second: Result) -> Comparison:
    """What differs between two results. How long the simulations took is left out.

    A part that only one of the NICs has, as one core more, is one difference, whatever its parameters are.
    """
    asked = _differences(*_without_whole_parts(_asked(first), _asked(second)))
    figures = [
        {name: value for name, value in result.figures().items() if name not in MEASURED_FIELDS}
        for result in (first, second)
    ]
    differing = sorted(_differences(*figures), key=lambda one: (-one.size, one.name))
    return Comparison(asked, differing)


def _asked(result: Result) -> dict[str, Plain]:
    request = {f"request.{name}": _text(value) for name, value in result.request.items() if name != "set"}
    firmware = (
        {"firmware": result.firmware.name, "firmware.sha256": result.firmware.sha256}
        if result.firmware
        else {}
    )
    return {
        "nic": result.nic,
        "version": result.version,
        **firmware,
        "traffic": _text(result.traffic),
        **request,
        **result.config,
    }


def _without_whole_parts(
    first: dict[str, Plain], second: dict[str, Plain]
) -> tuple[dict[str, Plain], dict[str, Plain]]:
    return _gathered(first, second), _gathered(second, first)


def _gathered(own: Mapping[str, Plain], other: Mapping[str, Plain]) -> dict[str, Plain]:
    """The same, with a number of parameters for each part of which the other has nothing."""
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
    """The outermost first."""
    return (name[:place] for place, letter in enumerate(name) if letter == ".")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else " ".join(value)


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
        return math.copysign(sys.float_info.max, value)  # type: ignore[arg-type]  # only integers overflow


def _is_number(value: Plain) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
