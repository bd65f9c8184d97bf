"""Search for the cheapest configuration that meets conditions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from spinach_nic.studies.sweeping.description import POINTS, SEEDS, Description, Goal
from spinach_nic.studies.sweeping.expressions import Expression
from spinach_nic.studies.sweeping.journal import Journal
from spinach_nic.studies.sweeping.point import SweepPoint
from spinach_nic.studies.sweeping.space import Axis, Range
from spinach_nic.studies.sweeping.sweep import SweepProgress, SweepResult, largest_exit_code
from spinach_nic.studies.sweeping.table import Row, row_of, write_table
from spinach_nic.support.arguments import checked
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.extras import require
from spinach_nic.support.measured import Measured
from spinach_nic.support.parallel import JOBS, Carried, carry_out_all
from spinach_nic.support.signals import kept_off

_CONDITION = re.compile(r"(<=|>=)\s*([-+0-9.eE]+)")
_POPULATION = 5
"""Configurations for each axis that the optimiser keeps at a time."""
_DOUBLINGS = 4
"""Maximum number of repetitions of an undecided run, each with twice the frames."""


@dataclass(frozen=True)
class _Condition:
    expression: Expression
    is_least: bool
    bound: float

    @classmethod
    def of(cls, column: str, text: str) -> _Condition:
        match = _CONDITION.fullmatch(text.strip())
        try:
            bound = float(match[2]) if match else math.nan
        except ValueError:
            bound = math.nan
        if match is None or not math.isfinite(bound):
            message = f"the condition {text!r} on {column} cannot be read"
            raise SpinachError(message, "write it as >= 0.99 or <= 1000")
        return cls(Expression.of(column), match[1] == ">=", bound)

    def violation(self, row: Row) -> float:
        """Return the violation of the bound, as a fraction of it; 0 if it holds beyond the error."""
        measured = self.expression.measured(row)
        if measured is None:
            return 1.0
        missing = self.bound - measured.low if self.is_least else measured.high - self.bound
        return float(max(missing, 0.0)) / (abs(self.bound) or 1.0)

    def is_undecided(self, row: Row) -> bool:
        """Return true if the bound lies within the error of the measured value."""
        measured = self.expression.measured(row)
        return measured is not None and measured.error > 0 and measured.low <= self.bound <= measured.high


@dataclass(frozen=True)
class Found:
    """Outcome of a search."""

    best: Row | None
    """Cheapest row that meets all conditions beyond the errors of its rates; `None` if there is none."""
    tried: SweepResult
    """All runs."""
    undecided: Sequence[Row] = ()
    """Cheaper rows that may meet the conditions, the cheapest first: a bound lies within the error of the
    measured value, also in the longest run."""


class Search:
    """A search whose table and journal are files, if it has a table."""

    def __init__(self, description: Description, table: Path | None = None) -> None:
        """Create a search that reuses the runs of an earlier one with the same journal.

        Raises:
            SpinachError: Nothing varies, a condition cannot be read, or the journal cannot be read.
        """
        require("search", *(("tables",) if table else ()), purpose="the search")
        self._description = description
        self._goal: Goal = description.search
        self._minimised = Expression.of(self._goal.minimise)
        self._conditions = [_Condition.of(column, text) for column, text in self._goal.where.items()]
        axes = description.axes()
        self._fixed = {axis.name: axis.at(0.0) for axis in axes if not axis.varies}
        self._axes = [axis for axis in axes if axis.varies]
        if not self._axes:
            raise SpinachError("no parameter varies", "give a parameter several values, or a range")
        self._table = table
        self._journal = Journal(table)
        self._carried: dict[SweepPoint, Carried] = {}
        self._longer: dict[SweepPoint, SweepPoint | None] = {}
        """Repetition of an undecided run with twice the frames; `None` if it cannot be repeated."""
        self._repeated: dict[SweepPoint, int] = {}
        """Number of doublings of a repetition."""
        self._is_finished = False

    @property
    def corners(self) -> list[SweepPoint]:
        """Points that together name all files that any point names: each axis at each listed value."""
        first = {axis.name: axis.at(0.0) for axis in self._axes}
        varied = [{axis.name: value} for axis in self._axes for value in axis.listed or ()]
        return [self._description.point({**self._fixed, **first, **one}) for one in varied or [{}]]

    def run(self, *, jobs: int = 1, progress: Callable[[SweepProgress], None] | None = None) -> None:
        """Try configurations until the optimiser has converged or the budget is used up.

        Undecided configurations that may be the cheapest are then run again with more frames.

        Raises:
            SpinachError: A column that is asked for is not in the results, or the journal cannot be written.
        """
        require("search", purpose="the search")
        from scipy.optimize import differential_evolution

        def evaluated(positions: Iterable[Sequence[float]]) -> list[float]:
            return self._costs(list(positions), jobs, progress)

        with suppress(_EnoughError):
            differential_evolution(
                _never_called,
                [self._bounds(axis) for axis in self._axes],
                integrality=[axis.listed is not None or axis.whole is not None for axis in self._axes],
                popsize=_POPULATION,
                maxiter=max(1, self._goal.evaluations // (_POPULATION * len(self._axes))),
                rng=self._goal.seed,
                polish=False,
                updating="deferred",
                workers=lambda _, positions: evaluated(positions),
            )
        while longer := self._to_repeat(jobs):
            self._carry_out(longer, jobs, progress)
        self._is_finished = True

    def _to_repeat(self, most: int) -> list[SweepPoint]:
        """Return longer runs of undecided configurations, the cheapest first."""
        found: list[SweepPoint] = []
        for _, point in self._judged()[1]:
            if len(found) == most:
                break
            if point not in self._longer and (times := self._repeated.get(point, 0)) < _DOUBLINGS:
                longer = self._longer[point] = point.longer(self._carried[point].outcome)
                if longer is not None:
                    self._repeated[longer] = times + 1
                    found.append(longer)
        return found

    def write(self) -> Found:
        """Write the table of all tried configurations, and return the best.

        Raises:
            SpinachError: It cannot be written.
        """
        rows = [row for row, _ in self._rows()]
        if self._table is not None:
            write_table(self._table, rows)
        best, undecided = self._judged()
        total = len(rows) if self._is_finished else max(len(rows), self._goal.evaluations)
        tried = SweepResult(rows, total, largest_exit_code(self._carried.values()))
        return Found(best, tried, [row for row, _ in undecided])

    def _rows(self) -> list[tuple[Row, SweepPoint]]:
        carried = enumerate(self._carried.items())
        return [(row_of(number, point, outcome), point) for number, (point, outcome) in carried]

    def _judged(self) -> tuple[Row | None, list[tuple[Row, SweepPoint]]]:
        """Return the best row, and the cheaper undecided ones: of each configuration the longest run."""
        priced = [
            (price.value, row, point)
            for row, point in self._rows()
            if row["status"] == "complete" and not self._is_repeated(point) and (price := self._price(row))
        ]
        met = [one for one in priced if not self._violation(one[1])]
        best = min(met, key=lambda one: one[0], default=None)
        undecided = [one for one in priced if self._may_meet(one[1]) and (best is None or one[0] < best[0])]
        undecided.sort(key=lambda one: one[0])
        return None if best is None else best[1], [(row, point) for _, row, point in undecided]

    def _is_repeated(self, point: SweepPoint) -> bool:
        longer = self._longer.get(point)
        return longer in self._carried and self._carried[longer].failure is None

    def _price(self, row: Row) -> Measured | None:
        return self._minimised.measured(row)

    def _may_meet(self, row: Row) -> bool:
        """Return true if the row misses a condition, and all that it misses are undecided."""
        missed = [condition for condition in self._conditions if condition.violation(row)]
        return bool(missed) and all(condition.is_undecided(row) for condition in missed)

    @staticmethod
    def _bounds(axis: Axis) -> tuple[float, float]:
        """Return the range of the optimiser's variable: the number of a value, an integer, or a position."""
        if axis.listed is not None:
            return 0, len(axis.listed) - 1
        return axis.whole or (0.0, math.nextafter(1.0, 0.0))

    @staticmethod
    def _value(axis: Axis, variable: float) -> Any:
        if axis.listed is not None:
            return axis.listed[round(variable)]
        if axis.whole is not None:
            return axis.exactly(round(variable))
        return axis.at(float(variable))

    def _costs(
        self,
        positions: Sequence[Sequence[float]],
        jobs: int,
        progress: Callable[[SweepProgress], None] | None,
    ) -> list[float]:
        points = [self._point(position) for position in positions]
        fresh = [point for point in dict.fromkeys(points) if point not in self._carried]
        allowed = fresh[: self._goal.evaluations - len(self._carried)]
        self._carry_out(allowed, jobs, progress)
        if len(allowed) < len(fresh):
            raise _EnoughError
        return [self._cost(point, self._carried[point]) for point in points]

    def _carry_out(
        self, points: Sequence[SweepPoint], jobs: int, progress: Callable[[SweepProgress], None] | None
    ) -> None:
        self._carried |= self._journal.known([point for point in points if point not in self._carried])
        fresh = [point for point in points if point not in self._carried]
        for point, carried in carry_out_all(fresh, jobs):
            with kept_off():  # the table and the journal have the same points
                self._carried[point] = carried
                self._journal.add(point, carried)
            if progress is not None:
                failed = sum(one.failure is not None for one in self._carried.values())
                most = max(self._goal.evaluations, len(self._carried))
                progress(SweepProgress(len(self._carried), most, failed))

    def _point(self, position: Sequence[float]) -> SweepPoint:
        varied = {
            axis.name: self._value(axis, variable)
            for axis, variable in zip(self._axes, position, strict=True)
        }
        return self._description.point({**self._fixed, **varied})

    def _cost(self, point: SweepPoint, carried: Carried) -> float:
        """Return the cost: failures cost more than missed conditions, and these more than met ones."""
        if carried.outcome is None:
            return 1e30
        row = row_of(0, point, carried)
        price = self._price(row)
        if price is None:
            return 1e30
        violation = self._violation(row)
        return 1e15 * (1 + violation) if violation else price.value

    def _violation(self, row: Row) -> float:
        return sum(condition.violation(row) for condition in self._conditions)


@checked
def search(
    nic: str | Path | Description,
    *,
    vary: Mapping[str, Sequence[Any] | Range] | None = None,
    minimise: str | None = None,
    where: Mapping[str, str] | None = None,
    evaluations: Annotated[int, POINTS] | None = None,
    draw_seed: Annotated[int, SEEDS] | None = None,
    table: str | Path | None = None,
    jobs: Annotated[int, JOBS] = 1,
    progress: Callable[[SweepProgress], None] | None = None,
    **options: Any,
) -> Found:
    """Search for the cheapest configuration that meets all conditions.

    With a file for the table, completed runs are kept next to it, so that an interrupted search continues.

    Args:
        nic: A shipped name, a Python file, or a `Description` with everything, which may be a file in TOML.
        vary: Values, or a `Range`, of each parameter or option that varies, by its path or name.
        minimise: Column, or arithmetic on columns; `core_mhz` by default.
        where: Conditions by column, or arithmetic on columns, such as `>= 0.99`.
        evaluations: Maximum number of configurations tried; 100 by default.
        draw_seed: Seed of the optimiser; 1 by default.
        table: Parquet file to write.
        jobs: Number of processes that run at once.
        progress: Called after each run.
        options: Options of `run` for all points, such as `traffic`, `frames` and `set`.

    Raises:
        SpinachError: Nothing varies, a condition is malformed, or a file cannot be read or written.
    """
    given = {"minimise": minimise, "where": where, "evaluations": evaluations, "seed": draw_seed}
    goal: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    described = Description.of(nic, vary, options, search=Goal(**goal) if goal else None)
    found = Search(described, None if table is None else Path(table))
    found.run(jobs=jobs, progress=progress)
    return found.write()


class _EnoughError(Exception):
    """The allowed number of configurations was tried."""


def _never_called(_: object) -> float:
    raise AssertionError("the optimiser hands whole generations to its workers")
