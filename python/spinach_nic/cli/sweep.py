"""`spinach sweep`: many configurations, and a table of their results."""

from __future__ import annotations

from pathlib import Path

import click

from spinach_nic.cli.files import INPUT, output_option
from spinach_nic.cli.sweeping import inputs_of, jobs_option, shown_progress, table_beside, told
from spinach_nic.support import signals
from spinach_nic.support.files import check_outputs


@click.command
@click.argument("file", type=INPUT)
@output_option("Parquet file to write, with a row for each point.  [default: FILE with the ending .parquet]")
@jobs_option
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Run the points on a Dask cluster, by the address of its scheduler.",
)
@click.option("--quiet", is_flag=True, help="Print no summary and no progress.")
def command(file: Path, output: Path | None, jobs: int, cluster: str | None, quiet: bool) -> int:
    """Run many configurations in parallel, into one table.

    FILE describes the configurations.

    FILE is TOML. An interrupted sweep continues where it was; a point that fails is a row with its reason. If
    all points fail, the exit code is that of their runs.

    Example: spinach sweep cores.toml -o cores.parquet
    """
    from spinach_nic.studies.sweeping import Description, Sweep, draw_plots
    from spinach_nic.studies.sweeping.journal import journal_of
    from spinach_nic.studies.sweeping.plots import check_plots

    description = Description.read(file)
    check_plots(description)
    table = output or table_beside(file)
    plots = {f"the plot {plot.file}": table.parent / plot.file for plot in description.plots}
    sweep = Sweep(description, table)
    outputs = {"--output": table, "the journal": journal_of(table), **plots}
    check_outputs(outputs, {"the description": file, **inputs_of(sweep.points)})
    interrupted = False
    try:
        with shown_progress(quiet) as progress:
            sweep.run(jobs=jobs, cluster=cluster, progress=progress)
    except KeyboardInterrupt:
        interrupted = True
    with signals.kept_off():
        result = sweep.write()
        pictures = draw_plots(description.plots, result.rows, table.parent)
        if not quiet:
            told(result, table, pictures)
    if interrupted:
        raise KeyboardInterrupt
    return result.exit_code
