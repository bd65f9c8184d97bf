"""`spinach reproduce`: run published tables and figures again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spinach_nic.cli import streams
from spinach_nic.cli.files import json_option, output_option, write_text
from spinach_nic.cli.sweeping import jobs_option
from spinach_nic.support import signals
from spinach_nic.support.representations import amount

if TYPE_CHECKING:
    from spinach_nic.experiments.runner import Experiment, Reproduction, ReproductionProgress

DEFAULT_REPORT = Path("spinach-report.html")


@click.command
@click.argument("names", nargs=-1, metavar="[EXPERIMENT]...")
@output_option(
    "Report to write: tables, plots and claims in one HTML file.",
    may_be_printed=True,
    ending=".html",
    default=DEFAULT_REPORT,
    show_default=True,
)
@json_option("Write the rows and claims; - is standard output.")
@click.option(
    "--quick",
    is_flag=True,
    help="Use fewer points and shorter windows, for a first look; do not quote the results.",
)
@jobs_option
@click.option("--quiet", is_flag=True, help="Print no tables and no progress.")
def command(
    names: tuple[str, ...], output: Path, json_out: str | None, quick: bool, jobs: int, quiet: bool
) -> int:
    """Run published tables and figures again.

    Without a name it runs all of them.

    `spinach list` shows the experiments. A claim that does not hold is shown as such and is not an error; a
    failed simulated system is one. A finished report is not replaced when the command is interrupted: partial
    results are written to a file next to it.

    Example: spinach reproduce thesis-table-4.4 -o report.html
    """
    from spinach_nic.experiments.runner import FULL, QUICK, find_experiment, reproduce, shipped_experiments
    from spinach_nic.support.cache import Cache
    from spinach_nic.support.extras import require

    require("plots", purpose="the report")
    asked = dict.fromkeys(names) if names else shipped_experiments()
    experiments = [find_experiment(name) for name in asked]
    Cache().note_if_unwritable()
    shown = _Shown(experiments, printing=not quiet and json_out != "-")
    interrupted = False
    try:
        with _progress_bar(quiet) as progress:
            extent = QUICK if quick else FULL
            for reproduction in reproduce(experiments, extent=extent, jobs=jobs, progress=progress):
                shown.add(reproduction)
    except KeyboardInterrupt:
        interrupted = True
    with signals.kept_off():
        finished = shown.rest()
        report_path = _write(finished, len(experiments), output, json_out)
        if not quiet:
            click.echo(f"report: {report_path}", err=json_out == "-")
        if interrupted:
            click.echo(
                f"interrupted: {len(finished)} of {amount(len(experiments), 'experiment')} finished", err=True
            )
            return signals.exit_code()
    for reproduction in finished:
        if reproduction.failure is not None:
            kind = "error" if reproduction.failed_exit_code else "note"
            streams.tell(f"{kind}: {reproduction.experiment.name}: {reproduction.failure}")
    return max((reproduction.failed_exit_code for reproduction in finished), default=0)


class _Shown:
    """Printer of finished experiments, in the order of the request."""

    def __init__(self, experiments: Sequence[Experiment], *, printing: bool) -> None:
        self._order = [experiment.name for experiment in experiments]
        self._finished: dict[str, Reproduction] = {}
        self._next = 0
        self._printing = printing

    def add(self, reproduction: Reproduction) -> None:
        self._finished[reproduction.experiment.name] = reproduction
        while self._next < len(self._order) and self._order[self._next] in self._finished:
            self._print(self._order[self._next])
            self._next += 1

    def rest(self) -> list[Reproduction]:
        """Return all finished experiments; print those that waited for an earlier one."""
        for name in self._order[self._next :]:
            if name in self._finished:
                self._print(name)
        self._next = len(self._order)
        return [self._finished[name] for name in self._order if name in self._finished]

    def _print(self, name: str) -> None:
        if self._printing:
            from spinach_nic.cli.tables import print_reproduction

            print_reproduction(self._finished[name])


def _write(finished: Sequence[Reproduction], asked: int, output: Path, json_out: str | None) -> Path:
    """Write the documents, and print the path of the report."""
    from spinach_nic.experiments.runner import document
    from spinach_nic.experiments.runner.report import is_to_be_kept, report

    if json_out is not None:
        write_text(json_out, document(finished, asked=asked).to_json())
    if len(finished) < asked and is_to_be_kept(output):
        output = output.with_name(f"{output.stem}.interrupted{output.suffix}")
    write_text(output, report(finished, asked=asked))
    return output


@contextmanager
def _progress_bar(quiet: bool) -> Iterator[Callable[[ReproductionProgress], None] | None]:
    """Show a bar on standard error, if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("runs"), TimeRemainingColumn())
    with Bar(*columns, console=streams.rich_console(stderr=True), transient=True) as bar:
        task = bar.add_task("runs", total=1)

        def show(progress: ReproductionProgress) -> None:
            bar.update(task, completed=progress.done, total=progress.total)

        yield show
