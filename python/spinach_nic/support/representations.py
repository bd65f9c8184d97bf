"""Notebook representations of values: tables and drawings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape


@dataclass(frozen=True)
class Drawing:
    """A drawing that a notebook shows."""

    svg: str = field(repr=False)
    """The text of an SVG file."""

    def _repr_svg_(self) -> str:
        return self.svg


def html_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, title: str = "", note: str = ""
) -> str:
    """A table as notebooks show it: texts at the left, the first column too, numbers at the right."""
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
