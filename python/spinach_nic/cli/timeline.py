"""`spinach timeline`: frames in a timeline."""

from __future__ import annotations

from pathlib import Path

import click

from spinach_nic.cli import streams
from spinach_nic.cli.files import INPUT
from spinach_nic.cli.parsing import Whole
from spinach_nic.support.representations import amount


@click.group
def command() -> None:
    """Query timelines of runs.

    `spinach run --timeline FILE` writes them.

    Perfetto's viewer, ui.perfetto.dev, opens them; nothing leaves the machine.

    Example: spinach timeline frames run.pftrace
    """


@command.command
@click.argument("file", type=INPUT)
@click.option(
    "--count", type=Whole(1, 10**6), default=10, show_default=True, metavar="N", help="Number of frames."
)
def frames(file: Path, count: int) -> None:
    """Print the slowest frames, and where each waited.

    Example: spinach timeline frames run.pftrace --count 3
    """
    from rich.table import Table

    from spinach_nic.runs.timelines import journeys

    found = journeys(file)
    slowest = sorted(found, key=lambda journey: (-journey.duration_ns, journey.begin_ns))[:count]
    table = Table(box=None, pad_edge=False)
    for heading in ("frame", "from us", "took us", "waited us", "after it had moved through"):
        table.add_column(heading, justify="left" if "f" in heading[:2] and "us" not in heading else "right")
    table.columns[-1].justify = "left"
    for journey in slowest:
        stages = sorted(journey.stages, key=lambda stage: -stage.duration_ns)[:3]
        first = [journey.name, f"{journey.begin_ns / 1e3:.2f}", f"{journey.duration_ns / 1e3:.2f}"]
        for place, stage in enumerate(stages):
            beginning = first if place == 0 else ["", "", ""]
            table.add_row(*beginning, f"{stage.duration_ns / 1e3:.2f}", stage.channel)
        if not stages:
            table.add_row(*first, "", "")
    unlimited = streams.rich_console(width=1000)
    console = streams.rich_console(
        highlight=False, width=max(unlimited.measure(table).maximum, streams.rich_console().width)
    )
    console.print(f"{amount(len(found), 'frame')}; the slowest, with the longest waits of each")
    console.print(table)
