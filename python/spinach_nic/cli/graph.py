"""`spinach graph`: the block diagram of a NIC."""

from pathlib import Path

import click

from spinach_nic.cli.completion import complete_nic
from spinach_nic.cli.requests import run_option


@click.command
@click.argument("nic", shell_complete=complete_nic)
@run_option("set")
@click.option(
    "-o",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE.svg|.png|.pdf",
    help="The file to write.",
)
def command(nic: str, set: tuple[tuple[str, str], ...], output: Path) -> None:
    """Draw the block diagram of NIC, clock domains shaded.

    Dashed lines cross between clock domains. In an SVG a browser shows the modules of a block under the
    mouse.

    Example: spinach graph tengig -o tengig.svg
    """
    from spinach_nic.diagram import draw_nic
    from spinach_nic.files import check_outputs
    from spinach_nic.nics import make_nic
    from spinach_nic.pictures import check_picture, write_picture

    check_picture(output)
    check_outputs({"-o": output}, {"the file of the NIC": nic} if nic.endswith(".py") else {})
    system = make_nic(nic)
    for path, value in set:
        system.set(path, value)
    write_picture(output, draw_nic(system))
