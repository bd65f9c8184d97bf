"""`spinach trace`: simulate a NIC and write traces of its cores and assists."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from spinach_nic.cli.files import PathName, named_files
from spinach_nic.cli.requests import RunRequest, takes_run_request, tell_failure
from spinach_nic.cli.sections import SectionedCommand
from spinach_nic.support import signals
from spinach_nic.support.files import check_outputs
from spinach_nic.support.representations import amount

if TYPE_CHECKING:
    from spinach_nic.runs.result import Result


@click.command(cls=SectionedCommand)
@takes_run_request
@click.option(
    "-o",
    "--output",
    type=PathName(file_okay=False, path_type=Path),
    metavar="FOLDER",
    required=True,
    help="Folder for the traces, the firmware and the result of the run.",
)
def command(request: RunRequest, output: Path) -> None:
    """Simulate NIC and write traces for `spinach study`.

    NIC is a shipped name, as `spinach list` shows them, or a Python file that defines one. The traces are
    Parquet files: instructions.parquet with every instruction of every core, accesses.parquet with the
    references of the assists to words, without the blocks that they move.

    Example: spinach trace tengig -o traces --frames 500
    """
    from spinach_nic.runs.observers.traces import Traces

    named = named_files(click.get_current_context())
    inputs = {noun: path for noun, path, is_output in named if not is_output}
    check_outputs(Traces(output).outputs, inputs)
    with signals.kept_off():  # but for the work before the end of the run
        finished = request.carry_out(traces=output)
        if not request.quiet and finished.unwritten is None:
            _show(finished.result, output)
    tell_failure(finished)


def _show(result: Result, output: Path) -> None:
    from spinach_nic.cli.summary import print_headline
    from spinach_nic.studies.analysis import TracedRun

    print_headline(result)
    traced = TracedRun(output)
    for path in (traced.instructions, traced.accesses):
        click.echo(f"{path}: {path.stat().st_size:,} bytes")
    click.echo(f"{result.instructions:,} instructions of {amount(len(result.cores), 'core')}")
