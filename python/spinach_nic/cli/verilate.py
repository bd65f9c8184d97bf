"""`spinach verilate`: a custom block from RTL."""

from pathlib import Path

import click

from spinach_nic.cli.files import INPUT, PathName, output_option
from spinach_nic.support.representations import amount


@click.command
@click.argument("sources", nargs=-1, required=True, type=INPUT, metavar="FILE...")
@click.option("--top", required=True, metavar="MODULE", help="Top module.")
@output_option("Library to write.  [default: MODULE.spinach]")
@click.option(
    "--parameter", "parameters", multiple=True, metavar="NAME=VALUE", help="Parameter of the top module."
)
@click.option(
    "-I",
    "--include",
    multiple=True,
    type=PathName(path_type=Path),
    metavar="FOLDER",
    help="Folder with included files and other modules.",
)
@click.option("--clock", metavar="NAME", help="Clock.  [default: the input called like one, such as clk]")
@click.option(
    "--reset",
    metavar="NAME[:low]",
    help="Reset; low: it is active at 0.  [default: the input called like one, such as rst, if any]",
)
@click.option(
    "--idle", metavar="NAME", help="Output that is 1 while only an input can change the state of the block."
)
@click.option(
    "--word-addresses",
    multiple=True,
    metavar="PORT",
    help="Port of Wishbone or OBI whose addresses count words, if their width does not tell.",
)
@click.option(
    "--trace",
    type=click.Choice(["vcd", "fst", "none"]),
    default="vcd",
    show_default=True,
    help="Format of the waveforms that the library can write; fst needs zlib.",
)
@click.option("--no-save", is_flag=True, help="Leave out checkpoints, which some RTL does not allow.")
@click.option("--verilator-option", multiple=True, metavar="OPTION", help="Another option for Verilator.")
def command(
    sources: tuple[Path, ...],
    top: str,
    output: Path | None,
    parameters: tuple[str, ...],
    include: tuple[Path, ...],
    clock: str | None,
    reset: str | None,
    idle: str | None,
    word_addresses: tuple[str, ...],
    trace: str,
    no_save: bool,
    verilator_option: tuple[str, ...],
) -> None:
    """Compile RTL into a block that a card can use.

    Needs Verilator 5.006 or later and a C++ compiler. Streams are recognised by the names of their signals,
    such as s_axis_tvalid. `spinach_nic.blocks.Verilated` is the component with the ports of the block.

    Example: spinach verilate checksum.sv --top checksum
    """
    from spinach_nic.blocks import VerilateOptions, combinational_paths, verilate
    from spinach_nic.support.errors import SpinachError

    for setting in parameters:
        if "=" not in setting:
            raise SpinachError(f"{setting!r} is not NAME=VALUE", "give for example --parameter WIDTH=64")
    options = VerilateOptions(
        parameters=dict(setting.split("=", 1) for setting in parameters),
        include=include,
        clock=clock,
        reset=reset,
        idle=idle,
        word_addresses=word_addresses,
        trace=trace,
        can_save=not no_save,
        verilator_options=verilator_option,
    )
    library = output or Path(f"{top}.spinach")
    description = verilate(sources, top, library, options)
    click.echo(f"{library}: block {top}")
    for stream in description["streams"]:
        carried = "frames" if stream["carries_frames"] else "words"
        click.echo(f"  {'input ' if stream['is_input'] else 'output'}  {stream['name']}  {carried}")
    for memory in description["memories"]:
        unit = {None: "", 1: ", byte addresses"}.get(memory.get("address_unit"), ", word addresses")
        kind = "output  {}  requests" if memory["is_initiator"] else "input   {}  requests"
        click.echo(f"  {kind.format(memory['name'])}{unit}")
    for index in description["values"]:
        signal = description["signals"][index]
        direction = "input " if signal["is_input"] else "output"
        click.echo(f"  {direction}  {signal['name']}  value of {amount(signal['width'], 'bit')}")
    followed: dict[str, list[str]] = {}
    for name, follower in combinational_paths(library):
        followed.setdefault(follower, []).append(name)
    for follower, names in followed.items():
        click.echo(f"  path    {follower} follows {', '.join(names)} within the cycle")
