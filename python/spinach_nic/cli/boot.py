"""`spinach boot`: a server that runs Linux."""

from __future__ import annotations

from pathlib import Path

import click


@click.command
@click.argument("server")
@click.option("--harts", type=int, metavar="N", help="How many harts it has, 1 to 4.")
@click.option("--memory", metavar="SIZE", help="Its memory, as 256MiB.")
@click.option(
    "--kernel",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Start this kernel, or this program as an ELF file, and not the kernel of `make linux`.",
)
@click.option("--files", type=click.Path(path_type=Path), metavar="FILE", help="First files of it.")
@click.option("--arguments", metavar="TEXT", help="Its command line.")
@click.option(
    "--save", type=click.Path(path_type=Path), metavar="FILE", help="Write a checkpoint at the end."
)
@click.option("--restore", type=click.Path(path_type=Path), metavar="FILE", help="Go on from a checkpoint.")
def command(
    server: str,
    harts: int | None,
    memory: str | None,
    kernel: Path | None,
    files: Path | None,
    arguments: str | None,
    save: Path | None,
    restore: Path | None,
) -> int:
    """Boot SERVER, rv64, and connect this terminal to its console. Ctrl-] leaves it.

    It boots once: a checkpoint of the server that is ready is kept, and the next time goes on from there.
    Standard input is typed if it is no terminal.

    Example: spinach boot rv64
    """
    import sys
    import time

    from spinach_nic import _native, servers
    from spinach_nic.errors import SpinachError
    from spinach_nic.files import check_outputs, write_whole
    from spinach_nic.servers import console, linux
    from spinach_nic.units import Size, parse_quantity

    if kernel is None and (files or arguments):
        raise SpinachError("--files and --arguments are those of --kernel", "name the kernel too")
    if kernel is not None and restore is not None:
        raise SpinachError(
            "--restore goes on from a checkpoint, in which a kernel runs already", "drop --kernel"
        )
    check_outputs({"--save": save} if save else {}, {})
    size = parse_quantity(memory, Size) if memory else None
    configuration = servers.configuration_of(server, harts, size)
    if restore is not None:
        try:
            content = restore.read_bytes()
        except OSError as error:
            raise SpinachError(f"cannot read {restore}: {error.strerror}", "name a checkpoint") from error
        memory_bytes = configuration.memory.bytes
        machine = _native.Server.restore(str(restore), content, configuration.harts, memory_bytes)
    elif kernel is not None:
        machine = servers.start(configuration, linux.custom(kernel, files, arguments))
    else:
        machine = servers.booted(configuration, linux.needed(), console.show)
    began, before = time.monotonic(), machine.instructions()
    end = console.converse(machine)
    if save is not None:
        write_whole(save, machine.save())
    executed, wall_s = machine.instructions() - before, time.monotonic() - began
    cycles, hertz = machine.time()
    endings = {"off": "switched off", "failed": "failed", "left": "left"}
    click.echo(
        f"{server}: {endings[end]} after {cycles / hertz:.3f} simulated s; "
        f"{executed:,} instructions in {wall_s:.2f} s",
        file=sys.stderr,
    )
    return 3 if end == "failed" else 0
