"""`spinach run`: simulate a NIC and print what it did."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spinach_nic.cli.parsing import FRAMES, SETTING, TIME
from spinach_nic.errors import SpinachError

if TYPE_CHECKING:
    from collections.abc import Callable

    from spinach_nic.result import Result
    from spinach_nic.running import Progress
    from spinach_nic.traffic import Direction
    from spinach_nic.units import Time


@click.command
@click.argument("nic")
@click.option("--set", "settings", type=SETTING, multiple=True, help="Set a parameter, as cores=6.")
@click.option("--firmware", metavar="NAME|FILE", help="An image of the NIC, or an ELF file.")
@click.option(
    "--traffic",
    metavar="SPEC",
    multiple=True,
    default=("udp:1472",),
    show_default=True,
    help="udp:BYTES, imix or pcap:FILE; then :tx or :rx for one way; then @RATE, as @2Gbps or @500kpps.",
)
@click.option("--frames", type=FRAMES, help="How many frames to send in each direction.")
@click.option("--time", type=TIME, help="How long to simulate at most, as 2ms.")
@click.option("--seed", type=int, default=1, show_default=True, help="Decides sizes and contents.")
@click.option("--json", "json_out", metavar="FILE", help="Write the result document; - is standard output.")
@click.option(
    "--pcap-out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the frames that left on the wire and those that reached the host (pcapng).",
)
@click.option("--quiet", is_flag=True, help="Print no table and no progress.")
def command(
    nic: str,
    settings: tuple[tuple[str, str], ...],
    firmware: str | None,
    traffic: tuple[str, ...],
    frames: int | Mapping[Direction, int] | None,
    time: Time | None,
    seed: int,
    json_out: str | None,
    pcap_out: Path | None,
    quiet: bool,
) -> None:
    """Simulate NIC and print what it did.

    NIC is a shipped name, as `spinach list` shows them, or a Python file that defines one.
    """
    from spinach_nic.running import RunError, RunInterrupted, run

    with _progress_bar(quiet) as progress:
        try:
            result = run(
                nic,
                traffic=traffic,
                frames=frames,
                time=time,
                seed=seed,
                set=dict(settings),
                firmware=firmware,
                pcap_out=pcap_out,
                progress=progress,
            )
        except (RunError, RunInterrupted) as error:
            ended: RunError | RunInterrupted | None = error
            result = error.result
        else:
            ended = None
    _show(result, json_out, quiet)
    if ended is not None:
        if isinstance(ended, RunError) and ended.details:
            click.echo(ended.details, err=True)
        raise ended


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


@contextmanager
def _progress_bar(quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """A bar on standard error, if a person is looking."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=1.0)

        def show(progress: Progress) -> None:
            text = f"{progress.frames} frames, {progress.simulated.seconds * 1e3:.2f} ms simulated"
            bar.update(task, completed=progress.fraction, description=text)

        yield show
