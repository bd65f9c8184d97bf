"""`spinach new`: a custom NIC or block as a start."""

from pathlib import Path

import click

from spinach_nic.support.errors import SpinachError


@click.command
@click.argument("name", type=click.Path(path_type=Path), metavar="NAME")
@click.option(
    "--face",
    type=click.Choice(["rings", "pci"]),
    help="rings: guests use the shipped driver; pci: also write a Linux driver, to change.  [default: rings]",
)
@click.option("--module", is_flag=True, help="Write a block in Rust, and a NIC with it.")
def command(name: Path, face: str | None, module: bool) -> None:
    """Write a NIC or a block in Rust into a new folder.

    The NIC has firmware and one core; NAME is the folder.

    The NIC works as written: in `spinach run`, in a guest (spinach attach) and in a server (spinach boot
    --card). The tutorial in the book goes through it. NAME may be a path: the NIC is named after the last
    part of the path.

    Example: spinach new mynic && spinach run mynic/mynic.py
    """
    from spinach_nic.starter import write_module, write_nic

    if module:
        if face is not None:
            raise SpinachError("--face is for a NIC, not for --module", "omit --face")
        files = write_module(name)
        for file in files:
            click.echo(f"{file}")
        click.echo(f"build it: cargo build --release --manifest-path {files[0]}")
        click.echo(f"run it: spinach run {files[-1]}")
        return
    files = write_nic(name, face=face or "rings")
    for file in files:
        click.echo(f"{file}")
    if face == "pci":
        click.echo(f"in a guest: spinach attach {files[0]}")
    click.echo(f"run it: spinach run {files[0]}")
