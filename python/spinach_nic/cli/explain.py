"""`spinach explain`: the bottleneck of a NIC."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from spinach_nic.cli import streams
from spinach_nic.cli.completion import complete_nic
from spinach_nic.cli.files import NIC, json_option, report_option, write_text
from spinach_nic.cli.requests import run_option
from spinach_nic.cli.sections import SectionedCommand
from spinach_nic.cli.sweeping import jobs_option, shown_progress
from spinach_nic.support import signals
from spinach_nic.support.files import note_inputs

if TYPE_CHECKING:
    from spinach_nic.studies.explaining import Explanation, Variation

OPTIONS = ("traffic", "frames", "time", "seed", "firmware")


def _with_run_options(command: Any) -> Any:
    for name in reversed(OPTIONS):
        command = run_option(name)(command)
    return command


@click.command(cls=SectionedCommand)
@click.argument("nic", type=NIC, shell_complete=complete_nic)
@run_option("set")
@_with_run_options
@click.option(
    "--vary",
    multiple=True,
    metavar="PATH",
    help="Vary this parameter, such as processor[0].cache.size.  [default: all numbers of the NIC itself]",
)
@click.option(
    "--figure",
    multiple=True,
    metavar="COLUMN",
    help="Figure to explain: a column of the table of a sweep.  [default: wire_gbps, latency_ns]",
)
@jobs_option
@json_option("Write what was found; - is standard output.")
@report_option("plots")
@click.option("--quiet", is_flag=True, help="Print no table and no progress.")
def command(
    nic: str,
    set: tuple[tuple[str, str], ...],
    vary: tuple[str, ...],
    figure: tuple[str, ...],
    jobs: int,
    json_out: str | None,
    report_out: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Find the bottleneck of NIC by a sensitivity analysis.

    It runs NIC again with a little more and a little less of each parameter.

    Example: spinach explain tengig --set cores=4
    """
    from spinach_nic.studies.explaining import DEFAULT_FIGURES, explain
    from spinach_nic.studies.sweeping import SweepPoint

    point = SweepPoint.of(nic, {**options, "set": dict(set)})
    note_inputs(dict(point.inputs))
    with shown_progress(quiet) as progress:
        found = explain(point, vary=vary, figures=figure or DEFAULT_FIGURES, jobs=jobs, progress=progress)
    with signals.kept_off():
        if json_out is not None:
            write_text(json_out, json.dumps(found.document(), indent=2) + "\n")
        if report_out is not None:
            from spinach_nic.report.studies import explanation_report

            write_text(report_out, explanation_report(found, f"Bottleneck of {nic}"))
        if not quiet and "-" not in (json_out, report_out):
            _print(found)


def _print(found: Explanation) -> None:
    from rich.table import Table

    from spinach_nic.cli.tables import NARROWEST
    from spinach_nic.studies.explaining import figure_text

    console = streams.rich_console(highlight=False, soft_wrap=True)
    console.width = max(console.width, NARROWEST)
    first = next(iter(found.figures))
    console.print(", ".join(f"{name} {figure_text(value)}" for name, value in found.figures.items()))
    table = Table(box=None, pad_edge=False)
    table.add_column("parameter", no_wrap=True)
    for heading in ("value", f"less: {first}", f"more: {first}"):
        table.add_column(heading, justify="right")
    for name in found.figures:
        table.add_column(f"1 % more: {name}", justify="right")
    for one in found.sensitivities:
        slopes = [found.slope_text(one, name) for name in found.figures]
        cells = [_tried(one.less, first), _tried(one.more, first), *slopes]
        table.add_row(
            one.parameter, one.value, *(cells if one.failure is None else ["cannot be varied alone"])
        )
    console.print(table)
    if found.without_error:
        console.print(f"± ?: error not known: {', '.join(sorted(found.without_error))}")
    console.print(found.summary)


def _tried(variation: Variation | None, figure: str) -> str:
    from spinach_nic.studies.explaining import figure_text

    return "-" if variation is None else f"{variation.value} -> {figure_text(variation.figures[figure])}"
