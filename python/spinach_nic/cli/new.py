"""`spinach new`: a NIC of one's own to begin with."""

from pathlib import Path

import click


@click.command
@click.argument("name", type=click.Path(path_type=Path), metavar="NAME")
def command(name: Path) -> None:
    """Write a NIC with firmware into a new folder.

    The NIC has one core; NAME is the folder.

    It sends and receives at once; the tutorial in the book goes through it. NAME may be a path: the NIC is
    called like its last part.

    Example: spinach new mynic && spinach run mynic/mynic.py
    """
    from spinach_nic.starter import write_nic

    files = write_nic(name)
    for file in files:
        click.echo(f"{file}")
    click.echo(f"run it: spinach run {files[0]}")
