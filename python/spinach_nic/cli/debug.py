"""`spinach debug`: a run that a debugger holds."""

from __future__ import annotations

import click

from spinach_nic import signals
from spinach_nic.cli.requests import RunRequest, takes_run_request, tell_failure


@click.command
@takes_run_request
@click.option(
    "--listen",
    "address",
    metavar="HOST:PORT",
    default="127.0.0.1:0",
    show_default=True,
    help="Where to wait for gdb; port 0 is any that is free.",
)
@click.option("--json", "json_out", metavar="FILE", help="Write the result document; - is standard output.")
def command(request: RunRequest, address: str, json_out: str | None) -> None:
    """Simulate NIC as gdb has it: every core is a thread.

    The run waits for gdb and stands while gdb holds it. Breakpoints, watchpoints, steps,
    `reverse-continue` and `reverse-step` work; `monitor help` lists what gdb has no words for. Looking
    changes nothing that comes.

    Example: spinach debug tengig --frames 100
    """
    from spinach_nic.cli.run import show
    from spinach_nic.running import DebugRequest

    def ready(address: str, image: str) -> None:
        click.echo(f"waiting for gdb: gdb-multiarch {image} -ex 'target remote {address}'", err=True)

    with signals.kept_off():  # but for the work before the end of the run
        debugger = DebugRequest(address, ready)
        finished = request.carry_out(debugger=debugger, written_later={"--json": json_out})
        show(finished.result, json_out, request.quiet)
    tell_failure(finished)
