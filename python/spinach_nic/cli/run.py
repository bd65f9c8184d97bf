"""`spinach run`: simulate a NIC and print its results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spinach_nic.cli.files import json_option, report_option, write_text
from spinach_nic.cli.requests import RunRequest, check_prints, takes_run_request, tell_failure
from spinach_nic.cli.sections import SectionedCommand
from spinach_nic.support import signals

if TYPE_CHECKING:
    from spinach_nic.runs.result import Result


@click.command(cls=SectionedCommand)
@takes_run_request
@json_option("Write the result document; - is standard output.")
@report_option("graphs", "plots")
def command(request: RunRequest, json_out: str | None, report_out: str | None) -> None:
    """Simulate NIC and print its results.

    NIC is a shipped name, as `spinach list` shows them, or a Python file that defines one.

    Example: spinach run tengig --set cores=3 --traffic imix
    """
    check_prints(request.prints, json_out, report_out)
    with signals.kept_off():  # but for the work before the end of the run
        finished = request.carry_out(written_later={"--json": json_out, "--report": report_out})
        show(finished.result, json_out, request.quiet or report_out == "-")
        if report_out is not None:
            from spinach_nic.report.diagram import draw_run
            from spinach_nic.report.runs import run_report

            session = finished.session
            drawn = draw_run(session.bench, session.simulation, session.measured())
            samples = session.samples.taken
            write_text(report_out, run_report(finished.result, samples, nic=request.nic, diagram=drawn))
    tell_failure(finished)


def show(result: Result, json_out: str | None, quiet: bool) -> None:
    """Write the requested document, and print a summary unless it is quiet."""
    if json_out is not None:
        write_text(json_out, result.to_json())
    if not quiet and json_out != "-":
        from spinach_nic.cli.summary import print_summary

        print_summary(result)
