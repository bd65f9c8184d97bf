"""`spinach graph`: the block diagram of a NIC."""

from pathlib import Path

import click

from spinach_nic.cli.completion import complete_nic
from spinach_nic.cli.files import write_text
from spinach_nic.cli.parsing import SETTING


@click.command
@click.argument("nic", shell_complete=complete_nic)
@click.option("--set", "settings", type=SETTING, multiple=True, help="Set a parameter, as cores=6.")
@click.option(
    "-o",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE.svg",
    help="The file to write.",
)
def command(nic: str, settings: tuple[tuple[str, str], ...], output: Path) -> None:
    """Draw the block diagram of NIC, clock domains shaded.

    Dashed lines cross between clock domains. A browser shows the modules of a block under the mouse.
    """
    from spinach_nic.diagram import draw_nic
    from spinach_nic.nics import find_nic

    system = find_nic(nic)()
    for path, value in settings:
        system.set(path, value)
    drawn = draw_nic(system)
    write_text(output, drawn)
