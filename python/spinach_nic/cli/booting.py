"""Servers of `spinach boot`: their start from the options of the command, and the summary at the end."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, replace
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

import click

from spinach_nic import _native, servers
from spinach_nic.cli import streams
from spinach_nic.runs.errors import UnwrittenError
from spinach_nic.runs.server_result import (
    BootResult,
    InsertedCard,
    kernel_of,
    settings_of,
    sha256_of,
)
from spinach_nic.runs.server_session import ReadyServers, ServerSession
from spinach_nic.servers import console, linux
from spinach_nic.servers import root as root_image
from spinach_nic.servers.console import FOR_SECOND
from spinach_nic.servers.drivers import with_driver
from spinach_nic.servers.parameters import ServerSettings, attachment_of, timing_changes
from spinach_nic.servers.program import Task
from spinach_nic.servers.sampling import Sampler, sampled_counts
from spinach_nic.servers.stalls import WatchedLink
from spinach_nic.support import signals
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import pipes_opened, temporary_folder
from spinach_nic.support.units import Rate, Time, parse_quantity

if TYPE_CHECKING:
    from spinach_nic.cli.boot import Request
    from spinach_nic.runs.result import LiveResult, Setting
    from spinach_nic.runs.saved_servers import SavedServers
    from spinach_nic.runs.server_modules import ModuleServers
    from spinach_nic.runs.server_result import Machines
    from spinach_nic.servers import Configuration
    from spinach_nic.servers.linux import Linux
    from spinach_nic.servers.outputs import Output

ANY_PORT = "127.0.0.1:0"
"""Default address at which gdb is awaited."""
QUIET_MODULES_S = 0.3
"""Simulated seconds without a character from servers with such cards after which they are finished. Each
takes minutes to simulate."""


_Booted = TypeVar("_Booted", "_native.Server", "ModuleServers")


def _ready(request: Request, configuration: Configuration) -> ReadyServers[_native.Server]:
    """Start servers, or restore them.

    Raises:
        SpinachError: A file cannot be read, or something is not built.
    """
    root = root_image.found(request.root) if request.root else None
    if request.restore is not None:
        content = servers.read_checkpoint(request.restore)
        if content.startswith(servers.MODULES_MAGIC):
            message = f"cannot restore {request.restore}: its servers have cards made of modules"
            raise SpinachError(message, "repeat the --nodes, --card and --wire of the run that saved it")
        machine = servers.restore(configuration, str(request.restore), content, root, request.share)
        return ReadyServers(machine=machine, linux=None, checkpoint=sha256_of(content))
    start, task, typed = _start(request)
    if request.drivers:
        if request.nodes == 1:
            raise SpinachError("--driver is for the cards of two servers", "add --nodes 2")
        if len(request.drivers) > 1:
            message = "both servers of such cards have the same kernel and drivers"
            raise SpinachError(message, "give --driver once")
        start = with_driver(start, request.drivers[0])
    if request.has_own_start or task or request.cold:
        machine = servers.start(configuration, start, root, request.share)
    else:
        machine = servers.booted(configuration, start, console.show)
    return ReadyServers(
        machine=machine, linux=start, checkpoint=None, task=task, typed=typed, module=start.module
    )


def _start(request: Request) -> tuple[Linux, Task | None, bytes | None]:
    """Return the boot content, the task of the first server, and what is typed to the second besides it."""
    task, typed = _task(request)
    start = linux.chosen(request.kernel, request.files, request.arguments)
    if task:
        start = task.linux(start, request.arguments)
    return start.with_seed(request.seed), task, typed


def boot(request: Request) -> BootResult:
    """Boot one server, or two, and connect the terminal."""
    outputs = (request.pcap_out, request.timeline)
    with pipes_opened([path for path in outputs if path is not None]):
        return _boot_modules(request) if request.has_modules else _boot(request)


def _boot(request: Request) -> BootResult:
    """Boot one server, or two with cards that are state machines, and connect the terminal."""
    parameters = timing_changes(request.timing, request.timing_settings)
    wire = None
    if request.nodes > 1:
        wire = servers.wire_of(request.link_rate, request.link_latency, request.card, request.card_settings)
    configuration = servers.configuration_of(request.server, request.harts, request.size, wire, request.clock)
    with signals.let_in():
        ready = _ready(request, configuration)
    machine = ready.machine
    if request.threads is not None:
        machine.set_threads(request.threads)
    default = servers.DEFAULT_ATTACHMENTS.get(wire.cards[0].name if wire else "", "io")
    where = attachment_of(request.attachment, parameters.get("attachment"), default=default)
    timed = servers.timed_parameters(where, parameters) if request.is_timed else None
    machine.set_timed(timed is not None, parameters=timed)
    cards = [InsertedCard(card.name) for card in wire.cards] if wire else [None]
    outputs = request.outputs(wire, lambda: ready.functions)
    return _conversed(request, ready, cards, console.QUIET_S, outputs, settings_of(configuration, timed))


def _boot_modules(request: Request) -> BootResult:
    """Boot servers whose cards are simulated module by module, and connect the terminal to them."""
    with signals.let_in():
        ready = _ready_modules(request)
    machine, outputs = ready.machine, request.module_outputs()
    for note in machine.link_notes:
        streams.tell(f"note: {note}")
    # The network may speak to a server that is silent.
    quiet_s = math.inf if request.is_wired else QUIET_MODULES_S
    return _conversed(
        request,
        ready,
        machine.cards,
        quiet_s,
        outputs,
        machine.config(),
        lambda is_complete: machine.disconnect(is_complete=is_complete),
    )


def _conversed(
    request: Request,
    ready: ReadyServers[_Booted],
    cards: Sequence[InsertedCard | None],
    quiet_s: float,
    outputs: Sequence[Output[_Booted]],
    config: Mapping[str, Setting],
    disconnect: Callable[[bool], LiveResult | None] = lambda _: None,
) -> BootResult:
    """Connect the terminal to servers until they end or the user leaves; return the result.

    Args:
        request: Options of the command.
        ready: The servers.
        cards: Card of each.
        quiet_s: Simulated seconds without a character after which servers are considered finished.
        outputs: Outputs to begin and to complete.
        config: Configuration as it was.
        disconnect: Ends the connection of a wire, and returns its traffic; true for a run to its end.

    Raises:
        ServersStopped: With the result until then.
        UnwrittenError: An output cannot be written.
    """
    machine = ready.machine
    if request.wants_gdb:
        if ready.typed is None and not sys.stdin.isatty():
            # Read before gdb connects, which gives up if an answer takes two seconds.
            ready = replace(ready, typed=sys.stdin.buffer.read())
        _wait_for_gdb(request, ready)
    sampler = None
    if (plan := request.sampling_plan) is not None:
        sampler = Sampler(machine, plan, lambda: sampled_counts(machine), seed=request.seed)
    with ExitStack() as stack:
        link = None
        if sampler is not None and machine.nodes() > 1:
            link = WatchedLink(machine, request.pcap_out, stack.enter_context(temporary_folder("link")))
        session = ServerSession(ready, cards, request.save, sampler, link)
        try:
            session.converse(machine, outputs, quiet_s)
        except SpinachError:
            # A recording of the run until now is complete; the first error is the one to show.
            with suppress(SpinachError):
                disconnect(False)
            raise
        session.end_watch()
        live = session.end_connection(disconnect)
    if lost := machine.finish_debugging(0 if session.end in ("off", "exited") else 1):
        streams.tell(f"note: the connection to gdb broke: {lost}")
    result = session.finish(request.server, config, is_shipped=request.kernel is None, live=live)
    if session.end != "interrupted":
        for line in chain(_summary(result, machine), session.lines):
            streams.tell(line)
    if session.unwritten is not None and result.complete:
        raise UnwrittenError(session.unwritten, result)
    if session.unwritten is not None:
        streams.tell(f"error: {session.unwritten}")
    if session.stopped is not None:
        session.stopped.result = result
        raise session.stopped
    return result


def _ready_modules(request: Request) -> ReadyServers[ModuleServers]:
    """Start servers with cards made of modules, or restore them.

    Raises:
        SpinachError: A file cannot be read, something is not built, or a parameter is invalid.
    """
    from spinach_nic.benches.pair import Link
    from spinach_nic.runs.saved_servers import SavedServers
    from spinach_nic.runs.server_modules import module_servers

    configuration = servers.configuration_of(
        request.server, request.harts, request.size, clocks=request.clock, nodes=request.nodes
    )
    root = root_image.found(request.root) if request.root else None
    files = {"disk": root, "share": request.share}
    cards = request.node_cards
    nodes = range(len(cards))
    always = [f"node[{node}].{name}={path}" for node in nodes for name, path in files.items() if path]
    first = [f"node[0].hart_core={request.core}"]
    default = servers.DEFAULT_ATTACHMENTS.get(cards[0]) if request.is_timed else None
    first += [f"node[0].attachment={default}"] if default else []
    chosen = [f"node[0].attachment={request.attachment}"] if request.attachment else []
    changes = timing_changes(request.timing, request.timing_settings)
    given = ServerSettings.of([*chosen, *request.module_settings], first, changes)
    sources = (request.drivers[0], request.drivers[-1]) if request.drivers else (None, None)
    link = Link(
        rate=parse_quantity(request.link_rate, Rate) if request.link_rate else None,
        latency=parse_quantity(request.link_latency or "0s", Time),
    )

    def made(start: Linux, timing: Sequence[str], saved: SavedServers | None = None) -> ModuleServers:
        drivers = sources if request.kernel is None else None
        settings = (*always, *given.always, *timing)
        return module_servers(
            cards,
            start,
            configuration,
            request.firmware,
            settings,
            link=link,
            drivers=drivers,
            address=request.interface,
            saved=saved,
        )

    if request.restore is not None:
        content = servers.read_checkpoint(request.restore)
        if content.startswith(servers.CHECKPOINT_MAGICS) and not content.startswith(servers.MODULES_MAGIC):
            message = f"cannot restore {request.restore}: its servers have no cards made of modules"
            raise SpinachError(message, "repeat the --nodes, --card and --wire of the run that saved it")
        saved = SavedServers.of(str(request.restore), content)
        machine = made(linux.chosen(None, None, None), given.timing, saved)
        machine.set_threads(request.threads)
        return _connected(request, ReadyServers(machine=machine, linux=None, checkpoint=sha256_of(content)))
    start, task, typed = _start(request)
    machine = made(start, given.timing)
    machine.set_threads(request.threads)
    if not (request.kernel or request.files or request.arguments or task or request.cold):
        machine.boot(lambda: made(start, ()), given.always, start, console.show)
    module = machine.starts[0].module
    ready = ReadyServers(machine=machine, linux=start, checkpoint=None, task=task, typed=typed, module=module)
    return _connected(request, ready)


def _connected(request: Request, ready: ReadyServers[ModuleServers]) -> ReadyServers[ModuleServers]:
    """Connect the wire of a server that leads out of the simulation, if there is one.

    A recording contains what is typed, so a replay has the same input.

    Raises:
        SpinachError: The device cannot be used, or the recording is of another server.
    """
    from spinach_nic.runs.live import outside_of
    from spinach_nic.runs.recordings import read_recording

    if not request.is_wired and request.record is None:
        return ready
    typed, recording = ready.typed, None
    if request.replay is not None:
        recording = read_recording(request.replay, has_times=request.wants_gdb)
        recorded = recording.made_with.server or {}
        typed = str(recorded.get("typed", "")).encode("latin-1", "replace")
    elif typed is None and request.record is not None:
        typed = sys.stdin.buffer.read()
    made_with = {
        "checkpoint": ready.checkpoint,
        "kernel": vars(kernel_of(ready.linux, is_shipped=True)) if ready.linux else None,
        "cold": request.cold,
        "cards": [asdict(card) for card in ready.machine.cards],
        **ready.machine.config(),
        "typed": (typed or b"").decode("latin-1"),
    }
    outside = outside_of(request.wire, None, request.record, recording, made_with, "server")
    if outside is not None:
        ready.machine.connect(outside)
    return replace(ready, typed=typed)


def _summary(result: BootResult, machine: Machines) -> Iterator[str]:
    """Return the ending and the counts of servers, for people."""
    endings = {"off": "switched off", "failed": "failed", "left": "left", "killed": "ended by gdb"}
    endings |= {"restarts": "asked for a restart (repeat the command)", "ended": "ended by the network"}
    endings |= {"exited": f"program ended with exit status {result.exit_status}"}
    yield (
        f"{result.server}: {endings[result.ending]} after {result.simulated_ns / 1e9:.3f} simulated s; "
        f"{result.instructions:,} instructions in {result.wall_s:.2f} s"
    )
    for node in range(machine.nodes() if machine.nodes() > 1 or result.live else 0):
        counted = ", ".join(f"{name} {count:,}" for name, count in machine.card_counters(node) if count)
        yield f"card of server {node + 1}: {counted or 'nothing counted'}"
    for node in range(machine.nodes()):
        if counts := machine.timing(node):
            yield _timing_text(counts, f", server {node + 1}" if node else "")
    if result.live:
        from spinach_nic.cli.summary import live_lines  # loads slowly

        yield from live_lines(result.live)
    if result.sampling:
        yield str(result.sampling)
    yield from map(str, result.regions)


def _task(request: Request) -> tuple[Task | None, bytes | None]:
    """Return the task of the (first) server in place of commands, and the input of the second."""
    has_disk, is_shared = request.root is not None, request.share is not None
    if request.program is None and not has_disk:
        return Task(is_shared=True) if is_shared else None, None
    typed = given = None
    if not sys.stdin.isatty():
        lines = sys.stdin.buffer.read().splitlines(keepends=True)
        is_for_second = [request.nodes > 1 and line.startswith(FOR_SECOND) for line in lines]
        typed = b"".join(line for line, is_typed in zip(lines, is_for_second, strict=True) if is_typed)
        given = b"".join(line for line, is_typed in zip(lines, is_for_second, strict=True) if not is_typed)
    words = (request.program, *request.words) if request.program else ()
    return Task(words=words, input=given, has_disk=has_disk, is_shared=is_shared), typed


def _wait_for_gdb(request: Request, ready: ReadyServers[_Booted]) -> None:
    """Have gdb control the (first) server from now on, and print the command for gdb.

    Before a kernel has switched its page tables on, its addresses show nothing: gdb reads code from the file
    of a kernel that starts.
    """
    program = linux.with_lines() if request.kernel_debug else request.kernel or linux.for_debuggers()
    is_starting = ready.linux is not None and bool(request.has_own_start or ready.task or request.cold)
    address = request.listen or ANY_PORT
    where = ready.machine.listen(address)
    streams.warn_of_listening(address)
    words = [str(program)] if program else []
    words += ["-ex", "set trust-readonly-sections on"] if program and is_starting else []
    if module := ready.module:
        symbols = f"add-symbol-file {module.file} {module.address:#x}"
        words += [word for text in ("set confirm off", symbols, "set confirm on") for word in ("-ex", text)]
    words += ["-ex", f"target remote {where}"]
    if program is None:
        click.echo(f"note: the kernel is known without symbols; `{linux.COMMAND}` makes some", err=True)
    click.echo(f"waiting for gdb: gdb-multiarch {shlex.join(words)}", err=True)


def _timing_text(counted: Mapping[str, int], where: str) -> str:
    """Return the counts of timed cores, in two lines; `where` names a server other than the first."""

    def per_thousand(name: str) -> str:
        return f"{1000 * counted[name] / max(counted['instructions'], 1):.1f}"

    per_cycle = counted["instructions"] / max(counted["cycles"], 1)
    return (
        f"timed{where}: {per_cycle:.2f} instructions per cycle; in a thousand of them\n"
        f"    {per_thousand('mispredictions')} mispredicted branches, {per_thousand('walks')} walks, "
        f"misses of code {per_thousand('code_misses')}, data {per_thousand('data_misses')}, "
        f"second level {per_thousand('second_level_misses')}"
    )
