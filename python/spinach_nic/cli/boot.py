"""`spinach boot`: a server that runs Linux."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spinach_nic.cli import streams
from spinach_nic.cli.files import INPUT, OUTPUT, FileName, json_option, write_text

if TYPE_CHECKING:
    from spinach_nic import _native
    from spinach_nic.runs.server_modules import ModuleServers
    from spinach_nic.runs.server_result import BootResult
    from spinach_nic.servers import Wire
    from spinach_nic.servers.console import Consoles, Ending
    from spinach_nic.servers.linux import Linux
    from spinach_nic.servers.program import Task
    from spinach_nic.support.units import Time

_WORDS = "spinach.program_arguments"
ANY_PORT = "127.0.0.1:0"
"""Default address at which gdb is awaited."""
QUIET_MODULES_S = 0.3
"""Simulated seconds without a character from servers with such cards after which they are finished. Each
takes minutes to simulate."""


class _Command(click.Command):
    """Command whose option `--exec` takes all words after it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments of the program apart."""
        place = args.index("--exec") + 2 if "--exec" in args else len(args)
        ctx.meta[_WORDS] = args[place:]
        return super().parse_args(ctx, args[:place])


@click.command(cls=_Command)
@click.argument("server", default="rv64")
@click.option("--harts", type=int, metavar="N", help="Number of harts, 1 to 4.")
@click.option(
    "--core",
    type=click.Choice(["functional", "timed"]),
    default="functional",
    show_default=True,
    help="Timing model: one instruction per cycle, or an out-of-order core with caches (in the"
    " first of two servers).",
)
@click.option(
    "--timing", type=INPUT, metavar="FILE", help="Parameters of timed cores, caches and buses, as JSON."
)
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter of --timing, such as core.width=2, or of a card made of modules, "
    "such as node[1].core_clock=250MHz.",
)
@click.option(
    "--sample",
    metavar="PERIOD[,WARM-UP,WINDOW]",
    help="Time cores in windows only, as 2ms,100us,200us; in between they keep caches warm. The end shows "
    "rates with their errors.",
)
@click.option(
    "--clock",
    metavar="FREQUENCY",
    help="Clock of the harts; two values for two servers, such as 4GHz,8GHz.  [default: 1GHz]",
)
@click.option(
    "--attachment",
    type=click.Choice(["io", "memory", "cache"]),
    help="Place of the card, with timed cores: behind an I/O bridge, at the memory, or at the last-level "
    "cache.  [default: cache for SINIC, io for others]",
)
@click.option("--memory", metavar="SIZE", help="Size of the memory, such as 256MiB.")
@click.option(
    "--kernel",
    type=INPUT,
    metavar="FILE",
    help="Start this kernel or ELF program instead of the kernel of `make linux`.",
)
@click.option(
    "--files",
    type=INPUT,
    metavar="FILE",
    help="Initramfs of the kernel; without --kernel it is unpacked over the shipped one.",
)
@click.option("--arguments", metavar="TEXT", help="Command line of the kernel.")
@click.option(
    "--root",
    type=INPUT,
    metavar="IMAGE",
    help="Run the shell or PROGRAM of this root file system (ext4), or of `debian`, that of `make root`. "
    "The image is not modified: writes last until the end, and in checkpoints.",
)
@click.option(
    "--share",
    type=FileName(is_output=False, what="the shared folder"),
    metavar="FOLDER",
    help="Mount this folder as /host in the server, to read and write.",
)
@click.option(
    "--exec",
    "program",
    type=FileName(is_output=False, what="the program", kind=str),
    metavar="PROGRAM [ARG...]",
    help="Run a RISC-V program of this machine, static or dynamic, with all words after it as "
    "arguments, and return its exit status.",
)
@click.option(
    "--nodes",
    type=click.IntRange(1, 2),
    default=1,
    metavar="N",
    help="Number of servers: 1, or 2 with a link between them.",
)
@click.option(
    "--card",
    metavar="NAME",
    help="Network interface card: dp83820, sinic or v-sinic, with parameters after a colon, "
    "such as v-sinic:vnics=16,receive_fifo=128KiB; or a NIC by name or Python file; two "
    "for two servers, such as tigon2,my.py.",
)
@click.option(
    "--firmware",
    type=FileName(is_output=False, what="the firmware", kind=str),
    metavar="NAME|FILE",
    help="Firmware of a card with cores: an image, or a file that drivers load.",
)
@click.option(
    "--driver",
    "drivers",
    type=FileName(is_output=False, what="the driver"),
    multiple=True,
    metavar="FOLDER",
    help="Linux driver of the card, built from a folder with a Makefile, in place of those in the kernel. "
    "Twice for two servers with cards made of modules.",
)
@click.option("--link-rate", metavar="RATE", help="Rate of the link between two servers.  [default: 10Gbps]")
@click.option("--link-latency", metavar="TIME", help="Latency of the link.  [default: 1us]")
@click.option("--pcap-out", type=OUTPUT, metavar="FILE", help="Write the frames on the link (pcapng).")
@click.option(
    "--profile",
    type=OUTPUT,
    metavar="FILE",
    help="Write the profile of the (first) server, by function and category (JSON).",
)
@click.option(
    "--timeline",
    type=OUTPUT,
    metavar="FILE",
    help="Write the activity of harts and link in a window of simulated time, for Perfetto's viewer.",
)
@click.option("--timeline-from", metavar="TIME", help="Beginning of the window, from the start of this run.")
@click.option("--timeline-for", metavar="TIME", help="Length of the window.  [default: 1ms]")
@click.option(
    "--gdb", is_flag=True, help="Wait for gdb, which then controls the (first) server; harts are threads."
)
@click.option(
    "--kernel-debug", is_flag=True, help="The same with the kernel of `make linux-debug`, which has lines."
)
@click.option(
    "--listen",
    metavar="HOST:PORT",
    help="Address to wait for gdb.  [default: a free port of this machine]",
)
@click.option("--cold", is_flag=True, help="Boot from the start instead of from the cached checkpoint.")
@json_option("Write the result document; - is standard output, and consoles are on standard error.")
@click.option("--save", type=OUTPUT, metavar="FILE", help="Write a checkpoint at the end.")
@click.option("--restore", type=INPUT, metavar="FILE", help="Continue from a checkpoint.")
def command(
    server: str,
    harts: int | None,
    core: str,
    timing: Path | None,
    changes: tuple[str, ...],
    sample: str | None,
    clock: str | None,
    attachment: str | None,
    memory: str | None,
    kernel: Path | None,
    files: Path | None,
    arguments: str | None,
    root: Path | None,
    share: Path | None,
    program: str | None,
    nodes: int,
    card: str | None,
    firmware: str | None,
    drivers: tuple[Path, ...],
    link_rate: str | None,
    link_latency: str | None,
    pcap_out: Path | None,
    profile: Path | None,
    timeline: Path | None,
    timeline_from: str | None,
    timeline_for: str | None,
    gdb: bool,
    kernel_debug: bool,
    listen: str | None,
    cold: bool,
    json_out: str | None,
    save: Path | None,
    restore: Path | None,
) -> int:
    """Boot a server and connect this terminal to its console.

    SERVER is rv64. Ctrl-] ends the connection, Ctrl-C reaches the program in front.

    It boots once: a checkpoint of the ready server is kept, and later runs continue from there. Standard
    input is typed unless it is a terminal.

    Two nodes are two servers with a network interface card each, joined by a link, as 10.0.0.1 and
    10.0.0.2. Ctrl-T connects the terminal to the other. If standard input is not a terminal, lines that
    begin with `@2` are sent to the second.

    With --gdb it waits for gdb, and prints how to call it. Inspection does not affect the simulation.

    A program that calls `roi_begin` and `roi_end` of `spinach.h` has its regions of interest measured.

    Example: spinach boot rv64
    """
    import math
    import sys
    import time

    from spinach_nic import _native, servers
    from spinach_nic.runs.server_result import (
        BootResult,
        Measuring,
        Sampling,
        kernel_of,
        sampled_counts,
        settings_of,
        sha256_of,
    )
    from spinach_nic.servers import console, linux
    from spinach_nic.servers import root as root_image
    from spinach_nic.servers.calls import Calls
    from spinach_nic.servers.drivers import with_driver
    from spinach_nic.servers.parameters import timing_changes
    from spinach_nic.servers.sampling import Sampler, SamplingPlan
    from spinach_nic.support.errors import SpinachError
    from spinach_nic.support.files import write_output
    from spinach_nic.support.units import Size, parse_quantity

    gdb = gdb or listen is not None or kernel_debug
    root = root_image.found(root) if root else None
    is_own = any(given is not None for given in (kernel, files, arguments, program, *drivers))
    if is_own and restore is not None:
        raise SpinachError(
            "--restore continues a kernel that already runs",
            "omit --kernel, --files, --arguments, --exec and --driver",
        )
    if drivers and kernel is not None:
        raise SpinachError("--driver is built for the kernel of `make linux`", "omit --kernel or --driver")
    if kernel_debug and kernel is not None:
        raise SpinachError("--kernel-debug shows lines of the kernel of `make linux`", "omit --kernel-debug")
    cards = card.split(",") if card else []
    has_modules = bool(cards) and _is_of_modules(cards[0])
    if (timing or (changes and not has_modules)) and core != "timed":
        raise SpinachError("--timing and --set are for timed cores", "add --core timed")
    if sample and core != "timed":
        raise SpinachError("--sample is for timed cores", "add --core timed")
    plan = SamplingPlan.of(sample) if sample else None
    parameters = {} if has_modules else timing_changes(timing, changes)
    if nodes == 1 and (card or link_rate or link_latency or pcap_out):
        raise SpinachError("a link connects two servers, but there is one", "add --nodes 2")
    if attachment and (nodes == 1 or core != "timed"):
        raise SpinachError("--attachment applies to the card of a timed server", "add --nodes 2 --core timed")
    if restore is not None and cold:
        raise SpinachError("--restore and --cold exclude each other", "omit one of them")
    if timeline is None and (timeline_from or timeline_for):
        raise SpinachError("a timeline window needs a timeline", "add --timeline FILE")
    click.get_current_context().with_resource(console.on_stderr(json_out == "-"))
    if has_modules:
        from spinach_nic.runs.server_modules import joined_servers

        alone: dict[str, object] = {"--link-rate": link_rate, "--sample": sample}
        alone |= {"--timing": timing, "--exec": program, "--root": root, "--share": share}
        alone |= {"--link-latency": link_latency, "--pcap-out": pcap_out, "--profile": profile}
        alone |= {"--save": save, "--restore": restore, "--timeline": timeline, "--gdb": gdb or None}
        for option, value in alone.items():
            if value is not None:
                message = f"{option} is not for servers whose card is made of modules"
                raise SpinachError(message, f"leave out {option}, or choose another card")
        start = linux.chosen(kernel, files, arguments)
        size = parse_quantity(memory, Size) if memory else None
        configuration = servers.configuration_of(server, harts, size, None, clock)
        sources = (drivers[0], drivers[-1]) if drivers else (None, None)
        timed_first = [f"node[0].hart_core={core}"]
        timed_first += [f"node[0].attachment={attachment}"] if attachment else []
        pair = joined_servers(
            (cards[0], cards[-1]),
            start,
            configuration,
            firmware,
            (*timed_first, *changes),
            drivers=sources if kernel is None else None,
        )
        result = _boot_modules(server, pair, start, is_shipped=kernel is None)
        return _ended(result, json_out)
    if firmware is not None:
        raise SpinachError(
            f"--firmware is for cards with cores, not for {card or 'a server without card'}",
            "add --card tigon2",
        )
    window = _Window.of(timeline_from, timeline_for)
    size = parse_quantity(memory, Size) if memory else None
    wire = servers.wire_of(link_rate, link_latency, card) if nodes > 1 else None
    configuration = servers.configuration_of(server, harts, size, wire, clock)
    started, checkpoint, task, typed = None, None, None, None
    if restore is None:
        task, typed = _task(program, nodes, has_disk=root is not None, is_shared=share is not None)
    if restore is not None:
        content = servers.read_checkpoint(restore)
        machine = servers.restore(configuration, str(restore), content, root, share)
        checkpoint = sha256_of(content)
    else:
        started = linux.chosen(kernel, files, arguments)
        if task:
            started = task.linux(started, arguments)
        if drivers:
            if nodes == 1 or len(drivers) > 1:
                raise SpinachError(
                    "--driver is for the cards of two servers, which are equal",
                    "give it once, with --nodes 2",
                )
            started = with_driver(started, drivers[0])
        machine = (
            servers.start(configuration, started, root, share)
            if is_own or task or cold
            else servers.booted(configuration, started, console.show)
        )
    where = attachment or servers.DEFAULT_ATTACHMENTS.get(wire.card if wire else "", "io")
    timed = servers.timed_parameters(where, parameters) if core == "timed" else None
    machine.set_timed(timed is not None, parameters=timed)
    machine.set_profiled(profile is not None)
    if timeline is not None:
        window.begin(machine, _symbols(kernel), wire)
    if gdb:
        symbols = linux.with_lines() if kernel_debug else kernel or linux.for_debuggers()
        _wait_for_gdb(
            machine, listen or ANY_PORT, symbols, trusts_file=restore is None and bool(is_own or task or cold)
        )
    began, counts = time.monotonic(), Measuring(machine)
    sampler = Sampler(machine, plan, lambda: sampled_counts(machine)) if plan else None
    capture = machine.capture(pcap_out) if pcap_out else None
    checkpoints = 0

    def keep_checkpoint(content: bytes) -> None:
        nonlocal checkpoints
        if save is not None:
            write_output(save, content)
            checkpoints += 1

    calls = Calls(keep_checkpoint if save is not None else None)

    def has_ended() -> bool:
        calls.follow(machine)
        return calls.exit_status is not None

    try:
        quiet_s = math.inf if task and task.is_program else console.QUIET_S
        end = _converse(sampler or machine, quiet_s, has_ended, typed)
    finally:
        if capture:
            capture.finish()
    if lost := machine.finish_debugging(0 if end in ("off", "exited") else 1):
        click.echo(f"note: the connection to gdb broke: {lost}", err=True)
    wall_s = time.monotonic() - began
    cycles, hertz = machine.time()
    calls.finish()
    result = BootResult(
        server=server,
        config=settings_of(configuration, timed),
        version=_native.version(),
        kernel=kernel_of(started, is_shipped=kernel is None) if started else None,
        checkpoint=checkpoint,
        ending=end,
        exit_status=calls.exit_status,
        complete=end not in ("failed", "interrupted"),
        begins_ns=counts.begins_ns,
        simulated_ns=cycles * 10**9 // hertz,
        wall_s=wall_s,
        instructions=counts.instructions,
        servers=counts.servers(configuration),
        regions=tuple(calls.regions),
        sampling=Sampling.of(sampler) if sampler else None,
    )
    if end == "interrupted":
        return _ended(result, json_out)
    if save is not None and not checkpoints:
        write_output(save, machine.save())
    endings = {"off": "switched off", "failed": "failed", "left": "left", "killed": "ended by gdb"}
    endings |= {"restarts": "asked for a restart (repeat the command)"}
    endings |= {"exited": f"program ended with exit status {calls.exit_status}"}
    click.echo(
        f"{server}: {endings[end]} after {cycles / hertz:.3f} simulated s; "
        f"{counts.instructions:,} instructions in {wall_s:.2f} s",
        file=sys.stderr,
    )
    for node in range(nodes if nodes > 1 else 0):
        counted = ", ".join(f"{name} {count:,}" for name, count in machine.card_counters(node) if count)
        click.echo(f"card of server {node + 1}: {counted or 'nothing counted'}", file=sys.stderr)
    if counts_of_timing := machine.timing():
        click.echo(_timing_text(counts_of_timing), file=sys.stderr)
    if result.sampling:
        click.echo(result.sampling, err=True)
    for line in [*map(str, calls.regions), *(f"note: {note}" for note in calls.notes)]:
        click.echo(line, err=True)
    if timeline is not None:
        click.echo(window.write(machine, timeline), err=True)
    if profile is not None:
        _write_profile(profile, machine, server, _symbols(kernel), is_timed=core == "timed")
    return _ended(result, json_out)


def _is_of_modules(card: str) -> bool:
    """Return true for a card that is simulated module by module."""
    from spinach_nic import _native

    if card.partition(":")[0] in [name for name, _ in _native.server_cards()]:
        return False
    from spinach_nic.cards import SHIPPED  # loads slowly

    return card in SHIPPED or card.endswith(".py")


def _converse(
    servers: Consoles,
    quiet_s: float,
    has_ended: Callable[[], bool] = lambda: False,
    typed: bytes | None = None,
) -> Ending:
    """Connect the terminal until the servers end, the person leaves, or a signal arrives."""
    from spinach_nic.servers import console

    try:
        return console.converse(servers, quiet_s, has_ended, typed)
    except KeyboardInterrupt:
        return "interrupted"


def _ended(result: BootResult, json_out: str | None) -> int:
    """Write the document, and return the exit code."""
    if json_out is not None:
        write_text(json_out, result.to_json())
    if result.ending == "interrupted":
        raise KeyboardInterrupt
    if result.exit_status is not None:
        return result.exit_status
    return 3 if result.ending in ("failed", "restarts") else 0


def _task(
    program: str | None, nodes: int, *, has_disk: bool, is_shared: bool
) -> tuple[Task | None, bytes | None]:
    """Return what the (first) server does instead of reading commands, and what is typed to the second."""
    import sys

    from spinach_nic.servers.console import FOR_SECOND
    from spinach_nic.servers.program import Task

    if program is None and not has_disk:
        return Task(is_shared=True) if is_shared else None, None
    typed = given = None
    if not sys.stdin.isatty():
        lines = sys.stdin.buffer.read().splitlines(keepends=True)
        is_for_second = [nodes > 1 and line.startswith(FOR_SECOND) for line in lines]
        typed = b"".join(line for line, is_typed in zip(lines, is_for_second, strict=True) if is_typed)
        given = b"".join(line for line, is_typed in zip(lines, is_for_second, strict=True) if not is_typed)
    words = (program, *click.get_current_context().meta[_WORDS]) if program else ()
    return Task(words=words, input=given, has_disk=has_disk, is_shared=is_shared), typed


@dataclass(frozen=True)
class _Window:
    """The window of a timeline."""

    begin_after: Time
    length: Time

    @classmethod
    def of(cls, begin_after: str | None, length: str | None) -> _Window:
        from spinach_nic.support.units import Time, parse_quantity

        return cls(parse_quantity(begin_after or "0s", Time), parse_quantity(length or "1ms", Time))

    def begin(self, machine: _native.Server, symbols: bytes, wire: Wire | None) -> None:
        from spinach_nic.servers.timeline import record

        record(machine, symbols, self.begin_after, self.length, wire.rate if wire else None)

    def write(self, machine: _native.Server, file: Path) -> str:
        from spinach_nic.servers.timeline import write

        return write(machine, file, self.length)


def _wait_for_gdb(machine: _native.Server, address: str, program: Path | None, *, trusts_file: bool) -> None:
    """Have gdb hold the server from now on, and say how to call it.

    Before a kernel has switched its page tables on, its addresses show nothing: gdb reads code from the file
    then if it `trusts_file`.
    """
    streams.warn_of_listening(address)
    where = machine.listen(address)
    words = [str(program)] if program else []
    words += ["-ex", "set trust-readonly-sections on"] if program and trusts_file else []
    words += ["-ex", f"target remote {where}"]
    if program is None:
        click.echo("note: the kernel is known without symbols; `make linux` makes some", err=True)
    click.echo(f"waiting for gdb: gdb-multiarch {shlex.join(words)}", err=True)


def _boot_modules(server: str, servers: ModuleServers, start: Linux, *, is_shipped: bool) -> BootResult:
    """Boot two servers whose cards are simulated module by module, and connect the terminal to them."""
    import sys
    import time

    from spinach_nic import _native
    from spinach_nic.runs.server_result import BootResult, kernel_of

    began = time.monotonic()
    end = _converse(servers, QUIET_MODULES_S)
    wall_s = time.monotonic() - began
    now = servers.simulation.now
    if end != "interrupted":
        ending = "switched off" if end == "off" else end
        message = f"servers: {ending} after {now.femtoseconds / 1e15:.3f} simulated s, in {wall_s:.2f} s"
        click.echo(message, file=sys.stderr)
    return BootResult(
        server=server,
        config=servers.config(),
        version=_native.version(),
        kernel=kernel_of(start, is_shipped=is_shipped),
        checkpoint=None,
        ending=end,
        exit_status=None,
        complete=end != "interrupted",
        begins_ns=0,
        simulated_ns=now.femtoseconds // 10**6,
        wall_s=wall_s,
        instructions=None,
        servers=servers.results(),
        regions=(),
    )


def _symbols(kernel: Path | None) -> bytes:
    """The functions of what runs, as far as they are known: those of a kernel of one's own are not."""
    from spinach_nic.servers import linux

    found = linux.kept() if kernel is None else None
    return found.symbols if found else b""


def _write_profile(
    file: Path, machine: _native.Server, server: str, symbols: bytes, *, is_timed: bool
) -> None:
    """Write a server's profile, and print what cost the most."""
    import sys

    from spinach_nic.servers.profile import profile_of, shown
    from spinach_nic.support.files import write_output

    profile = profile_of(machine, symbols, name=server, is_timed=is_timed)
    write_output(file, profile.to_json())
    click.echo(shown(profile), file=sys.stderr)


def _timing_text(counted: Mapping[str, int]) -> str:
    """Return the counts of timed cores, in two lines."""

    def per_thousand(name: str) -> str:
        return f"{1000 * counted[name] / max(counted['instructions'], 1):.1f}"

    per_cycle = counted["instructions"] / max(counted["cycles"], 1)
    return (
        f"timed: {per_cycle:.2f} instructions per cycle; in a thousand of them\n"
        f"    {per_thousand('mispredictions')} mispredicted branches, {per_thousand('walks')} walks, "
        f"misses of code {per_thousand('code_misses')}, data {per_thousand('data_misses')}, "
        f"second level {per_thousand('second_level_misses')}"
    )
