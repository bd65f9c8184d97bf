"""`spinach debug`: a run controlled by a debugger."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spinach_nic.cli import streams
from spinach_nic.cli.files import OUTPUT, json_option
from spinach_nic.cli.parsing import ListeningAddress
from spinach_nic.cli.requests import RunRequest, takes_run_request, tell_failure
from spinach_nic.cli.sections import SectionedCommand
from spinach_nic.runs.options import refused_by_debugger
from spinach_nic.support import signals

if TYPE_CHECKING:
    from spinach_nic.runs.images import ChosenImage


@click.command(cls=SectionedCommand)
@partial(takes_run_request, refused=refused_by_debugger())
@click.option(
    "--listen",
    "address",
    type=ListeningAddress(),
    default="127.0.0.1:0",
    show_default=True,
    help="Address to wait for gdb; port 0 for a free port.",
)
@click.option(
    "--launch-file",
    type=OUTPUT,
    metavar="FILE",
    help="Write the debug configuration of an editor, such as .vscode/launch.json.",
)
@json_option("Write the result document; - is standard output.")
def command(request: RunRequest, address: str, launch_file: Path | None, json_out: str | None) -> None:
    """Simulate NIC under gdb, each core as a thread.

    The run waits for gdb and is stopped while gdb holds it. Breakpoints, watchpoints, steps,
    `reverse-continue` and `reverse-step` work; `monitor help` lists features without gdb commands. Inspection
    does not affect the simulation.

    Example: spinach debug tengig --frames 100
    """
    from spinach_nic.cli.launch_file import write_launch_file
    from spinach_nic.cli.run import show
    from spinach_nic.firmware import sources_of
    from spinach_nic.runs import DebugRequest
    from spinach_nic.servers import SERVERS
    from spinach_nic.support.errors import SpinachError

    if request.nic in SERVERS:
        raise SpinachError(f"{request.nic} is a server, not a NIC", f"spinach boot {request.nic} --gdb")

    def ready(listening: str, image: ChosenImage | None) -> None:
        streams.warn_of_listening(address)
        program = image.executable.path if image else None
        sources = (image.sources or sources_of(image.executable)) if image else {}
        places = [f"set substitute-path {name} {folder}" for name, folder in sources.items()]
        if launch_file is not None:
            write_launch_file(launch_file, listening, program, places)
        words = [*([str(program)] if program else []), *_each(places), *_each([f"target remote {listening}"])]
        click.echo(f"waiting for gdb: gdb-multiarch {shlex.join(words)}", err=True)

    def note(sentence: str) -> None:
        streams.tell(f"note: {sentence}")

    with signals.kept_off():  # but for the work before the end of the run
        debugger = DebugRequest(address, ready, note)
        finished = request.carry_out(debugger=debugger, written_later={"--json": json_out})
        show(finished.result, json_out, request.quiet)
    tell_failure(finished)


def _each(commands: Sequence[str]) -> list[str]:
    return [word for command in commands for word in ("-ex", command)]
