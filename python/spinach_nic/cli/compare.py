"""`spinach compare`: differences between two results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spinach_nic.cli import streams
from spinach_nic.cli.files import FileName, json_option, report_option, write_text

if TYPE_CHECKING:
    from rich.console import Console

    from spinach_nic.studies.comparing import Difference

LINES = 30
"""Maximum number of shown results, unless all are requested."""


@click.command
@click.argument("first", type=FileName(is_output=False, what="the first result"))
@click.argument("second", type=FileName(is_output=False, what="the second result"))
@click.option(
    "--all", "shows_all", is_flag=True, help=f"Show all results that differ, not the first {LINES}."
)
@json_option("Write what differs; - is standard output.")
@report_option("plots")
def command(first: Path, second: Path, shows_all: bool, json_out: str | None, report_out: str | None) -> None:
    """Compare two runs: configuration and results.

    FIRST and SECOND are result documents of runs, of guests or of servers.

    The results that differ most come first.

    Example: spinach compare four-cores.json six-cores.json
    """
    from spinach_nic.runs.reading import read_result
    from spinach_nic.studies.comparing import compare
    from spinach_nic.support.errors import SpinachError

    results = read_result(first), read_result(second)
    kinds = [type(result).__struct_config__.tag for result in results]
    if kinds[0] != kinds[1]:
        raise SpinachError(f"{first} is a {kinds[0]}, {second} a {kinds[1]}", "compare documents of one kind")
    found = compare(*results)
    headings = (first.name, second.name) if first.name != second.name else (str(first), str(second))
    if json_out is not None:
        write_text(json_out, json.dumps(asdict(found), indent=2) + "\n")
    if report_out is not None:
        from spinach_nic.report.studies import comparison_report

        write_text(report_out, comparison_report(found, results, headings))
    if "-" in (json_out, report_out):
        return

    from spinach_nic.cli.tables import NARROWEST

    console = streams.rich_console(highlight=False, soft_wrap=True)
    console.width = max(console.width, NARROWEST)
    if not found.differs:
        console.print("nothing differs")
        return
    _print(console, "configuration", headings, found.configuration)
    shown = found.measurable if shows_all else found.measurable[:LINES]
    is_unknown = found.without_error and not shown
    _print(console, "results with a known error" if is_unknown else "results", headings, shown)
    if found.within_error and shows_all:
        _print(console, "no measurable difference", headings, found.within_error)
    elif found.within_error:
        names = ", ".join(it.name for it in found.within_error)
        console.print(f"no measurable difference, within the 95 % error: {names}")
    unknown = found.without_error if shows_all else found.without_error[:LINES]
    if unknown:
        _print(console, "error not known", headings, unknown)
    more = len(found.results) - len(shown) - len(unknown)
    if more:
        console.print(f"and {more} more results; --all shows them")


def _print(console: Console, title: str, headings: tuple[str, str], rows: Sequence[Difference]) -> None:
    from rich.markup import escape
    from rich.table import Table

    if not rows:
        console.print(f"{title}: nothing differs")
        return
    table = Table(box=None, pad_edge=False)
    table.add_column(title, no_wrap=True)
    for heading in headings:
        table.add_column(escape(heading), justify="right", overflow="fold")
    table.add_column("change", justify="right")
    for row in rows:
        change = "" if row.change is None else f"{100 * row.change:+.2f} %"
        table.add_row(*(escape(cell) for cell in (row.name, *row.shown)), change)
    console.print(table)
