"""`spinach run`: simulate a NIC and print what it did."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spinach_nic.cli.requests import RunRequest, takes_run_request, tell_failure
from spinach_nic.errors import SpinachError

if TYPE_CHECKING:
    from spinach_nic.result import Result


@click.command
@takes_run_request
@click.option("--json", "json_out", metavar="FILE", help="Write the result document; - is standard output.")
@click.option(
    "--pcap-out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the frames that left on the wire and those that reached the host (pcapng).",
)
def command(request: RunRequest, json_out: str | None, pcap_out: Path | None) -> None:
    """Simulate NIC and print what it did.

    NIC is a shipped name, as `spinach list` shows them, or a Python file that defines one.
    """
    result, ended = request.carry_out(pcap_out=pcap_out)
    _show(result, json_out, request.quiet)
    tell_failure(ended)


def _show(result: Result, json_out: str | None, quiet: bool) -> None:
    if json_out == "-":
        sys.stdout.write(result.to_json())
    elif json_out is not None:
        try:
            Path(json_out).write_text(result.to_json(), encoding="utf-8")
        except OSError as error:
            raise SpinachError(f"cannot write {json_out}: {error.strerror}", "name another file") from error
    if not quiet and json_out != "-":
        from spinach_nic.cli.summary import print_summary

        print_summary(result)
