"""`spinach graph`: the block diagram of a NIC."""

from pathlib import Path

import click

from spinach_nic.cli.completion import complete_nic
from spinach_nic.cli.files import NIC, OUTPUT
from spinach_nic.cli.requests import run_option


@click.command
@click.argument("nic", type=NIC, shell_complete=complete_nic)
@run_option("set")
@click.option(
    "-o",
    "outputs",
    type=OUTPUT,
    required=True,
    multiple=True,
    metavar="FILE.svg|.png|.pdf",
    help="File to write. Repeatable.",
)
def command(nic: str, set: tuple[tuple[str, str], ...], outputs: tuple[Path, ...]) -> None:
    """Draw the block diagram of NIC.

    Clock domains are shaded.

    Dashed lines cross between clock domains. In an SVG a browser shows the modules of a block under the
    mouse.

    Example: spinach graph tengig -o tengig.svg -o tengig.pdf
    """
    from spinach_nic.benches import shown_bench
    from spinach_nic.report.diagram import draw_nic
    from spinach_nic.support.extras import require
    from spinach_nic.support.pictures import check_picture, write_picture

    require("graphs", purpose="the diagram")
    for output in outputs:
        check_picture(output)
    system = shown_bench(nic)
    for path, value in set:
        system.set(path, value)
    drawn = draw_nic(system)
    for output in outputs:
        write_picture(output, drawn)
