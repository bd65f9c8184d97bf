"""`spinach attach`: a simulated card in a guest of QEMU."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource
from msgspec import Struct

from spinach_nic.cli import streams
from spinach_nic.cli.console import opened_later, pseudo_terminal
from spinach_nic.cli.declared import argument, declared, option, takes_request
from spinach_nic.cli.files import FileName, PathName, failures_documented, json_option, write_text
from spinach_nic.cli.parsing import interface_of
from spinach_nic.cli.requests import check_prints, run_option, takes_observers
from spinach_nic.runs.observers import OBSERVERS
from spinach_nic.support import signals
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import temporary_folder
from spinach_nic.support.representations import amount
from spinach_nic.traffic import DIRECTIONS

if TYPE_CHECKING:
    from spinach_nic.benches.guest import GuestBench
    from spinach_nic.runs.guest import AttachedResult
    from spinach_nic.runs.observers import Observer

DEFAULT_SCRIPT = "setsid cttyhack sh"
GUEST_OPTIONS = {"address", "script", "programs", "has_console", "root", "replay"}
"""Parameters that concern a guest that the command starts."""


class Request(Struct, frozen=True, kw_only=True):
    """Options of the command, by their names."""

    nic: str = argument("nic")
    wire: str | None = declared(run_option("wire"))
    set: Sequence[tuple[str, str]] = declared(run_option("set"))
    firmware: str | None = declared(run_option("firmware"))
    address: str = option(
        "--address", default="10.0.0.2/24", show_default=True, help="IP address of the card in the guest."
    )
    script: str = option(
        "--script",
        default=DEFAULT_SCRIPT,
        show_default="a shell",
        help="Commands of the guest, instead of a shell; then it powers off.",
    )
    programs: Sequence[str] = option(
        "--program",
        "programs",
        multiple=True,
        type=FileName(is_output=False, kind=str),
        metavar="NAME|FILE",
        help="Copy a program of this machine, such as ethtool, into the guest, or another file by its path.",
    )
    has_console: bool = option(
        "--console",
        "has_console",
        is_flag=True,
        help="Open a pseudo-terminal at the serial line of the card.",
    )
    socket: Path | None = option(
        "--vfio-user",
        "socket",
        type=PathName(path_type=Path),
        metavar="SOCKET",
        help="Serve the card to a vfio-user client, such as QEMU 10.1, that connects to SOCKET; start no "
        "guest.",
    )
    pcie: str | None = option(
        "--simbricks-pcie",
        "pcie",
        metavar="CONNECTION",
        help="Put the card into a SimBricks simulation: listen:SOCKET or connect:SOCKET, then options such "
        "as :latency=500ns:sync_interval=500ns:sync=on; start no guest.",
    )
    root: Path = option(
        "--root",
        type=PathName(exists=True, file_okay=False, path_type=Path),
        default=Path("/"),
        show_default=True,
        metavar="FOLDER",
        help="Folder with boot and lib of the distribution's kernel.",
    )
    record: Path | None = declared(run_option("record"))
    replay: Path | None = declared(run_option("replay"))
    observers: Sequence[Observer] = declared(
        takes_observers(*(one for one in OBSERVERS if one.works_in_guests))
    )
    json_out: str | None = declared(json_option("Write the result document; - is standard output."))

    @property
    def prints(self) -> bool:
        """True if an observer prints to standard output."""
        return any(one.uses_standard_output for one in self.observers)

    def check(self) -> None:
        """Check that the options fit each other.

        Raises:
            UsageError: Two outputs need standard output.
            SpinachError: The address is invalid, or an option has no effect with another.
        """
        check_prints(self.prints, self.json_out)
        interface_of(self.address)
        if self.pcie is not None:
            reason = "the host of --simbricks-pcie has its own guest, and repeats itself"
            _refuse({*GUEST_OPTIONS, "record", "socket"}, reason)
        elif self.socket is not None:
            _refuse(GUEST_OPTIONS, "the client of --vfio-user has its own guest")
        elif self.replay is not None and self.has_console:
            raise SpinachError("a replay accepts no console input", "leave out --console")

    def carry_out(self, bench: GuestBench) -> AttachedResult:
        """Run the card until its guest ends or the user interrupts."""
        from spinach_nic.runs.guest import attach_client, attach_simbricks, replay_attached

        firmware, wire, observers = self.firmware, self.wire, self.observers
        if self.pcie is not None:
            ready = _waiting(f"SimBricks peers at {self.pcie}{f' and {wire}' if wire else ''}")
            return attach_simbricks(
                bench, self.pcie, firmware=firmware, wire=wire, observers=observers, ready=ready
            )
        if self.socket is not None:
            return attach_client(
                bench,
                self.socket,
                firmware=firmware,
                wire=wire,
                record=self.record,
                observers=observers,
                ready=_waiting(f"a vfio-user client at {self.socket}"),
            )
        if self.replay is None:
            return self._start_guest(bench)
        inputs = {"wire", "record", *(["firmware"] if bench.loads_firmware else [])}
        _refuse(inputs, "a replay has the inputs of its recording")
        return replay_attached(bench, self.replay, firmware=firmware, observers=observers)

    def _start_guest(self, bench: GuestBench) -> AttachedResult:
        from spinach_nic.benches.guest import linux_driver
        from spinach_nic.runs.guest import Loaded, attach, container_of, linux_guest

        card, firmware = bench.inserted(), self.firmware
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
                address=self.address,
                script=self.script,
                programs=self.programs,
                root=self.root,
                missing_help=driver.missing_help,
            )
            notice = "the console of the card is at {}"
            opened = opened_later(pseudo_terminal(notice)) if self.has_console else nullcontext()
            on_stderr = self.prints or self.json_out == "-"
            with streams.console_descriptor(stderr=on_stderr) as console, opened as terminal:
                return attach(
                    bench,
                    guest,
                    firmware=None if loaded else firmware,
                    wire=self.wire,
                    console=console,
                    record=self.record,
                    terminal=terminal,
                    observers=self.observers,
                )


@click.command
@takes_request(Request)
def command(request: Request) -> int:
    """Attach the card NIC to a QEMU guest.

    The guest's kernel drives it: tigon2, dp83820 and hundredgig with the distribution's drivers, others with
    one that is built for that kernel. With --vfio-user or --simbricks-pcie another program has the guest.

    --record includes the accesses of the guest. --pcap-out has the frames that left on the wire and those
    that arrived there.

    Example: spinach attach tigon2 --wire tap:card
    """
    from spinach_nic.runs import RunError
    from spinach_nic.runs.guest import guest_bench

    request.check()
    bench = guest_bench(request.nic)
    for path, value in request.set:
        bench.set(path, value)
    json_out, observers = request.json_out, request.observers
    with signals.kept_off(), failures_documented(json_out):  # but for the work before the end of the run
        result = request.carry_out(bench)
        if json_out is not None:
            write_text(json_out, result.to_json())
        if not request.prints and json_out != "-":
            _show(result)
    findings = [finding for observer in observers for finding in observer.findings]
    for finding in findings:
        streams.tell(f"error: {finding}")
    if not result.complete and request.replay is None:
        raise KeyboardInterrupt
    return RunError.exit_code if findings else 0


def _waiting(peer: str) -> Callable[[], None]:
    """Return a function that prints the peer for which a run waits."""
    return lambda: click.echo(f"waiting for {peer}", err=True)


def _refuse(names: Collection[str], reason: str) -> None:
    """Refuse options on the command line, by the names of their parameters."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name, flag = parameter.name or "", parameter.opts[0]
        if name in names and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise SpinachError(f"{reason}, so {flag} has no effect", f"leave out {flag}")


def _show(result: AttachedResult) -> None:
    accesses = amount(result.accesses, "access", "accesses")
    click.echo(
        f"{accesses} of the guest, {amount(result.interrupts, 'interrupt')}; the card read "
        f"{result.read_bytes:,} bytes of its memory and wrote {result.written_bytes:,}"
    )
    click.echo(f"wire: {amount(result.frames_sent, 'frame')} out, {result.frames_received:,} in")
    for way in DIRECTIONS:
        side = "out" if way == "tx" else "in"
        for place, reasons in result.dropped.get(way, {}).items():
            shown = ", ".join(f"{number:,} {reason.replace('_', ' ')}" for reason, number in reasons.items())
            click.echo(f"dropped on the way {side} by {place}: {shown}")
    behind_s = result.live.behind_ns / 1e9
    simulated_s = result.simulated_ns / 1e9
    click.echo(f"{simulated_s:.3f} s simulated in {result.wall_s:.3f} s, {behind_s:.3f} s behind at the end")
