"""`spinach firmware`: compile the images that the modelled cores run."""

from itertools import groupby
from pathlib import Path

import click

from spinach_nic.cli import streams
from spinach_nic.cli.files import OUTPUT
from spinach_nic.cli.requests import run_option
from spinach_nic.support.errors import SpinachError


@click.group
def command() -> None:
    """Compile firmware images, or list them.

    Example: spinach firmware list
    """


@command.command
@click.argument("name")
@click.option("--compiler", default="zig", show_default=True, metavar="NAME", help="Compiler: zig or gcc.")
@click.option("-o", "output", type=OUTPUT, metavar="FILE", help="Copy the ELF file to this path.")
@click.option(
    "--container",
    type=OUTPUT,
    metavar="FILE",
    help="Write the file that drivers of the Tigon-2 load.",
)
@run_option("set")
def build(
    name: str,
    compiler: str,
    output: Path | None,
    container: Path | None,
    set: tuple[tuple[str, str], ...],
) -> None:
    """Compile the image NAME and print its path, compiler and SHA-256.

    NAME is FOLDER/IMAGE, or only IMAGE where one folder has it; @VARIANT may follow. Images are those that
    are shipped, and those of the folders here and two levels down. An image gets its addresses from the card
    that its description names, with --set and the card's defaults.

    Example: spinach firmware build rosebud/forward --set rpus=8 -o forward.elf
    """
    from spinach_nic import firmware
    from spinach_nic.benches import make_bench

    named: list[str] = []

    def card_map(nic: str) -> firmware.FirmwareMap:
        named.append(nic)
        bench = make_bench(nic)
        for path, value in set:
            bench.set(path, value)
        return bench.inserted().firmware_map()

    image = firmware.build_anywhere(name, Path(), compiler=compiler, card_map=card_map)
    if set and not named:
        help = 'omit --set, or name its card in firmware.toml, as in card = "rosebud"'
        raise SpinachError(f"--set has no effect: the description of {image.name} names no card", help)
    if output is not None:
        firmware.copy_image(image, output)
    if container is not None:
        firmware.write_container(firmware.Executable.load(image.path), container)
    click.echo(f"{output or image.path}")
    click.echo(f"{image.name}, {image.compiler}, sha256 {image.sha256}")


@command.command("list")
def list_images() -> None:
    """List shipped and local images.

    Local images are those of the folders here and two levels down.

    Example: spinach firmware list
    """
    from rich.table import Table

    from spinach_nic import firmware

    table = Table(box=None, pad_edge=False)
    for heading in ("image", "variants", "cores", "what it is"):
        table.add_column(heading, no_wrap=heading == "image")
    images = firmware.read_descriptions(firmware.shipped_root())
    mistakes = []
    for file in firmware.description_files(Path()):
        try:
            images |= firmware.local_descriptions(file, Path())
        except firmware.FirmwareError as error:
            mistakes.append(error)
    for name, versions in groupby(images.values(), key=lambda image: image.name.partition("@")[0]):
        first, *others = versions
        variants = [image.name.partition("@")[2] for image in (first, *others)]
        table.add_row(name, " ".join(f"@{v}" for v in variants if v), str(first.cores), first.summary)
    streams.rich_console().print(table)
    if mistakes:
        raise mistakes[0]
