"""Results of an experiment, as tables for users."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from spinach_nic.cli import streams
from spinach_nic.experiments.runner import Reproduction
from spinach_nic.experiments.runner.tables import comparison

NARROWEST = 250
"""Columns that a table may take. A narrower terminal breaks its lines, but nothing is left out or folded."""


def print_reproduction(reproduction: Reproduction) -> None:
    """Print its table and its claims on standard output."""
    console = streams.rich_console(highlight=False, soft_wrap=True)
    console.width = max(console.width, NARROWEST)
    experiment = reproduction.experiment
    source = f"{experiment.source.paper}, {experiment.source.place}"
    extent = "" if reproduction.extent.name == "full" else f" ({reproduction.extent.name})"
    console.print(f"[bold]{experiment.name}[/bold]{extent}: {escape(experiment.summary)}")
    console.print(escape(source))
    if reproduction.failure is not None:
        failed = "failed: " if reproduction.failed_exit_code else ""
        console.print(f"{failed}{escape(reproduction.failure)}")
        console.print()
        return
    cells = comparison(reproduction)
    table = Table(box=None, pad_edge=False)
    for number, heading in enumerate(cells.headings):
        is_key = number < cells.keys
        table.add_column(
            escape(heading), justify="left" if is_key else "right", overflow="fold", no_wrap=is_key
        )
    for row in cells.rows:
        table.add_row(*map(escape, row))
    console.print(table)
    for note in experiment.notes:
        console.print(f"note: {escape(note)}")
    for claim in reproduction.claims:
        verdict = claim.verdict if claim.holds else f"[bold]{claim.verdict}[/bold]"
        console.print(
            f"{verdict}: {escape(claim.text)} (measured {claim.measured}, expected {claim.criterion})"
        )
    console.print()
