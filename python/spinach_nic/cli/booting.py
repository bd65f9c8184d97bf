"""Servers of `spinach boot`, from their start to the report at the end."""

from __future__ import annotations

import math
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spinach_nic import _native, servers
from spinach_nic.cli import streams
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
from spinach_nic.servers.console import FOR_SECOND
from spinach_nic.servers.drivers import with_driver
from spinach_nic.servers.parameters import timing_changes
from spinach_nic.servers.program import Task
from spinach_nic.servers.sampling import Sampler, SamplingPlan
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import write_output

if TYPE_CHECKING:
    from spinach_nic.cli.boot import Request
    from spinach_nic.servers import Configuration
    from spinach_nic.servers.console import Consoles, Ending
    from spinach_nic.servers.linux import Linux

ANY_PORT = "127.0.0.1:0"
"""Default address at which gdb is awaited."""
QUIET_MODULES_S = 0.3
"""Simulated seconds without a character from servers with such cards after which they are finished. Each
takes minutes to simulate."""


@dataclass(frozen=True, kw_only=True)
class _Ready:
    """Servers that are about to run."""

    machine: _native.Server
    linux: Linux | None
    """Kernel and files of their start; `None` if they continue from a file."""
    checkpoint: str | None
    """Digest of that file."""
    task: Task | None = None
    typed: bytes | None = None
    """Input of the second server, if the first does a task."""


def _ready(request: Request, configuration: Configuration) -> _Ready:
    """Start servers, or restore them.

    Raises:
        SpinachError: A file cannot be read, or something is not built.
    """
    root = root_image.found(request.root) if request.root else None
    if request.restore is not None:
        content = servers.read_checkpoint(request.restore)
        machine = servers.restore(configuration, str(request.restore), content, root, request.share)
        return _Ready(machine=machine, linux=None, checkpoint=sha256_of(content))
    task, typed = _task(request)
    start = linux.chosen(request.kernel, request.files, request.arguments)
    if task:
        start = task.linux(start, request.arguments)
    if request.drivers:
        if request.nodes == 1:
            raise SpinachError("--driver is for the cards of two servers", "add --nodes 2")
        if len(request.drivers) > 1:
            message = "both servers of such cards have the same kernel and drivers"
            raise SpinachError(message, "give --driver once")
        start = with_driver(start, request.drivers[0])
    start = start.with_seed(request.seed)
    if request.has_own_start or task or request.cold:
        machine = servers.start(configuration, start, root, request.share)
    else:
        machine = servers.booted(configuration, start, console.show)
    return _Ready(machine=machine, linux=start, checkpoint=None, task=task, typed=typed)


def boot(request: Request) -> BootResult:
    """Boot one server, or two with cards that are state machines, and connect the terminal."""
    plan = SamplingPlan.of(request.sample) if request.sample else None
    parameters = timing_changes(request.timing, request.timing_settings)
    wire = None
    if request.nodes > 1:
        wire = servers.wire_of(request.link_rate, request.link_latency, request.card, request.card_settings)
    outputs = request.outputs(wire)
    configuration = servers.configuration_of(request.server, request.harts, request.size, wire, request.clock)
    ready = _ready(request, configuration)
    machine = ready.machine
    if request.threads is not None:
        machine.set_threads(request.threads)
    where = request.attachment or servers.DEFAULT_ATTACHMENTS.get(wire.cards[0].name if wire else "", "io")
    timed = servers.timed_parameters(where, parameters) if request.is_timed else None
    machine.set_timed(timed is not None, parameters=timed)
    for output in outputs:
        output.begin(machine)
    if request.wants_gdb:
        _wait_for_gdb(request, ready)
    began, counts = time.monotonic(), Measuring(machine)
    sampler = Sampler(machine, plan, lambda: sampled_counts(machine), seed=request.seed) if plan else None
    keeper = _Checkpoints(request.save)
    calls = Calls(keeper.keep if request.save is not None else None)

    def has_ended() -> bool:
        calls.follow(machine)
        return calls.exit_status is not None

    try:
        quiet_s = math.inf if ready.task and ready.task.is_program else console.QUIET_S
        end = _converse(sampler or machine, quiet_s, has_ended, ready.typed)
        wall_s = time.monotonic() - began
    finally:
        lines = [line for output in outputs for line in output.finish(machine)]
    if lost := machine.finish_debugging(0 if end in ("off", "exited") else 1):
        click.echo(f"note: the connection to gdb broke: {lost}", err=True)
    cycles, hertz = machine.time()
    calls.finish()
    result = BootResult(
        server=request.server,
        config=settings_of(configuration, timed),
        version=_native.version(),
        kernel=kernel_of(ready.linux, is_shipped=request.kernel is None) if ready.linux else None,
        checkpoint=ready.checkpoint,
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
    if end != "interrupted":
        keeper.keep_last(machine)
        for line in [*_said(result, machine), *(f"note: {note}" for note in calls.notes), *lines]:
            click.echo(line, err=True)
    return result


@dataclass
class _Checkpoints:
    """File of `--save`: the checkpoint that a program requests, or else the end of the run."""

    path: Path | None
    is_kept: bool = False

    def keep(self, content: bytes) -> None:
        """Write a checkpoint."""
        if self.path is not None:
            write_output(self.path, content)
            self.is_kept = True

    def keep_last(self, machine: _native.Server) -> None:
        """Write the end of the run, unless a program has asked for a checkpoint."""
        if self.path is not None and not self.is_kept:
            self.keep(machine.save())


def _said(result: BootResult, machine: _native.Server) -> Iterator[str]:
    """Return the endings of servers, as text."""
    endings = {"off": "switched off", "failed": "failed", "left": "left", "killed": "ended by gdb"}
    endings |= {"restarts": "asked for a restart (repeat the command)"}
    endings |= {"exited": f"program ended with exit status {result.exit_status}"}
    yield (
        f"{result.server}: {endings[result.ending]} after {result.simulated_ns / 1e9:.3f} simulated s; "
        f"{result.instructions:,} instructions in {result.wall_s:.2f} s"
    )
    for node in range(machine.nodes() if machine.nodes() > 1 else 0):
        counted = ", ".join(f"{name} {count:,}" for name, count in machine.card_counters(node) if count)
        yield f"card of server {node + 1}: {counted or 'nothing counted'}"
    if counts := machine.timing():
        yield _timing_text(counts)
    if result.sampling:
        yield str(result.sampling)
    yield from map(str, result.regions)


def _converse(
    servers: Consoles,
    quiet_s: float,
    has_ended: Callable[[], bool] = lambda: False,
    typed: bytes | None = None,
) -> Ending:
    """Connect the terminal until the servers end, the user leaves, or a signal arrives."""
    try:
        return console.converse(servers, quiet_s, has_ended, typed)
    except KeyboardInterrupt:
        return "interrupted"


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


def _wait_for_gdb(request: Request, ready: _Ready) -> None:
    """Have gdb control the server from now on, and print the command for gdb.

    Before a kernel has switched its page tables on, its addresses show nothing: gdb reads code from the file
    of a kernel that starts.
    """
    program = linux.with_lines() if request.kernel_debug else request.kernel or linux.for_debuggers()
    is_starting = ready.linux is not None and bool(request.has_own_start or ready.task or request.cold)
    address = request.listen or ANY_PORT
    streams.warn_of_listening(address)
    where = ready.machine.listen(address)
    words = [str(program)] if program else []
    words += ["-ex", "set trust-readonly-sections on"] if program and is_starting else []
    words += ["-ex", f"target remote {where}"]
    if program is None:
        click.echo("note: the kernel is known without symbols; `make linux` makes some", err=True)
    click.echo(f"waiting for gdb: gdb-multiarch {shlex.join(words)}", err=True)


def boot_modules(request: Request) -> BootResult:
    """Boot two servers whose cards are simulated module by module, and connect the terminal to them."""
    from spinach_nic.runs.server_modules import joined_servers

    is_shipped = request.kernel is None
    start = linux.chosen(request.kernel, request.files, request.arguments).with_seed(request.seed)
    configuration = servers.configuration_of(request.server, request.harts, request.size, None, request.clock)
    sources = (request.drivers[0], request.drivers[-1]) if request.drivers else (None, None)
    timed_first = [f"node[0].hart_core={request.core}"]
    where = request.attachment or (request.is_timed and servers.DEFAULT_ATTACHMENTS.get(request.cards[0]))
    timed_first += [f"node[0].attachment={where}"] if where else []
    pair = joined_servers(
        (request.cards[0], request.cards[-1]),
        start,
        configuration,
        request.firmware,
        (*timed_first, *request.changes),
        drivers=sources if is_shipped else None,
    )
    began = time.monotonic()
    end = _converse(pair, QUIET_MODULES_S)
    wall_s = time.monotonic() - began
    now = pair.simulation.now
    if end != "interrupted":
        ending = "switched off" if end == "off" else end
        message = f"servers: {ending} after {now.femtoseconds / 1e15:.3f} simulated s, in {wall_s:.2f} s"
        click.echo(message, err=True)
        if counts := pair.timing():
            click.echo(_timing_text(counts), err=True)
    return BootResult(
        server=request.server,
        config=pair.config(),
        version=_native.version(),
        kernel=kernel_of(start, is_shipped=is_shipped),
        checkpoint=None,
        ending=end,
        exit_status=None,
        complete=end != "interrupted",
        begins_ns=0,
        simulated_ns=now.femtoseconds // 10**6,
        wall_s=wall_s,
        instructions=pair.instructions(),
        servers=pair.results(),
        regions=(),
    )


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
