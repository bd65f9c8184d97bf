"""`spinach watch`: a run, live, full screen."""

from __future__ import annotations

import sys

import click

from spinach_nic.cli.files import json_option
from spinach_nic.cli.requests import RunRequest, takes_run_request, tell_failure
from spinach_nic.cli.run import show
from spinach_nic.cli.sections import SectionedCommand
from spinach_nic.support import signals
from spinach_nic.support.errors import SpinachError


@click.command(cls=SectionedCommand)
@takes_run_request
@json_option("Write the result document; - is standard output.")
def command(request: RunRequest, json_out: str | None) -> None:
    """Simulate NIC and show it live, full screen.

    It shows rates, queues, cores, memories and stalls while the run continues.

    The space bar pauses and resumes simulated time. q or Ctrl-C ends the run and keeps the current results;
    the exit code is then 130, as of an interrupted run. Watching does not affect results. Afterwards the
    summary is printed, as by `spinach run`.

    Example: spinach watch tengig --frames 20000
    """
    from spinach_nic.runs import RunOptions, execute
    from spinach_nic.runs.tui import WatchedRun
    from spinach_nic.runs.tui.screen import WatchApp

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise SpinachError("spinach watch needs a terminal for input and output", "use `spinach run` instead")
    run = WatchedRun(lambda report: execute(request.nic, **(request.options | RunOptions(progress=report))))
    run.start()
    has_begun = run.has_begun()  # else `finish` has the reason
    # A first signal would be lost in callbacks of the screen, which looks for it instead.
    with signals.kept_off():
        if has_begun:
            WatchApp(run, f"{request.nic}").run()
        run.end()
        finished = run.finish()
        show(finished.result, json_out, request.quiet)
    tell_failure(finished)
