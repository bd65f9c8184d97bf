"""Common parts of commands that run many configurations."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spinach_nic.cli import streams
from spinach_nic.cli.parsing import Whole
from spinach_nic.support.representations import amount

if TYPE_CHECKING:
    from spinach_nic.studies.sweeping import SweepPoint, SweepProgress, SweepResult

jobs_option = click.option(
    "--jobs",
    type=Whole(1, 1024),
    default=lambda: os.cpu_count() or 1,
    show_default="one for each processor",
    metavar="N",
    help="Number of parallel processes.",
)


def inputs_of(points: Iterable[SweepPoint]) -> dict[str, Path]:
    """List the files that points read, by their nouns for errors."""
    return {noun: path for point in points for noun, path in point.inputs.items()}


def table_beside(file: Path) -> Path:
    """Return the default place of the table."""
    return file.with_suffix(".parquet")


def told(result: SweepResult, table: Path, pictures: Sequence[Path]) -> None:
    """Print the outcome."""
    for row in result.rows:
        if row["status"] == "failed":
            streams.tell(f"failed: {row['failure']}")
    failures = f", {result.failed} failed" if result.failed else ""
    click.echo(f"{len(result.rows)} of {amount(result.total, 'point')}{failures}: {table}")
    for picture in pictures:
        click.echo(f"plot: {picture}")


@contextmanager
def shown_progress(quiet: bool) -> Iterator[Callable[[SweepProgress], None] | None]:
    """Show a bar on standard error, if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import Progress as Bar

    with Bar(console=streams.rich_console(stderr=True), transient=True) as bar:
        task = bar.add_task("points")

        def show(progress: SweepProgress) -> None:
            failed = f", {progress.failed} failed" if progress.failed else ""
            text = f"{progress.done} of {amount(progress.total, 'point')}{failed}"
            bar.update(task, total=progress.total, completed=progress.done, description=text)

        yield show
