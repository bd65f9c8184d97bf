"""`spinach search`: the cheapest configuration that meets conditions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from spinach_nic.cli.files import INPUT, output_option
from spinach_nic.cli.sweeping import inputs_of, jobs_option, shown_progress, table_beside, told
from spinach_nic.support import signals
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import check_outputs
from spinach_nic.support.measured import with_error
from spinach_nic.support.representations import amount

if TYPE_CHECKING:
    from spinach_nic.studies.sweeping import Description, Found

EXIT_NONE_FOUND = 1


@click.command
@click.argument("file", type=INPUT)
@output_option(
    "Parquet file to write, with all points that were tried.  [default: FILE with the ending .parquet]"
)
@jobs_option
@click.option("--quiet", is_flag=True, help="Print no progress.")
def command(file: Path, output: Path | None, jobs: int, quiet: bool) -> int:
    """Find the cheapest configuration that meets conditions.

    FILE describes the configurations and the conditions.

    FILE is TOML, as for `spinach sweep`, with a table [search]. The exit code is 1 if nothing that was tried
    meets the conditions; if every run failed, it is the exit code of the runs.

    Example: spinach search cheapest.toml
    """
    from spinach_nic.studies.sweeping import Description, Goal, Search
    from spinach_nic.studies.sweeping.journal import journal_of

    description = Description.read(file)
    table = output or table_beside(file)
    search = Search(description, table)
    outputs = {"--output": table, "the journal": journal_of(table)}
    check_outputs(outputs, {"the description": file, **inputs_of(search.corners)})
    if description.search == Goal():
        help = "name what to minimise there, and conditions in [search.where]"
        raise SpinachError(f"{file} has no table [search] with a goal", help)
    interrupted = False
    try:
        with shown_progress(quiet) as progress:
            search.run(jobs=jobs, progress=progress)
    except KeyboardInterrupt:
        interrupted = True
    with signals.kept_off():
        found = search.write()
        if not quiet:
            told(found.tried, table, [])
        _show(description, found)
    if interrupted:
        raise KeyboardInterrupt
    if found.tried.exit_code:
        return found.tried.exit_code
    return 0 if found.best is not None else EXIT_NONE_FOUND


def _show(description: Description, found: Found) -> None:
    from spinach_nic.studies.sweeping.expressions import Expression

    if found.tried.exit_code:
        click.echo("no conclusion: every run failed")
        return
    if not found.tried.rows:
        click.echo("no conclusion: no run was completed")
        return
    if found.undecided:
        many = len(found.undecided)
        kind = "cheaper configuration" if found.best is not None else "configuration"
        noisy = "is" if many == 1 else "are"
        click.echo(f"{amount(many, kind)} {noisy} too noisy to decide; repeat with larger --frames:")
        for row in found.undecided:
            click.echo(f"  {row['request']}")
    if found.best is None:
        click.echo("no configuration that was tried meets the conditions beyond the errors of its rates")
        return
    goal = description.search
    for column in (*description.options, *description.parameters, goal.minimise, *goal.where):
        value, error = found.best.get(column), found.best.get(f"{column}_error")
        if value is None:
            measured = Expression.of(column).measured(found.best)
            assert measured is not None, "the best row has all rates that are asked for"
            value, error = measured.value, measured.error or None
        if error is not None:
            click.echo(f"{column} = {with_error(value, error)}")
        else:
            click.echo(f"{column} = {value:.6g}" if isinstance(value, float) else f"{column} = {value}")
    click.echo(found.best["request"])
