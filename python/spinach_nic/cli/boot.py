"""`spinach boot`: a server that runs Linux."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from ipaddress import IPv4Interface
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from spinach_nic.cli.declared import argument, declared, option, takes_request
from spinach_nic.cli.files import (
    INPUT,
    OUTPUT,
    FileName,
    failures_documented,
    json_option,
    named_files,
    write_text,
)
from spinach_nic.cli.parsing import ListeningAddress, QuantityText, Whole, interface_of
from spinach_nic.cli.requests import run_option, takes_observers
from spinach_nic.runs.observers.waveforms import Waveforms
from spinach_nic.support import signals
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import check_outside
from spinach_nic.support.units import Frequency, Rate, Size, Time, parse_quantity

if TYPE_CHECKING:
    from spinach_nic import _native
    from spinach_nic.runs.observers import Observer
    from spinach_nic.runs.server_modules import ModuleServers
    from spinach_nic.servers import Wire
    from spinach_nic.servers.outputs import Output
    from spinach_nic.servers.sampling import SamplingPlan

_Mistakes = list[tuple[object, str, str]]
"""Conditions that must not hold, each with its message and help."""

_MODULES = ("node[", "cable[")
"""Beginnings of the paths of modules."""


class _Command(click.Command):
    """Command whose option `--exec` takes all words after it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments of the program apart."""
        place = args.index("--exec") + 2 if "--exec" in args else len(args)
        ctx.params["words"] = args[place:]
        return super().parse_args(ctx, args[:place])


class Request(Struct, frozen=True, kw_only=True, dict=True):
    """Options of the command, by their names."""

    server: str = argument("server", default="rv64")
    harts: int | None = option(
        "--harts", type=int, metavar="N", help="Number of harts, 1 to 4.  [default: 1]"
    )
    core: str = option(
        "--core",
        type=click.Choice(["functional", "timed"]),
        default="functional",
        show_default=True,
        help="Timing model: one instruction per cycle, or an out-of-order core with caches (in the"
        " first of two servers).",
    )
    timing: Path | None = option(
        "--timing", type=INPUT, metavar="FILE", help="Parameters of timed cores, caches and buses, as JSON."
    )
    changes: tuple[str, ...] = option(
        "--set",
        "changes",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a parameter of --timing, such as core.width=2, or of a card: node[0].card.vnics=16, of "
        "a card made of modules node[1].core_clock=250MHz.",
    )
    sample: str | None = option(
        "--sample",
        type=QuantityText(Time),
        metavar="PERIOD[,WARM-UP,WINDOW]",
        help="Time cores in windows only, as 2ms,300us,200us; in between they keep caches warm. The end "
        "shows rates with their errors.",
    )
    clock: str | None = option(
        "--clock",
        type=QuantityText(Frequency),
        metavar="FREQUENCY",
        help="Clock of the harts; two values for two servers, such as 4GHz,8GHz.  [default: 1GHz]",
    )
    attachment: str | None = option(
        "--attachment",
        type=click.Choice(["io", "memory", "cache"]),
        help="Place of the card, with timed cores: behind an I/O bridge, at the memory, or at the last-level "
        "cache.  [default: cache for SINIC, io for others]",
    )
    memory: str | None = option(
        "--memory",
        type=QuantityText(Size),
        metavar="SIZE",
        help="Size of the memory, such as 256MiB.  [default: 128MiB]",
    )
    kernel: Path | None = option(
        "--kernel",
        type=INPUT,
        metavar="FILE",
        help="Start this kernel or ELF program instead of the kernel of `make linux`.",
    )
    files: Path | None = option(
        "--files",
        type=INPUT,
        metavar="FILE",
        help="Initramfs of the kernel; without --kernel it is unpacked over the shipped one.",
    )
    arguments: str | None = option(
        "--arguments",
        metavar="TEXT",
        help="Command line of the kernel.  [default: console=hvc0 earlycon=sbi; with --exec: console=hvc0 "
        "loglevel=3]",
    )
    seed: int = option(
        "--seed",
        type=Whole(0, 2**64 - 1),
        default=0,
        metavar="N",
        help="Seed of the kernel's random numbers, and of the places of windows with --sample: another "
        "gives an independent run of the same.  [default: 0]",
    )
    root: Path | None = option(
        "--root",
        type=INPUT,
        metavar="IMAGE",
        help="Run the shell or PROGRAM of this root file system (ext4), or of `debian`, that of `make root`. "
        "The image is not modified: writes last until the end, and in checkpoints.",
    )
    share: Path | None = option(
        "--share",
        type=FileName(is_output=False, what="the shared folder"),
        metavar="FOLDER",
        help="Mount this folder as /host in the server, to read and write. Outputs cannot be in it.",
    )
    program: str | None = option(
        "--exec",
        "program",
        type=FileName(is_output=False, what="the program", kind=str),
        metavar="PROGRAM [ARG...]",
        help="Run a RISC-V program of this machine, static or dynamic, with all words after it as "
        "arguments, and return its exit status.",
    )
    words: Sequence[str]
    """Arguments of the program."""
    nodes: int = option(
        "--nodes",
        type=Whole(1, 2),
        default=1,
        show_default=True,
        metavar="N",
        help="Number of servers: 1, or 2 with a link between them.",
    )
    card: str | None = option(
        "--card",
        metavar="NAME",
        help="Network interface card: dp83820, sinic or v-sinic; or a NIC by name or Python file. Two for "
        "two servers, such as sinic,dp83820 or tigon2,my.py.  [default: dp83820]",
    )
    wire: str | None = declared(run_option("wire"))
    record: Path | None = declared(run_option("record"))
    replay: Path | None = declared(run_option("replay"))
    address: str | None = option(
        "--address",
        metavar="ADDRESS/LENGTH",
        help="IP address of a server with --wire, which its MAC address follows.  [default: 10.0.0.1/24]",
    )
    firmware: str | None = declared(run_option("firmware"))
    drivers: tuple[Path, ...] = option(
        "--driver",
        "drivers",
        type=FileName(is_output=False, what="the driver"),
        multiple=True,
        metavar="FOLDER",
        help="Linux driver of the card, built from a folder with a Makefile, in place of those in the "
        "kernel. Twice for two servers with cards made of modules.",
    )
    link_rate: str | None = option(
        "--link-rate",
        type=QuantityText(Rate),
        metavar="RATE",
        help="Rate of the link between two servers.  [default: 10Gbps, or the rate of each card made of "
        "modules]",
    )
    link_latency: str | None = option(
        "--link-latency",
        type=QuantityText(Time),
        metavar="TIME",
        help="Latency of the link.  [default: 1us; with cards made of modules some cycles of their clocks]",
    )
    threads: int | None = option(
        "--threads",
        type=Whole(1, 1024),
        metavar="N",
        help="Maximum number of threads; results do not depend on it. Two servers run at the same time "
        "where that is faster, ahead of each other by at most the latency of the link. One thread: one "
        "server; --share; with cards made of modules also no --link-latency, wires of different rates, and "
        "--pcap-out, --timeline or --wave, which look at both servers.  [default: one per processor]",
    )
    pcap_out: Path | None = option(
        "--pcap-out", type=OUTPUT, metavar="FILE", help="Write the frames on the link (pcapng)."
    )
    profile: Path | None = option(
        "--profile",
        type=OUTPUT,
        metavar="FILE",
        help="Write the profile of the (first) server, by function and category; with cards made of modules "
        "that of both servers, and of the firmware of both cards (JSON).",
    )
    timeline: Path | None = option(
        "--timeline",
        type=OUTPUT,
        metavar="FILE",
        help="Write the activity of harts and link, and of cards made of modules, in a window of simulated "
        "time, for Perfetto's viewer.",
    )
    timeline_from: str | None = option(
        "--timeline-from",
        type=QuantityText(Time),
        metavar="TIME",
        help="Beginning of the window, from the start of this run.  [default: 0s]",
    )
    timeline_for: str | None = option(
        "--timeline-for",
        type=QuantityText(Time),
        metavar="TIME",
        help="Length of the window.  [default: 1ms]",
    )
    observers: tuple[Observer, ...] = declared(takes_observers(Waveforms))
    """Further observers of cards made of modules."""
    gdb: bool = option(
        "--gdb", is_flag=True, help="Wait for gdb, which then controls the (first) server; harts are threads."
    )
    kernel_debug: bool = option(
        "--kernel-debug",
        is_flag=True,
        help="The same with the kernel of `make linux-debug`, which has lines.",
    )
    listen: str | None = option(
        "--listen",
        type=ListeningAddress(),
        help="Address to wait for gdb.  [default: a free port of this machine]",
    )
    cold: bool = option(
        "--cold", is_flag=True, help="Boot from the start instead of from the cached checkpoint."
    )
    json_out: str | None = declared(
        json_option("Write the result document; - is standard output, and consoles are on standard error.")
    )
    save: Path | None = option("--save", type=OUTPUT, metavar="FILE", help="Write a checkpoint at the end.")
    restore: Path | None = option("--restore", type=INPUT, metavar="FILE", help="Continue from a checkpoint.")

    @property
    def cards(self) -> list[str]:
        """The card of each server, or the one of both."""
        return [] if self.card is None else self.card.split(",")

    @cached_property
    def modular_cards(self) -> list[str]:
        """Cards that are simulated module by module: all of them, if one is, and that of a wire."""
        from spinach_nic import _native
        from spinach_nic.servers import DEFAULT_CARD

        if self.is_wired:
            return self.cards or [DEFAULT_CARD]
        if not (set(self.cards) - dict(_native.server_cards()).keys()):
            return []
        from spinach_nic.cards import SHIPPED  # loads slowly

        is_known = all(card in SHIPPED or card.endswith(".py") for card in self.cards)
        return self.cards if is_known else []

    @property
    def has_modules(self) -> bool:
        """True if the cards are simulated module by module."""
        return bool(self.modular_cards)

    @property
    def is_wired(self) -> bool:
        """True if the wire of the card leads out of the simulation, or did in a recorded run."""
        return self.wire is not None or self.replay is not None

    @property
    def node_cards(self) -> list[str]:
        """The card of each server, of cards that are simulated module by module."""
        cards = self.modular_cards
        return cards if self.nodes == 1 else [cards[0], cards[-1]]

    @property
    def interface(self) -> IPv4Interface | None:
        """IP address of a server with a wire, if given.

        Raises:
            SpinachError: It is not an address with the length of its network.
        """
        if self.address is None:
            return None
        return interface_of(self.address)

    @property
    def card_settings(self) -> list[str]:
        """Parameters of cards that are state machines."""
        return [change for change in self.changes if change.startswith("node[")]

    @property
    def module_settings(self) -> list[str]:
        """Parameters of servers, cards and cable that are modules."""
        return [change for change in self.changes if change.startswith(_MODULES)]

    @property
    def timing_settings(self) -> list[str]:
        """Parameters of timed cores, caches and buses."""
        return [change for change in self.changes if not change.startswith(_MODULES)]

    @property
    def is_timed(self) -> bool:
        """True if the cores of the (first) server are timed."""
        return self.core == "timed"

    @property
    def wants_gdb(self) -> bool:
        """True if gdb is awaited."""
        return self.gdb or self.listen is not None or self.kernel_debug

    @property
    def has_own_start(self) -> bool:
        """True if the boot content is not the shipped one."""
        own = (self.kernel, self.files, self.arguments, self.program, *self.drivers)
        return any(given is not None for given in own)

    @property
    def size(self) -> Size | None:
        """Size of the memory, if given."""
        return None if self.memory is None else parse_quantity(self.memory, Size)

    def check(self) -> None:
        """Check that the options fit each other.

        Raises:
            SpinachError: Two of them exclude each other, one lacks another, or a time is wrong.
        """
        for is_wrong, message, help in (
            *self._mistakes_of_start(),
            *self._mistakes_of_timing(),
            *self._mistakes_of_wires(),
            *self._mistakes_of_cards(),
            *self._mistakes_of_outputs(),
        ):
            if is_wrong:
                raise SpinachError(message, help)
        # Wrong cards, times and addresses are refused before the servers start.
        self._check_cards()
        _ = self.timeline_window, self.sampling_plan, self.interface
        if self.share is not None:
            named = named_files(click.get_current_context())
            outputs = {name: path for name, path, is_output in named if is_output}
            check_outside(outputs, self.share, "--share")

    def _mistakes_of_start(self) -> _Mistakes:
        return [
            (
                self.restore is not None and (self.has_own_start or (self.seed and not self.sample)),
                "--restore continues a kernel that already runs",
                "omit --kernel, --files, --arguments, --exec and --driver, and --seed without --sample",
            ),
            (
                self.drivers and self.kernel is not None,
                "--driver is built for the kernel of `make linux`",
                "omit --kernel or --driver",
            ),
            (
                self.kernel_debug and self.kernel is not None,
                "--kernel-debug shows lines of the kernel of `make linux`",
                "omit --kernel-debug",
            ),
            (
                self.restore is not None and self.cold,
                "--restore and --cold exclude each other",
                "omit one of them",
            ),
        ]

    def _mistakes_of_timing(self) -> _Mistakes:
        return [
            (
                not self.is_timed and (self.timing or self.timing_settings),
                "--timing, and --set without node[0] or node[1], are for timed cores",
                "add --core timed, or name the parameter of a card, such as node[0].card.vnics=16",
            ),
            (self.sample and not self.is_timed, "--sample is for timed cores", "add --core timed"),
            (
                self.attachment and ((self.nodes == 1 and not self.is_wired) or not self.is_timed),
                "--attachment applies to the card of a timed server",
                "add --core timed" if self.is_wired or self.nodes != 1 else "add --nodes 2 --core timed",
            ),
        ]

    def _mistakes_of_wires(self) -> _Mistakes:
        link = self.card or self.link_rate or self.link_latency or self.pcap_out or self.card_settings
        return [
            (
                self.nodes == 1 and link and not self.is_wired,
                "a link connects two servers, but there is one",
                "add --nodes 2 for a second server, or --wire tap:NAME for a device of this machine",
            ),
            (
                self.record is not None and not self.is_wired,
                "there is no input to record",
                "add --wire tap:NAME, or another device",
            ),
            (self.is_wired and self.nodes != 1, "--wire and --replay are for one server", "omit --nodes"),
            (
                self.record is not None and self.program is None and sys.stdin.isatty(),
                "a recording cannot contain what is typed at a terminal",
                "give the commands on standard input",
            ),
            (
                self.is_wired and self.link_latency is not None,
                "--link-latency is that of a cable between two servers",
                "omit it, or give the latency of a SimBricks network with --wire",
            ),
            (
                self.address is not None and not self.is_wired,
                "--address is for a server with a device at its wire",
                "add --wire tap:NAME",
            ),
            (
                self.address is not None and self.restore is not None,
                "a restored server has its address",
                "omit --address, or give the server the command `address`",
            ),
        ]

    def _mistakes_of_cards(self) -> _Mistakes:
        return [
            (self.is_wired and len(self.cards) > 1, "one server has one card", "name one with --card"),
            (
                len(self.cards) > 2,
                f"{self.card} are {len(self.cards)} cards for two servers",
                "give one card, or two",
            ),
            (
                self.firmware is not None and not self.has_modules,
                f"--firmware is for cards with cores, not for {self.card or 'a server without card'}",
                "add --card tigon2",
            ),
        ]

    def _mistakes_of_outputs(self) -> _Mistakes:
        return [
            (
                self.timeline is None and (self.timeline_from or self.timeline_for),
                "a timeline window needs a timeline",
                "add --timeline FILE",
            ),
            (
                bool(self.observers) and not self.has_modules,
                "waveforms are those of cards made of modules",
                "add --nodes 2 --card ricenic, or another NIC",
            ),
        ]

    def _check_cards(self) -> None:
        """Check that there are such cards.

        Raises:
            SpinachError: A card is unknown.
        """
        from spinach_nic import _native

        known = [name for name, _ in _native.server_cards()]
        for card in self.cards:
            if card in known or card.endswith(".py"):
                continue
            from spinach_nic.cards import SHIPPED  # loads slowly

            if card not in SHIPPED:
                message = f"unknown card {card} of a server" if card else "a card of --card has no name"
                names = _native.suggest(card, sorted({*known, *SHIPPED}))
                raise SpinachError(message, f"{names}; or give a Python file of your own")

    @cached_property
    def sampling_plan(self) -> SamplingPlan | None:
        """Times of a sampled run; `None` for others."""
        from spinach_nic.servers.sampling import SamplingPlan

        return SamplingPlan.of(self.sample) if self.sample is not None else None

    @property
    def timeline_window(self) -> tuple[Time, Time]:
        """Beginning, from the start of the run, and length of the window of a timeline."""
        begin = parse_quantity(self.timeline_from or "0s", Time)
        return begin, parse_quantity(self.timeline_for or "1ms", Time)

    def outputs(self, wire: Wire | None, functions: Callable[[], bytes]) -> list[Output[_native.Server]]:
        """Return the outputs that are written while servers run.

        Args:
            wire: Link between two servers.
            functions: Called for outputs that need the functions of the software.
        """
        from spinach_nic.servers.outputs import Frames, Profile, Timeline

        outputs: list[Output[_native.Server]] = []
        if self.pcap_out is not None:
            outputs.append(Frames(self.pcap_out))
        if self.timeline is not None:
            rate = wire.rate if wire else None
            outputs.append(Timeline(self.timeline, *self.timeline_window, functions(), rate))
        if self.profile is not None:
            outputs.append(Profile(self.profile, self.server, functions(), self.is_timed))
        return outputs

    def module_outputs(self) -> list[Output[ModuleServers]]:
        """Return the outputs that are written while servers with cards made of modules run."""
        from spinach_nic.runs.observers.capture import Capture
        from spinach_nic.runs.observers.timeline import Timeline
        from spinach_nic.runs.server_outputs import Observation, ServersProfile, ServersTimeline

        outputs: list[Output[ModuleServers]] = []
        if self.pcap_out is not None:
            outputs.append(Observation(Capture(self.pcap_out)))
        if self.timeline is not None:
            outputs.append(ServersTimeline(Timeline(self.timeline), *self.timeline_window))
        if self.profile is not None:
            outputs.append(ServersProfile(self.profile, self.server))
        return [*outputs, *map(Observation, self.observers)]


@click.command(cls=_Command)
@takes_request(Request)
def command(request: Request) -> int:
    """Boot a server and connect this terminal to its console.

    SERVER is rv64. Ctrl-] ends the connection, Ctrl-C goes to the foreground program.

    It boots once: a checkpoint of the ready server is kept, and later runs continue from there. Standard
    input is typed unless it is a terminal.

    Two nodes are two servers with a network interface card each, joined by a link, as 10.0.0.1 and
    10.0.0.2. Ctrl-T connects the terminal to the other. If standard input is not a terminal, lines that
    begin with `@2` are sent to the second.

    With --wire, one server has a card, whose wire leads to a device of this machine or to another simulator.
    It ends when it switches itself off, or when a network of SimBricks ends.

    With --gdb it waits for gdb, and prints how to call it. Inspection does not affect the simulation.

    A program that calls `roi_begin` and `roi_end` of `spinach.h` has its regions of interest measured.

    Example: spinach boot rv64
    """
    from spinach_nic.cli.booting import boot
    from spinach_nic.servers import console

    request.check()
    click.get_current_context().with_resource(console.on_stderr(request.json_out == "-"))
    # But for the work before the end of the run.
    with signals.kept_off(), failures_documented(request.json_out):
        result = boot(request)
        if request.json_out is not None:
            write_text(request.json_out, result.to_json())
    if result.ending == "interrupted":
        raise KeyboardInterrupt
    if result.exit_status is not None:
        return result.exit_status
    return 3 if result.ending in ("failed", "restarts") else 0
