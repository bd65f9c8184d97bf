"""Execution of the points of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from spinach_nic.studies.sweeping.description import POINTS, SEEDS, Description, Plot
from spinach_nic.studies.sweeping.journal import Journal
from spinach_nic.studies.sweeping.plots import plot_svg
from spinach_nic.studies.sweeping.point import SweepPoint
from spinach_nic.studies.sweeping.space import Method, Range
from spinach_nic.studies.sweeping.table import Row, arrow_table, row_of, write_table
from spinach_nic.support.arguments import checked
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.extras import require
from spinach_nic.support.parallel import JOBS, Carried, carry_out, carry_out_all
from spinach_nic.support.representations import Drawing, amount, html_table
from spinach_nic.support.signals import kept_off

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class SweepProgress:
    """Progress of a sweep."""

    done: int
    """Points that have been run, in this sweep or before."""
    total: int
    failed: int


_ABOUT_A_ROW = ("point", "status", "failure", "request")
_SHOWN = ("tx.line_rate_fraction", "rx.line_rate_fraction", "core_mhz", "cores_mean.ipc")
_MOST_ROWS = 30
"""Maximum rows shown in a notebook."""


def _figures(rows: Sequence[Row]) -> set[str]:
    """Return the columns behind `request`: figures of the results."""
    found: set[str] = set()
    for row in rows:
        names = list(row)
        found |= {*names[names.index("request") + 1 :]}
    return found


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "-" if value is None else str(value)


def largest_exit_code(points: Iterable[Carried]) -> int:
    """Return the largest exit code of some points; 0 if none failed."""
    return max((point.exit_code for point in points), default=0)


@dataclass(frozen=True)
class SweepResult:
    """Result of a sweep."""

    rows: Sequence[Row]
    """One for each point that was run, in order; see `spinach_nic.studies.sweeping.table` for the columns."""
    total: int
    """Number of points."""
    failed_exit_code: int = 0
    """Largest exit code of the failed points, as of `spinach run` of each."""

    @property
    def failed(self) -> int:
        """Return the number of failed points."""
        return sum(row["status"] == "failed" for row in self.rows)

    @property
    def exit_code(self) -> int:
        """Return the exit code of the command: that of the failed points if no point is complete, else 0."""
        return self.failed_exit_code if self.failed == len(self.rows) else 0

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return the table, for readers of the Arrow interface, such as pandas and polars."""
        return self.table().__arrow_c_stream__(requested_schema)

    def table(self) -> pa.Table:
        """Return the rows as a table of Arrow."""
        return arrow_table(self.rows)

    def plot(self, x: str, y: str, **others: str) -> Drawing:
        """Return a plot of the points that are complete, for notebooks.

        Args:
            x: A column.
            y: A column.
            others: Further fields of `Plot`, such as `by`, `kind` and `panels`.

        Raises:
            SpinachError: A column is not there.
        """
        return Drawing(plot_svg(Plot(file="plot.svg", x=x, y=y, **others), self.rows))  # type: ignore[arg-type]

    def _repr_html_(self) -> str:
        """Return the varying columns and the main figures, for notebooks."""
        names = dict.fromkeys(name for row in self.rows for name in row)
        asked = [name for name in names if name not in _ABOUT_A_ROW and name not in _figures(self.rows)]
        varied = [name for name in asked if len({str(row.get(name)) for row in self.rows}) > 1]
        columns = [*varied, "status", *(name for name in _SHOWN if name in names)]
        rows = [[_shown(row.get(name)) for name in columns] for row in self.rows[:_MOST_ROWS]]
        more = len(self.rows) - len(rows)
        return html_table(columns, rows, title=repr(self)[1:-1], note=f"and {more} more" if more else "")

    def __repr__(self) -> str:
        """Return the numbers of points and of failed points."""
        return f"<SweepResult {len(self.rows)} of {amount(self.total, 'point')}, {self.failed} failed>"


class Sweep:
    """A sweep whose table and journal are files, if it has a table."""

    def __init__(self, description: Description, table: Path | None = None) -> None:
        """Create a sweep that continues where an earlier one with the same journal ended.

        Raises:
            SpinachError: The description is invalid, or the journal cannot be read.
        """
        if table is not None:
            require("tables", purpose=f"the table {table}")
        self.points = list(description.points())
        self._table = table
        self._journal = Journal(table)
        self._carried: dict[SweepPoint, Carried] = dict(self._journal.known(self.points))

    def run(
        self,
        *,
        jobs: int = 1,
        cluster: str | None = None,
        progress: Callable[[SweepProgress], None] | None = None,
    ) -> None:
        """Run the points that have not been run. A point that fails is kept as such.

        Args:
            jobs: Number of parallel processes on this machine.
            cluster: The address of a scheduler of Dask, which runs the points instead.
            progress: Called at the start and after each point.

        Raises:
            SpinachError: The journal cannot be written, or the cluster cannot be reached.
        """
        asked = dict.fromkeys(self.points)
        rest = [point for point in asked if point not in self._carried]
        failed = 0

        def show() -> None:
            if progress is not None:
                progress(SweepProgress(len(self._carried), len(asked), failed))

        show()
        steps = carry_out_all(rest, jobs) if cluster is None else _on_cluster(rest, cluster)
        for point, carried in steps:
            with kept_off():  # the table and the journal have the same points
                self._carried[point] = carried
                self._journal.add(point, carried)
            failed += carried.failure is not None
            show()

    def write(self) -> SweepResult:
        """Write the table of all finished points, if there is a file for it, and return it.

        Raises:
            SpinachError: It cannot be written.
        """
        failed = largest_exit_code(self._carried.values())
        result = SweepResult(list(self._rows(self._carried)), len(self.points), failed)
        if self._table is not None:
            write_table(self._table, result.rows)
        return result

    def _rows(self, carried: Mapping[SweepPoint, Carried]) -> Iterator[Row]:
        for number, point in enumerate(self.points):
            if point in carried:
                yield row_of(number, point, carried[point])


@checked
def sweep(
    nic: str | Path | Description,
    *,
    vary: Mapping[str, Sequence[Any] | Range] | None = None,
    method: Method | None = None,
    samples: Annotated[int, POINTS] | None = None,
    draw_seed: Annotated[int, SEEDS] | None = None,
    table: str | Path | None = None,
    jobs: Annotated[int, JOBS] = 1,
    cluster: str | None = None,
    progress: Callable[[SweepProgress], None] | None = None,
    **options: Any,
) -> SweepResult:
    """Run many configurations, and return one table of their results.

    With a file for the table, finished points are kept next to it, so that an interrupted sweep continues.

    Args:
        nic: A shipped name, a Python file, or a `Description` with everything, which may be a file in TOML.
        vary: Values, or a `Range`, of each parameter or option that varies, by its path or name.
        method: `grid`, the default, runs all combinations, `list` the first values of all, the second and so
            on; `random` and `latin_hypercube` draw points.
        samples: Number of points drawn; 100 by default.
        draw_seed: Seed of the draw; 1 by default.
        table: Parquet file to write.
        jobs: Number of processes that run at once on this machine.
        cluster: Address of a scheduler of Dask, which runs the points instead.
        progress: Called at the start and after each point.
        options: Options of `run` for all points, such as `traffic`, `frames` and `set`.

    Raises:
        SpinachError: A value is not what its option takes, or a file cannot be read or written.
    """
    described = Description.of(nic, vary, options, method=method, samples=samples, seed=draw_seed)
    running = Sweep(described, None if table is None else Path(table))
    try:
        running.run(jobs=jobs, cluster=cluster, progress=progress)
    finally:
        result = running.write()
    return result


def _on_cluster(points: Sequence[SweepPoint], address: str) -> Iterator[tuple[SweepPoint, Carried]]:
    """Run points on the workers of a cluster. A point that ends several workers has failed."""
    require("cluster", purpose="the cluster")
    from distributed import Client, as_completed

    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise SpinachError(
            f"no scheduler answers at {address}: {error}",
            "give the address of a scheduler, as tcp://host:8786",
        ) from error
    with client:
        asked = {client.submit(carry_out, point, key=f"spinach-{point.key}"): point for point in points}
        for future in as_completed(asked):
            reason = future.exception()
            if reason is None:
                yield asked[future], future.result()
            else:
                failure = f"{asked[future]}: the cluster gave it up: {reason}"
                yield asked[future], Carried(failure=failure, exit_code=1)
