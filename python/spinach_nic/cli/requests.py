"""What all commands that run a NIC are told alike, and how they run it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from spinach_nic.cli.completion import complete_firmware, complete_nic
from spinach_nic.cli.parsing import FRAMES, SETTING, TIME, Whole

if TYPE_CHECKING:
    from spinach_nic.running import Finished, Progress
    from spinach_nic.traffic import Direction
    from spinach_nic.units import Time


@dataclass(frozen=True)
class RunRequest:
    """A run, as the command line asks for it."""

    nic: str
    settings: tuple[tuple[str, str], ...]
    firmware: str | None
    traffic: tuple[str, ...]
    frames: int | Mapping[Direction, int] | None
    time: Time | None
    seed: int
    stall_after: Time | None
    quiet: bool

    def carry_out(
        self,
        *,
        pcap_out: Path | None = None,
        traces: Path | None = None,
        written_later: Mapping[str, str | Path | None] = MappingProxyType({}),
    ) -> Finished:
        """Run it with a progress bar, up to its end, whatever that is.

        Args:
            pcap_out: A capture to write.
            traces: A folder for traces.
            written_later: What the command writes afterwards, by its option.
        """
        from spinach_nic.running import DEFAULT_STALL, execute

        with _progress_bar(self.quiet) as progress:
            return execute(
                self.nic,
                traffic=self.traffic,
                frames=self.frames,
                time=self.time,
                seed=self.seed,
                set=dict(self.settings),
                firmware=self.firmware,
                pcap_out=pcap_out,
                traces=traces,
                progress=progress,
                written_later={name: path for name, path in written_later.items() if path is not None},
                stall_after=DEFAULT_STALL if self.stall_after is None else self.stall_after,
            )


_OPTIONS = (
    click.argument("nic", shell_complete=complete_nic),
    click.option("--set", "settings", type=SETTING, multiple=True, help="Set a parameter, as cores=6."),
    click.option(
        "--firmware",
        metavar="NAME|FILE",
        shell_complete=complete_firmware,
        help="An image of the NIC, or an ELF file.",
    ),
    click.option(
        "--traffic",
        metavar="SPEC",
        multiple=True,
        default=("udp:1472",),
        show_default=True,
        help="udp:BYTES, imix or pcap:FILE; then :tx or :rx for one way; then @RATE, as @2Gbps or @500kpps; "
        "then faults of frames from the wire, as ,bad_crc=1%,runt=1%,oversize=1%.",
    ),
    click.option("--frames", type=FRAMES, help="How many frames to send in each direction."),
    click.option("--time", type=TIME, help="How long to simulate at most, as 2ms."),
    click.option(
        "--seed", type=Whole(0, 2**62 - 1), default=1, show_default=True, help="Decides sizes and contents."
    ),
    click.option(
        "--stall-after",
        type=TIME,
        help="A run fails when nothing has happened to any frame for so long; 20ms by default.",
    ),
    click.option("--quiet", is_flag=True, help="Print no table and no progress."),
)


def takes_run_request(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the argument NIC and the options of a run; it takes them as its first argument."""

    @wraps(function)
    def command(**given: Any) -> None:
        names = RunRequest.__dataclass_fields__
        request = RunRequest(**{name: given.pop(name) for name in names})
        function(request, **given)

    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def tell_failure(finished: Finished) -> None:
    """If the run failed, print the details and end the command with its error."""
    from spinach_nic.running import RunError

    if finished.unwritten is not None and finished.ending.kind != "complete":
        click.echo(f"error: {finished.unwritten}", err=True)
    try:
        finished.check()
    except RunError as error:
        if error.details:
            click.echo(error.details, err=True)
        raise


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
