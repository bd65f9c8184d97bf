"""Representations of values: in a line, and as tables and drawings of notebooks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import MISSING, Field, fields
from typing import Any

from msgspec import Struct

from spinach_nic.support.records import Record
from spinach_nic.support.units import Time, us


class Drawing(Struct, frozen=True):
    """A drawing that a notebook shows."""

    svg: str
    """The text of an SVG file."""

    def __repr__(self) -> str:
        """Leave out the text."""
        return "Drawing()"

    def _repr_svg_(self) -> str:
        return self.svg


def amount(number: int, one: str, several: str = "") -> str:
    """Return a number with its noun: `1 core`, `2,000 cores`.

    Args:
        number: Number.
        one: Noun for one.
        several: Noun for several, if it is not `one` with an s.
    """
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def latency_us(nanoseconds: int) -> str:
    """Return a latency to three digits, in microseconds: buckets of latencies are 3 % wide."""
    value = float(f"{nanoseconds / 1e3:.3g}")
    decimals = 2 - math.floor(math.log10(value)) if value else 2
    return f"{value:,.{min(max(decimals, 0), 3)}f}"


def microseconds(time: Time) -> str:
    """Return a time in microseconds, with one decimal."""
    return f"{float(time / us(1)):.1f} us"


def html_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, title: str = "", note: str = ""
) -> str:
    """Return a table as notebooks show it: texts at the left, the first column too, numbers at the right."""
    from html import escape

    head = "".join(
        f'<th style="text-align: {_side(place)}">{escape(it)}</th>' for place, it in enumerate(headings)
    )
    lines = [
        "".join(f'<td style="text-align: {_side(place)}">{escape(it)}</td>' for place, it in enumerate(row))
        for row in rows
    ]
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    above = f"<p><strong>{escape(title)}</strong></p>\n" if title else ""
    below = f"\n<p>{escape(note)}</p>" if note else ""
    return f"{above}<table>\n<tr>{head}</tr>\n{body}\n</table>{below}"


def _side(place: int) -> str:
    return "right" if place else "left"


class ShowsChanges(Record):
    """Base of records: the representation leaves out fields with default values."""

    def __repr__(self) -> str:
        """Return the class with the fields that differ from their defaults."""
        everything = fields(self)  # type: ignore[arg-type]
        changed = [field for field in everything if field.repr and self._differs(field)]
        shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in changed)
        return f"{type(self).__name__}({shown})"

    def _differs(self, field: Field[Any]) -> bool:
        default = field.default if field.default_factory is MISSING else field.default_factory()
        return default is MISSING or getattr(self, field.name) != default
