"""Tables whose figures are neither right nor wrong: a change shows as a difference to review."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path


def assert_unchanged(snapshot: Path, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Compare a table with its snapshot, or accept it with `SPINACH_BLESS=1`."""
    text = "".join(_line(cells, headings) for cells in (headings, *rows))
    if os.environ.get("SPINACH_BLESS"):
        snapshot.write_text(text, encoding="utf-8")
    assert text == snapshot.read_text(encoding="utf-8"), "SPINACH_BLESS=1 accepts what came out"


def _line(cells: Sequence[object], headings: Sequence[str]) -> str:
    return (
        "  ".join(f"{cell!s:>{len(heading)}}" for cell, heading in zip(cells, headings, strict=True)) + "\n"
    )
