"""`spinach attach`: a simulated card in a guest of QEMU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from spinach_nic.cli import streams
from spinach_nic.cli.console import opened_later, pseudo_terminal
from spinach_nic.cli.files import (
    OUTPUT_TEXT,
    FileName,
    PathName,
    failures_documented,
    json_option,
    write_text,
)
from spinach_nic.cli.parsing import interface_of
from spinach_nic.cli.requests import run_option, takes_observers
from spinach_nic.runs.observers import OBSERVERS
from spinach_nic.support import signals
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import temporary_folder
from spinach_nic.support.representations import amount

if TYPE_CHECKING:
    from spinach_nic.benches.guest import GuestBench
    from spinach_nic.runs.guest import AttachedResult
    from spinach_nic.runs.observers import Observer

DEFAULT_SCRIPT = "setsid cttyhack sh"
GUEST_OPTIONS = {
    "address": "--address",
    "script": "--script",
    "programs": "--program",
    "has_console": "--console",
    "root": "--root",
    "replay": "--replay",
}
"""Options that concern a guest that the command starts, by parameter."""


@click.command
@click.argument("nic")
@run_option("wire")
@run_option("set")
@run_option("firmware")
@click.option(
    "--address", default="10.0.0.2/24", show_default=True, help="IP address of the card in the guest."
)
@click.option(
    "--script",
    default=DEFAULT_SCRIPT,
    show_default="a shell",
    help="Commands of the guest, instead of a shell; then it powers off.",
)
@click.option(
    "--program",
    "programs",
    multiple=True,
    type=FileName(is_output=False, kind=str),
    metavar="NAME|FILE",
    help="Copy a program of this machine, such as ethtool, into the guest, or another file by its path.",
)
@click.option(
    "--console", "has_console", is_flag=True, help="Open a pseudo-terminal at the serial line of the card."
)
@click.option(
    "--vfio-user",
    "socket",
    type=PathName(path_type=Path),
    metavar="SOCKET",
    help="Serve the card to a vfio-user client, such as QEMU 10.1, that connects to SOCKET; start no guest.",
)
@click.option(
    "--simbricks-pcie",
    "pcie",
    metavar="CONNECTION",
    help="Put the card into a SimBricks simulation: listen:SOCKET or connect:SOCKET, then options such as "
    ":latency=500ns:sync_interval=500ns:sync=on; start no guest.",
)
@click.option(
    "--root",
    type=PathName(exists=True, file_okay=False, path_type=Path),
    default=Path("/"),
    show_default=True,
    help="Folder with boot and lib of the distribution's kernel.",
)
@click.option(
    "--record", type=OUTPUT_TEXT, metavar="FILE", help="Write the events of guest and wire, for --replay."
)
@click.option(
    "--replay",
    type=FileName(is_output=False, what="the recording to replay", kind=str),
    metavar="FILE",
    help="Replay a recording without QEMU.",
)
@takes_observers(*(one for one in OBSERVERS if one.works_in_guests))
@json_option("Write the result document; - is standard output.")
def command(
    nic: str,
    wire: str | None,
    set: Sequence[tuple[str, str]],
    firmware: str | None,
    address: str,
    script: str,
    programs: Sequence[str],
    has_console: bool,
    socket: Path | None,
    pcie: str | None,
    root: Path,
    record: str | None,
    replay: str | None,
    observers: Sequence[Observer],
    json_out: str | None,
) -> int:
    """Attach the card NIC to a QEMU guest.

    The guest's kernel drives it: tigon2, dp83820 and hundredgig with the distribution's drivers, others with
    one that is built for that kernel. With --vfio-user or --simbricks-pcie another program has the guest.

    Example: spinach attach tigon2 --wire tap:card
    """
    from spinach_nic.runs.guest import guest_bench

    prints = any(one.uses_standard_output for one in observers)
    if prints and json_out == "-":
        raise click.UsageError("--trace-lines needs standard output for itself: name a file for the document")
    interface_of(address)
    bench = guest_bench(nic)
    for path, value in set:
        bench.set(path, value)
    with signals.kept_off(), failures_documented(json_out):  # but for the work before the end of the run
        if pcie is not None:
            result = _with_simbricks(bench, pcie, wire=wire, firmware=firmware, observers=observers)
        elif socket is not None:
            result = _with_client(
                bench, socket, wire=wire, firmware=firmware, record=record, observers=observers
            )
        elif replay is None:
            result = _with_guest(
                bench,
                wire=wire,
                firmware=firmware,
                address=address,
                script=script,
                programs=programs,
                has_console=has_console,
                root=root,
                record=record,
                observers=observers,
                on_stderr=prints or json_out == "-",
            )
        else:
            if has_console:
                raise SpinachError("a replay accepts no console input", "leave out --console")
            result = _replayed(
                bench, replay, wire=wire, firmware=firmware, record=record, observers=observers
            )
        if json_out is not None:
            write_text(json_out, result.to_json())
        if not prints and json_out != "-":
            _show(result)
    findings = [finding for observer in observers for finding in observer.findings]
    for finding in findings:
        streams.tell(f"error: {finding}")
    if not result.complete and replay is None:
        raise KeyboardInterrupt
    return 1 if findings else 0


def _with_guest(
    bench: GuestBench,
    *,
    wire: str | None,
    firmware: str | None,
    address: str,
    script: str,
    programs: Sequence[str],
    has_console: bool,
    root: Path,
    record: str | None,
    observers: Sequence[Observer],
    on_stderr: bool,
) -> AttachedResult:
    from spinach_nic.benches.guest import linux_driver
    from spinach_nic.runs.guest import Loaded, attach, container_of, linux_guest

    card = bench.inserted()
    driver = linux_driver(card)
    with temporary_folder() as folder:
        loaded = None
        if driver.firmware_file:
            loaded = Loaded(container_of(card, firmware, folder), driver.firmware_file)
        guest = linux_guest(
            folder,
            driver=driver.module,
            others=driver.others,
            sources=driver.sources,
            firmware=loaded,
            address=address,
            script=script,
            programs=programs,
            root=root,
        )
        in_place = None if loaded else firmware
        notice = "the console of the card is at {}"
        opened = opened_later(pseudo_terminal(notice)) if has_console else nullcontext()
        with streams.console_descriptor(stderr=on_stderr) as console, opened as terminal:
            return attach(
                bench,
                guest,
                firmware=in_place,
                wire=wire,
                console=console,
                record=record,
                terminal=terminal,
                observers=observers,
            )


def _with_client(
    bench: GuestBench,
    socket: Path,
    *,
    wire: str | None,
    firmware: str | None,
    record: str | None,
    observers: Sequence[Observer],
) -> AttachedResult:
    from spinach_nic.runs.guest import attach_client

    _refuse(GUEST_OPTIONS, "the client of --vfio-user has its own guest")
    return attach_client(
        bench,
        socket,
        firmware=firmware,
        wire=wire,
        record=record,
        observers=observers,
        ready=lambda: click.echo(f"waiting for a vfio-user client at {socket}", err=True),
    )


def _with_simbricks(
    bench: GuestBench,
    pcie: str,
    *,
    wire: str | None,
    firmware: str | None,
    observers: Sequence[Observer],
) -> AttachedResult:
    from spinach_nic.runs.guest import attach_simbricks

    others = {"record": "--record", "socket": "--vfio-user"}
    _refuse(GUEST_OPTIONS | others, "the host of --simbricks-pcie has its own guest, and repeats itself")
    peers = f"{pcie}{f' and {wire}' if wire else ''}"
    return attach_simbricks(
        bench,
        pcie,
        firmware=firmware,
        wire=wire,
        observers=observers,
        ready=lambda: click.echo(f"waiting for SimBricks peers at {peers}", err=True),
    )


def _refuse(options: Mapping[str, str], reason: str) -> None:
    context = click.get_current_context()
    for name, option in options.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise SpinachError(f"{reason}, so {option} has no effect", f"leave out {option}")


def _replayed(
    bench: GuestBench,
    recording: str,
    *,
    wire: str | None,
    firmware: str | None,
    record: str | None,
    observers: Sequence[Observer],
) -> AttachedResult:
    from spinach_nic.runs.guest import replay_attached

    given = {"--wire": wire, "--record": record}
    if bench.loads_firmware:
        given["--firmware"] = firmware
    for option, value in given.items():
        if value is not None:
            message = f"a replay has the inputs of its recording, so {option} has no effect"
            raise SpinachError(message, f"leave out {option}")
    return replay_attached(bench, recording, firmware=firmware, observers=observers)


def _show(result: AttachedResult) -> None:
    accesses = amount(result.accesses, "access", "accesses")
    click.echo(
        f"{accesses} of the guest, {amount(result.interrupts, 'interrupt')}; the card read "
        f"{result.read_bytes:,} bytes of its memory and wrote {result.written_bytes:,}"
    )
    click.echo(f"wire: {amount(result.frames_sent, 'frame')} out, {result.frames_received:,} in")
    behind_s = result.live.behind_ns / 1e9
    simulated_s = result.simulated_ns / 1e9
    click.echo(f"{simulated_s:.3f} s simulated in {result.wall_s:.3f} s, {behind_s:.3f} s behind at the end")
