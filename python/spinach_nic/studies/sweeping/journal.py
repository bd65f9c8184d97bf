"""Journal of finished points: a file with a line for each point, so that an interrupted sweep continues."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from spinach_nic.runs.result import Result
from spinach_nic.studies.sweeping.point import SweepPoint
from spinach_nic.support.documents import MALFORMED
from spinach_nic.support.files import cannot_write, read_file
from spinach_nic.support.parallel import Carried

LARGEST_JOURNAL = 4 << 30
"""Bytes of the largest journal: results of a million points."""
HELP = "name another place for the table, or remove the file"


class _Line(Struct, frozen=True, omit_defaults=True):
    """Outcome of one point."""

    key: str
    request: str
    result: Result | None = None
    failure: str | None = None
    exit_code: Annotated[int, Meta(ge=0, le=255)] = 0


def journal_of(table: Path) -> Path:
    """Return the path of the journal of a table."""
    return table.with_name(f"{table.name}.journal.jsonl")


class Journal:
    """The outcomes of points, kept next to the table of the sweep."""

    def __init__(self, table: Path | None) -> None:
        """Read the journal. A truncated last line, as after a kill, is ignored.

        Without a table nothing is kept.

        Raises:
            SpinachError: The file cannot be read.
        """
        self.path = None if table is None else journal_of(table)
        self._known: dict[str, Carried] = {}
        contents = b""
        if self.path is not None and os.path.exists(self.path):
            contents = read_file(self.path, HELP, limit=LARGEST_JOURNAL, what="the journal of the table")
        for text in contents.splitlines():
            try:
                line = msgspec.json.decode(text, type=_Line)
            except MALFORMED:
                continue
            self._known[line.key] = Carried(line.result, line.failure, line.exit_code)
        self._ends_in_line = not contents or contents.endswith(b"\n")

    def known(self, points: list[SweepPoint]) -> Mapping[SweepPoint, Carried]:
        """Return the successful points of earlier runs: failed ones are tried again."""
        found = {point: self._known[point.key] for point in points if point.key in self._known}
        return {point: carried for point, carried in found.items() if carried.failure is None}

    def add(self, point: SweepPoint, carried: Carried) -> None:
        """Append the outcome of a point.

        Raises:
            SpinachError: It cannot be written.
        """
        if self.path is None:
            return
        line = _Line(point.key, str(point), carried.outcome, carried.failure, carried.exit_code)
        try:
            with open(self.path, "ab") as file:
                file.write((b"" if self._ends_in_line else b"\n") + msgspec.json.encode(line) + b"\n")
        except OSError as error:
            raise cannot_write(self.path, error, HELP) from error
        self._ends_in_line = True
