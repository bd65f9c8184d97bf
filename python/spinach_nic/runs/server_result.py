"""Result of servers that ran, as typed data and as the document `spinach-boot/1`.

Everything except `wall_s` follows from the configuration, the kernel and what was typed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from spinach_nic import _native
from spinach_nic.runs.guest.result import DriverFirmware
from spinach_nic.runs.result import Failure, Figure, LiveResult, ResultDocument, Setting, Sha256, flat
from spinach_nic.servers import Configuration
from spinach_nic.servers.calls import Callers, Region
from spinach_nic.servers.console import Consoles, Ending, now_ns
from spinach_nic.servers.counts import Counts
from spinach_nic.servers.linux import Linux
from spinach_nic.servers.profile import ServerProfile
from spinach_nic.servers.sampling import LEAST_SAMPLES, Sampler
from spinach_nic.servers.stalls import NOTHING
from spinach_nic.support.documents import Count, Number, Share
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.measured import Measured, bounded
from spinach_nic.support.representations import amount


@dataclass(frozen=True)
class Kernel:
    """Kernel of a server, or the program that it starts instead."""

    name: str
    """`linux` for the kernel of `make linux`, else the name of the file."""
    sha256: Sha256
    files_sha256: Sha256
    """Digest of the initramfs; that of no bytes without one."""
    arguments: str
    """Command line, without the address of a joined server."""


@dataclass(frozen=True)
class InsertedCard:
    """Card in the slot of a server."""

    name: str
    firmware: DriverFirmware | None = None
    """Firmware of a card made of modules."""


@dataclass(frozen=True)
class ServerResult:
    """A server, its card, and its end of the link."""

    clock_hz: Count
    """Clock of the harts."""
    cycles: Count
    """Cycles of that clock in this run."""
    card: str | None
    """Card in its slot; `None` without one."""
    firmware: DriverFirmware | None
    """Firmware of a card made of modules; `None` for other cards."""
    counters: Mapping[str, Count]
    """Counters of the card, and of the slot of a card made of modules, since the start of the server."""
    sent_frames: Count
    """Frames sent over the link in this run."""
    sent_bytes: Count | None
    """Bytes of these frames; `None` in documents of earlier versions, for cards made of modules."""
    timing: Mapping[str, Count] | None
    """Counters of the timed core and its caches in this run; `None` for functional cores."""


@dataclass(frozen=True)
class Sampling:
    """Windows in which cores were timed, and rates over them; `None` where too few windows have counts."""

    period_ns: Count
    warm_up_ns: Count
    window_ns: Count
    windows: Count
    instructions_per_cycle: Measured | None
    """Instructions per cycle of the timed server while it did not wait."""
    sent_gbps: Measured | None
    """Frames that it sent, without preamble, check sequence and gap."""
    received_gbps: Measured | None
    stall: str = ""
    """Reason why the link gives no rates, such as a wait of TCP for a timeout; empty if it gives them."""

    @classmethod
    def of(cls, sampler: Sampler, wait: str = "") -> Sampling:
        """Return the rates of a sampled run.

        Args:
            sampler: The run.
            wait: Wait of TCP on the link, or the reason why it is not known; empty if there was none.
        """
        plan, is_enough = sampler.plan, len(sampler.samples) >= LEAST_SAMPLES
        is_joined = sampler.nodes() > 1
        stall = _stall_of(sampler, wait) if is_joined else ""
        has_rates = is_joined and not stall

        def rate(above: str, below: str | None = None, factor: float = 1.0) -> Measured | None:
            return bounded(sampler.ratio(above, below, factor)) if is_enough else None

        return cls(
            period_ns=plan.period.femtoseconds // 10**6,
            warm_up_ns=plan.warm_up.femtoseconds // 10**6,
            window_ns=plan.window.femtoseconds // 10**6,
            windows=len(sampler.samples),
            instructions_per_cycle=rate("instructions", "cycles"),
            sent_gbps=rate("sent", factor=8.0) if has_rates else None,
            received_gbps=rate("received", factor=8.0) if has_rates else None,
            stall=stall,
        )

    def __str__(self) -> str:
        """One line for the terminal."""
        text = f"sampled: {amount(self.windows, 'window')} of {self.window_ns / 1000:g} us"
        if self.windows < LEAST_SAMPLES:
            return f"{text}, too few for rates (at least {LEAST_SAMPLES})"
        per_cycle = self.instructions_per_cycle
        text += f"; {per_cycle} instructions per cycle" if per_cycle else "; the core rested in nearly all"
        if self.stall:
            text += f", no rates of the link: {self.stall}"
        elif self.sent_gbps and self.received_gbps:
            text += f", {self.sent_gbps} Gb/s sent, {self.received_gbps} Gb/s received"
        return text


def _stall_of(sampler: Sampler, wait: str) -> str:
    has_delivered = any(sample.counts[name] for sample in sampler.samples for name in ("sent", "received"))
    return wait if has_delivered else NOTHING


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """Rates of two servers in a window, with their errors from batches of equal length."""

    gbps: Measured
    """Rate of the frames in both directions, without preamble, check sequence and gap."""
    sent_gbps: Measured
    received_gbps: Measured
    interrupts_per_s: Measured
    dropped: Count
    """Frames that the cards dropped for lack of room."""
    misses_per_kb: Measured | None
    """Misses of the second level of caches, for each 1024 bytes of frames in both directions; `None` if fewer
    than two batches have frames."""
    instructions_per_cycle: Measured | None
    """Instructions per cycle while the server did not wait; `None` if nearly all batches only waited."""
    shares: Mapping[str, Measured]
    """Fraction of the time of each category."""
    stresser_idle: Share
    """Fraction of the time in which the other server was idle."""
    profile: ServerProfile
    stall: str = ""
    """Reason why the window gives no rates, such as a wait for a timeout; empty if it gives them."""


class BootResult(ResultDocument, frozen=True, kw_only=True, tag="spinach-boot/1"):
    """Result of one server, or of two and their link."""

    server: str
    config: Mapping[str, Setting]
    """Configuration as it was: servers, cards, link, and the parameters of timed cores."""
    version: str
    kernel: Kernel | None
    """`None` for servers restored from a file."""
    checkpoint: Sha256 | None
    """Digest of the file that the servers were restored from; `None` for others."""
    ending: Ending
    """`off`: switched off. `exited`: the first server's program ended. `left`: the input was answered, or
    the user left. `killed`: ended by gdb. `restarts`: the kernel asked for a restart. `ended`: the network
    at the wire, or the recording of it, has ended. `measured`: the measured window has ended."""
    exit_status: Count | None
    """Exit status of the program of the first server; `None` if there was none, or it did not end."""
    complete: bool
    """True if it neither failed nor was interrupted."""
    begins_ns: Count
    """Simulated time at which this run began: 0 for servers that started, else that of their checkpoint."""
    simulated_ns: Count
    """Simulated time at the end."""
    wall_s: Number
    """Duration of the simulation, without set-up."""
    instructions: Count | None
    """Instructions of all harts in this run; `None` if they are not counted."""
    servers: tuple[ServerResult, ...]
    regions: tuple[Region, ...]
    """Regions of interest that ended, in the order of their ends."""
    sampling: Sampling | None = None
    """Sampled rates of a run in which cores are timed in windows; `None` for others."""
    measured: Measurement | None = None
    """Rates of the measured window of a workload; `None` for others."""
    live: LiveResult | None = None
    """Traffic of the device at the wire of a single server; `None` for others."""
    failure: Failure | None = None
    """Why the simulation stopped, if a card failed, or a device at the wire was lost."""

    def asked(self) -> dict[str, Setting]:
        """Return servers, kernel, cards and their configuration, by path."""
        asked: dict[str, Setting] = {"server": self.server, "version": self.version}
        if self.checkpoint is not None:
            asked["checkpoint"] = self.checkpoint
        if self.kernel is not None:
            asked |= {f"kernel.{name}": value for name, value in vars(self.kernel).items()}
        for node, server in enumerate(self.servers):
            if server.firmware is not None:
                asked[f"node[{node}].firmware.sha256"] = server.firmware.sha256
        return {**asked, **self.config}

    def figures(self) -> dict[str, Figure]:
        """Return times and counts by their paths in the document, as `servers[0].counters.sent`."""
        document = self.document()
        servers = {f"servers[{node}]": server for node, server in enumerate(document["servers"])}
        return flat({name: value for name, value in document.items() if name != "config"} | servers)

    def __repr__(self) -> str:
        """Return the configuration and the ending, in a line; the fields have everything."""
        seconds = (self.simulated_ns - self.begins_ns) / 1e9
        servers = amount(len(self.servers), "server")
        return f"<BootResult {self.server}: {servers}, {self.ending}, {seconds:.3f} s>"


class ServersStopped(SpinachError):  # noqa: N818, it is what they did
    """A card has failed, or a device or simulator at the wire is lost."""

    exit_code: ClassVar[int] = 3
    result: BootResult | None = None
    """Result until then."""


def kernel_of(linux: Linux, *, is_shipped: bool) -> Kernel:
    """Return the digests of what servers start with."""
    name = "linux" if is_shipped else linux.name.rpartition("/")[2]
    return Kernel(name, sha256_of(linux.kernel), sha256_of(linux.files), linux.arguments)


def sha256_of(content: bytes) -> str:
    """Return the digest of the content of a file."""
    return hashlib.sha256(content).hexdigest()


class Machines(Consoles, Callers, Protocol):
    """Servers that a run needs, as `_native.Server` has them."""


class Measuring:
    """Counts of servers from one moment on."""

    def __init__(self, machine: Machines) -> None:
        """Begin with the present counts."""
        self._machine = machine
        self._instructions = machine.instructions()
        self._cycles, self._hertz = machine.time()
        self.begins_ns = self.now_ns
        """Simulated time at which the counts began."""
        self._counts = [Counts.of(machine, node) for node in range(machine.nodes())]

    @property
    def now_ns(self) -> int:
        """Simulated time; if all servers have ended, the end of the last."""
        machine = self._machine
        nodes = range(machine.nodes())
        if all(map(machine.has_ended, nodes)):
            return max(machine.cycles(node) * 10**9 // machine.hertz(node) for node in nodes)
        return now_ns(machine)

    @property
    def instructions(self) -> int:
        """Return the instructions of all harts since then."""
        return self._machine.instructions() - self._instructions

    def servers(self, cards: Sequence[InsertedCard | None]) -> tuple[ServerResult, ...]:
        """Return the counts of each server since then.

        Args:
            cards: Card of each.
        """
        return tuple(self._server(node, card) for node, card in enumerate(cards))

    def _cycles_of(self, node: int) -> int:
        """Return the cycles of a server since then, until its end if it has ended."""
        machine, clock_hz = self._machine, self._machine.hertz(node)
        if machine.has_ended(node):
            return max(machine.cycles(node) - self._cycles * clock_hz // self._hertz, 0)
        return (machine.time()[0] - self._cycles) * clock_hz // self._hertz

    def _server(self, node: int, card: InsertedCard | None) -> ServerResult:
        now = Counts.of(self._machine, node)
        counted = now - self._counts[node]
        return ServerResult(
            clock_hz=self._machine.hertz(node),
            cycles=self._cycles_of(node),
            card=card.name if card else None,
            firmware=card.firmware if card else None,
            counters=now.card,
            sent_frames=counted.sent_frames,
            sent_bytes=counted.sent_bytes,
            timing=counted.timing,
        )


def settings_of(configuration: Configuration, timing: str | None) -> dict[str, Setting]:
    """Return the configuration of servers by path.

    Args:
        configuration: Harts, memory, clocks and link.
        timing: Parameters of timed cores that differ from their defaults, as JSON; `None` for functional
            cores.
    """
    settings: dict[str, Setting] = {
        "harts": configuration.harts,
        "memory": str(configuration.memory),
        "core": "functional" if timing is None else "timed",
    }
    for node in range(configuration.nodes):
        clock = configuration.clocks[min(node, len(configuration.clocks) - 1)]
        settings[f"node[{node}].clock"] = str(clock)
    if (wire := configuration.wire) is not None:
        settings |= {"link.rate": str(wire.rate), "link.latency": str(wire.latency)}
        for node, card in enumerate(wire.cards):
            settings[f"node[{node}].card"] = card.name
            settings |= {f"node[{node}].card.{name}": value for name, value in card.parameters}
    if timing is not None:
        for defaults in (json.loads(_native.Server.timed_parameters()), json.loads(timing)):
            settings |= {f"core.{path}": value for path, value in _leaves("", defaults)}
    return settings


def _leaves(prefix: str, values: Mapping[str, Any]) -> Iterator[tuple[str, Setting]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _leaves(f"{prefix}{name}.", value)
        else:
            yield prefix + name, value
