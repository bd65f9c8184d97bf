"""Declaration of an experiment."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from spinach_nic.experiments.runner.claims import Claim
from spinach_nic.support.measured import UNKNOWN, Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Value = str | int | float | bool | None
Row = Mapping[str, Value]
"""A row of a table by plain column names with the unit in them, such as `core_clock_mhz`."""
Rows = Sequence[Row]

Outcome_co = TypeVar("Outcome_co", covariant=True)
Outcome = TypeVar("Outcome")
Item = TypeVar("Item")


class Request(Hashable, Protocol[Outcome_co]):
    """Request of a point: a frozen dataclass whose fields determine it.

    It can be pickled, and so can its outcome. Equal requests are carried out once,
    whichever experiments they belong to. Its text is the equivalent command.
    """

    def carry_out(self) -> Outcome_co:
        """Carry out the request. Raises `SpinachError` if it fails."""


@dataclass(frozen=True)
class Point(Generic[Outcome]):
    """An independent part of an experiment: a request, and the rows that follow from its outcome."""

    request: Request[Outcome]
    measure: Callable[[Outcome], Rows]


def one_row(request: Request[Outcome], measure: Callable[[Outcome], Row], **key: Value) -> Point[Outcome]:
    """Return a point with one row: the columns of its key, then the figures measured of the outcome."""
    return Point(request, lambda outcome: [{**key, **measure(outcome)}])


@dataclass(frozen=True)
class Extent:
    """Extent to which an experiment is run."""

    name: str
    share_of_frames: float
    """Fraction of the frames of a full run."""
    largest_selection: int | None = None
    """Maximum number of values tried per parameter."""

    def frames(self, full: int, *, least: int = 150) -> int:
        """Return the number of frames in place of `full`, but not fewer than a steady window needs."""
        return max(round(full * self.share_of_frames), min(full, least))

    def some(self, values: Iterable[Item], *, needed: Sequence[Item] = ()) -> list[Item]:
        """Return the values to try, in order: those `needed` for a claim, and others spread evenly."""
        all_values = list(values)
        if self.largest_selection is None or len(all_values) <= self.largest_selection:
            return all_values
        spread = max(self.largest_selection - len(needed), 0)
        others = [value for value in all_values if value not in needed]
        chosen = {len(others) * number // spread for number in range(spread)} if others else set()
        kept = [value for number, value in enumerate(others) if number in chosen]
        return [value for value in all_values if value in needed or value in kept]


FULL = Extent("full", 1.0)
QUICK = Extent("quick", 0.12, largest_selection=3)
"""Shorter windows and fewer points: for a quick check, not for quotation."""


@dataclass(frozen=True)
class Source:
    """Publication of a table or figure."""

    paper: str
    place: str
    """The table or figure, and the section that describes it."""


@dataclass(frozen=True)
class Column:
    """Presentation of a column of the rows."""

    name: str
    """Its name in the rows."""
    heading: str
    digits: int = 2
    """Digits after the decimal point."""

    def show(self, value: Value) -> str:
        """Return a value of the column as text."""
        if value is None:
            return "-"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, int):
            return f"{value:,}"
        if isinstance(value, float):
            return f"{value:,.{self.digits}f}"
        return str(value)


class Experiment(ABC):
    """A published table or figure that can be run again.

    A file of `spinach_nic.experiments` defines one class derived from this, and is named after it.
    """

    name: ClassVar[str]
    """Name after its source, such as `thesis-table-4.4`."""
    summary: ClassVar[str]
    """Subject, in one line."""
    source: ClassVar[Source]
    key: ClassVar[tuple[Column, ...]]
    """Columns that distinguish rows: the parameters of a measurement, or the first column of a table."""
    measured: ClassVar[tuple[Column, ...]]
    """Measured columns."""
    published: ClassVar[Rows] = ()
    """Rows with the same columns and the figures of the publication, as far as its text gives them."""
    notes: ClassVar[tuple[str, ...]] = ()
    """Notes for readers of the table; a sentence each."""
    is_own: ClassVar[bool] = False
    """True if nothing of it is published: then all its claims are our expectations."""

    def missing(self) -> str | None:
        """Return the missing requirement and its remedy; then the experiment is skipped."""
        return None

    @abstractmethod
    def points(self, extent: Extent) -> Sequence[Point[Any]]:
        """Return the runs, in the order of the rows."""

    def finish(self, rows: Rows) -> Rows:
        """Return the table: the rows of all points, unless it sums or compares them."""
        return rows

    @abstractmethod
    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the publication's claims about the table or figure, decided by the measured rows.

        Claims that the publication does not make are marked by `expectation`.
        """

    def plot(self, figure: Figure, rows: Rows) -> None:  # noqa: B027, most tables draw nothing
        """Draw the rows as the publication does. Nothing is drawn where it has a table."""

    def published_for(self, row: Row) -> Row:
        """Return the published row for the same parameters; empty if there is none."""
        wanted = [row.get(column.name) for column in self.key]
        for published in self.published:
            if [published.get(column.name) for column in self.key] == wanted:
                return published
        return {}


def only(rows: Rows, **wanted: Value) -> Row:
    """Return the one row with these values.

    Raises:
        LookupError: There is no such row, or more than one, which would make a claim ambiguous.
    """
    found = [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]
    if len(found) != 1:
        raise LookupError(f"{len(found)} rows with {wanted}")
    return found[0]


def number(row: Row, name: str) -> float:
    """Return a figure of a row; NaN, which decides no claim and is not drawn, if it is not known."""
    value = row[name]
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} is {value!r}, not a number")
    return float(value)


ERROR = "_error"
"""Suffix of the column with the 95 % error of a figure. Not declared: tables show it with the figure."""


def figure_of(row: Row, name: str) -> Measured:
    """Return a figure of a row with its error; the error is 0 if the row has none."""
    return Measured(number(row, name), number(row, name + ERROR) if name + ERROR in row else 0.0)


def with_errors(**figures: Measured | None) -> dict[str, float | None]:
    """Return figures as columns of a row, each with a column for its error if it has one.

    The value of a figure that is not known is `None`.
    """
    columns: dict[str, float | None] = {}
    for name, given in figures.items():
        figure = given or UNKNOWN
        is_known = not math.isnan(figure.value)
        columns[name] = figure.value if is_known else None
        if is_known and figure.error:
            columns[name + ERROR] = figure.error
    return columns
