"""Servers that boot an operating system: their configurations, boot content and console."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from spinach_nic import _native
from spinach_nic.support.cache import Cache
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import read_file
from spinach_nic.support.memory import check_memory
from spinach_nic.support.units import Frequency, GHz, GiB, MHz, MiB, Rate, Size, Time, parse_quantity

if TYPE_CHECKING:
    from spinach_nic.servers.console import Consoles
    from spinach_nic.servers.linux import Linux

SLICE_CYCLES = 5_000_000
"""Cycles between two polls of the console."""
PANIC = re.compile(rb"---\[ end Kernel panic - not syncing: (.*?)(?:\. .*)? *\]---")
"""Last line of a kernel that has panicked, with the reason. It loops from there on."""
PATIENCE_S = 60.0
"""Maximum simulated seconds until a kernel is ready."""
_RATES = (10**6, 10**12)
_LATENCY_MAXIMUM_PS = 10**12
DEFAULT_CARD = "dp83820"
"""The card of servers that are joined."""
DEFAULT_ATTACHMENTS = {"sinic": "cache", "v-sinic": "cache"}
"""Attachment points of the SINIC paper's cards that are not behind the bridge."""
ATTACHMENTS = {
    "io": "on a bus like PCI Express, behind an I/O bridge",
    "memory": "on the processor's die, between its caches and memory",
    "cache": "on the processor's die, before the last level of caches",
}
"""Attachment points of cards."""
_CLOCKS = (MHz(10), GHz(100))
"""The slowest clock of harts, of which any other is a multiple, and the fastest."""
_LARGEST_MEMORY = GiB(16)
"""Largest memory of a server."""
MODULES_MAGIC = b"spinach modules checkpoint\n"
"""Beginning of checkpoints of servers with cards made of modules."""
CHECKPOINT_MAGICS = (b"spinach server checkpoint\n", b"spinach network checkpoint\n", MODULES_MAGIC)
LARGEST_CHECKPOINT = 8 << 30
"""Bytes of the largest checkpoint of servers, which holds their memory."""
CHECKPOINTS = "servers"
"""The kind of entries of the cache."""


def read_checkpoint(path: Path) -> bytes:
    """Return the content of a checkpoint of servers.

    Raises:
        SpinachError: The file cannot be read, or is too large.
    """
    what = "the checkpoint to restore"
    return read_file(path, "name a checkpoint", limit=LARGEST_CHECKPOINT, magics=CHECKPOINT_MAGICS, what=what)


@dataclass(frozen=True)
class ServerCard:
    """Card of a server that is a state machine."""

    name: str
    parameters: tuple[tuple[str, int], ...] = ()
    """Changed parameters, such as the number of VNICs, or the bytes of a queue."""


@dataclass(frozen=True)
class Wire:
    """Link of two servers, and the network interface card of each."""

    latency: Time
    rate: Rate
    cards: tuple[ServerCard, ServerCard]

    @property
    def native(self) -> tuple[int, int, list[tuple[str, list[tuple[str, int]]]]]:
        """Latency in picoseconds, bits per second, and each card: its name and its changed parameters."""
        cards = [(card.name, list(card.parameters)) for card in self.cards]
        return self.latency.femtoseconds // 1000, self.rate.bits_per_second, cards


@dataclass(frozen=True)
class Configuration:
    """Configuration of a server."""

    harts: int
    memory: Size
    wire: Wire | None = None
    """Link of two servers, if there are two."""
    clocks: tuple[Frequency, ...] = (GHz(1),)
    """Clocks of the harts: of each server, or the same for both."""

    @property
    def nodes(self) -> int:
        """Return the number of servers."""
        return 2 if self.wire else 1

    @property
    def clocks_hz(self) -> list[int]:
        """The clock of each server, in Hz."""
        return [int(self.clock_of(node).hertz) for node in range(self.nodes)]

    def clock_of(self, node: int) -> Frequency:
        """Clock of the harts of a server."""
        return self.clocks[min(node, len(self.clocks) - 1)]


SERVERS = {"rv64": Configuration(harts=1, memory=MiB(128))}
"""The servers, by name."""


def configuration_of(
    name: str,
    harts: int | None = None,
    memory: Size | None = None,
    wire: Wire | None = None,
    clocks: str | None = None,
    nodes: int | None = None,
) -> Configuration:
    """Return the configuration of the server called `name`; of two servers with a wire.

    Args:
        name: Name of a shipped configuration.
        harts: Number of harts.
        memory: Size of its memory.
        wire: Wire between two servers.
        clocks: The clock of the harts, as "4GHz"; of two servers they may differ, as "4GHz,8GHz".
        nodes: Number of servers, if they are not joined by a wire but by cards made of modules.

    Raises:
        SpinachError: There is no such server, or it cannot have such a clock.
    """
    if name not in SERVERS:
        shown = name.strip() or repr(name)
        raise SpinachError(f"unknown server {shown}", f"the servers are {', '.join(SERVERS)}")
    found = SERVERS[name]
    configuration = replace(
        found,
        harts=found.harts if harts is None else harts,
        memory=found.memory if memory is None else memory,
        wire=wire,
    )
    if clocks is not None:
        return replace(configuration, clocks=_clocks_of(clocks, nodes or configuration.nodes))
    return configuration


def _clocks_of(text: str, nodes: int) -> tuple[Frequency, ...]:
    clocks = tuple(parse_quantity(part, Frequency) for part in text.split(","))
    if len(clocks) > nodes:
        raise SpinachError(
            f"{text} are the clocks of {len(clocks)} servers", f"give one, or one for each of {nodes}"
        )
    for clock in clocks:
        if not _CLOCKS[0] <= clock <= _CLOCKS[1] or (clock / _CLOCKS[0]).denominator != 1:
            raise SpinachError(
                f"harts cannot have a clock of {clock}", "choose a multiple of 10MHz, at most 100GHz"
            )
    return clocks


def timed_parameters(attachment: str | None = None, changes: Mapping[str, object] | None = None) -> str:
    """Return the argument of `Server.set_timed`.

    Args:
        attachment: Attachment of cards, one of `ATTACHMENTS`; the first if it is not given.
        changes: Values that replace those of `_native.Server.timed_parameters`, by name, such as
            `{"second_level": {"bytes": 1 << 20, "ways": 8}}`.
    """
    where = {"attachment": attachment} if attachment else {}
    return json.dumps({**(changes or {}), **where})


def wire_of(
    rate: str | None = None,
    latency: str | None = None,
    card: str | None = None,
    settings: Sequence[str] = (),
) -> Wire:
    """Return the link between two servers.

    Args:
        rate: Rate of the link; 10 Gb/s by default, as in the SINIC paper.
        latency: Latency of the link; 1 us by default.
        card: Name of the cards, or of each, as `v-sinic,dp83820`; `DEFAULT_CARD` by default.
        settings: Parameters of the cards, as `node[0].card.vnics=16`.

    Raises:
        SpinachError: The rate, the latency or a parameter is invalid, or a card is unknown.
    """
    names = (card or DEFAULT_CARD).split(",")
    known = [name for name, _ in _native.server_cards()]
    if unknown := [name for name in names if name not in known]:
        raise SpinachError(f"unknown card {unknown[0]} of a server", f"the cards are {', '.join(known)}")
    if len(names) > 2:
        raise SpinachError(f"{card} are {len(names)} cards for two servers", "give one card, or two")
    changes: tuple[dict[str, int], ...] = ({}, {})
    for setting in settings:
        node, name, value = _card_setting(setting)
        changes[node][name] = value
    wire = Wire(
        latency=parse_quantity(latency or "1us", Time),
        rate=parse_quantity(rate or "10Gbps", Rate),
        cards=(
            ServerCard(names[0], tuple(changes[0].items())),
            ServerCard(names[-1], tuple(changes[1].items())),
        ),
    )
    if not (_RATES[0] <= wire.rate.bits_per_second <= _RATES[1]):
        raise SpinachError(f"a link of {rate} cannot be simulated", "choose one of 1Mbps to 1000Gbps")
    if wire.native[0] > _LATENCY_MAXIMUM_PS:
        raise SpinachError(f"a latency of {latency} cannot be simulated", "choose one of at most 1s")
    return wire


def _card_setting(text: str) -> tuple[int, str, int]:
    """Return the node, name and value of a parameter of a card: a count, or a size in bytes."""
    found = re.fullmatch(r"node\[([01])\]\.card\.(\w+)=(.+)", text)
    if found is None:
        message = f"{text!r} is not a parameter of the card of node[0] or node[1]"
        raise SpinachError(message, "write it as node[0].card.vnics=16 or node[1].card.receive_fifo=128KiB")
    node, name, value = found.groups()
    return int(node), name, int(value) if value.isdecimal() else parse_quantity(value, Size).bytes


def start(
    configuration: Configuration, linux: Linux, disk: Path | None = None, share: Path | None = None
) -> _native.Server:
    """Return a server, or two, about to execute the first instruction of a kernel.

    Args:
        configuration: Configuration of the servers.
        linux: Kernel and initramfs that they start with.
        disk: Image of the disk of each, which is not written.
        share: Folder that each shares with this machine.

    Raises:
        SpinachError: The kernel is invalid, the server is too small for it, or its memory is refused.
    """
    _check_memory(configuration)
    server = _native.Server.boot(
        linux.name,
        linux.kernel,
        linux.files,
        [arguments_of(configuration, linux, node) for node in range(configuration.nodes)],
        (configuration.harts, configuration.memory.bytes),
        configuration.wire.native if configuration.wire else None,
        configuration.clocks_hz,
        disk,
        share,
    )
    _set_threads(server)
    return server


def _check_memory(configuration: Configuration) -> None:
    if configuration.memory > _LARGEST_MEMORY:  # no server has that much, as the engine says
        return
    what = "the server" if configuration.nodes == 1 else "the pair of servers"
    check_memory(configuration.nodes * configuration.memory.bytes, what)


def _set_threads(server: _native.Server) -> None:
    """Run joined servers in parallel, unless other processes carry out further runs meanwhile."""
    server.set_threads(threads_by_default())


def threads_by_default() -> int | None:
    """Return the maximum number of threads; `None` for one per processor."""
    # A process that another one started has loaded the module.
    processes = sys.modules.get("multiprocessing")
    return 1 if processes and processes.parent_process() else None


def arguments_of(configuration: Configuration, linux: Linux, node: int) -> str:
    """Return the command line of a server's kernel, with its address where servers are joined."""
    words = [*linux.words_of(node)]
    if configuration.wire:
        words.append(f"address={address_of(node)}/24")
    return " ".join(words)


def address_of(node: int) -> str:
    """Return the Internet address of a server, from number 0 on, where servers are joined."""
    return f"10.0.0.{node + 1}"


def restore(
    configuration: Configuration,
    name: str,
    content: bytes,
    disk: Path | None = None,
    share: Path | None = None,
) -> _native.Server:
    """Return a server, or two, from a checkpoint, the content of a file called `name`.

    Raises:
        SpinachError: It is not a checkpoint, or one of another configuration, disk or shared folder, or the
            memory of the server is refused.
    """
    _check_memory(configuration)
    wire = configuration.wire.native if configuration.wire else None
    size = (configuration.harts, configuration.memory.bytes)
    server = _native.Server.restore(name, content, size, wire, configuration.clocks_hz, disk, share)
    _set_threads(server)
    return server


def run_until(
    server: Consoles, text: bytes, show: Callable[[bytes], None], nodes: Sequence[int] = (0,)
) -> None:
    """Run until each of these servers has printed `text`; `show` gets the output of the first.

    Raises:
        SpinachError: It ends or panics before that, or does not print it in `PATIENCE_S` simulated seconds.
    """
    printed = dict.fromkeys(nodes, b"")
    begin, hertz = server.time()
    while True:
        state = server.run(SLICE_CYCLES)
        for node in printed:
            output = server.take_output(node)
            if node == nodes[0]:
                show(output)
            printed[node] += output
        if all(text in output for output in printed.values()):
            return
        for node, output in printed.items():
            if found := PANIC.search(output):
                message = f"the kernel of server {node + 1} panicked: {found[1].decode(errors='replace')}"
                raise SpinachError(message, "give it more memory, or correct its files or its command line")
        asked = f"it had printed {text.decode(errors='replace')!r}"
        if state in ("off", "failed"):
            raise SpinachError(f"the server ended before {asked}", "see its output")
        if server.time()[0] - begin > PATIENCE_S * hertz:
            message = f"the server ran for {PATIENCE_S:g} simulated seconds before {asked}"
            raise SpinachError(message, "see its output")


def booted(configuration: Configuration, linux: Linux, show: Callable[[bytes], None]) -> _native.Server:
    """Return a server that is ready for commands: from its cached checkpoint, or booted and then cached.

    Args:
        configuration: Configuration of the server.
        linux: Kernel and initramfs that it starts with.
        show: Called with the output of the boot.

    Raises:
        SpinachError: It cannot be started, or does not become ready.
    """
    cache, key = Cache(), made_from(configuration, linux)
    with cache.in_use():
        if found := cache.find(CHECKPOINTS, key, "checkpoint"):
            return restore(configuration, str(found[0]), found[1])
        server = start(configuration, linux)
        run_until(server, linux.ready, show, range(configuration.nodes))
        cache.keep(CHECKPOINTS, key, "checkpoint", server.save())
    return server


def made_from(configuration: Configuration, linux: Linux, since: str = "") -> str:
    """Return the name of a checkpoint: the hash of all its sources, in hexadecimal.

    Args:
        configuration: Configuration of the servers.
        linux: Kernel and initramfs that they started with.
        since: Commands that they have run since they were ready.
    """
    arguments = [arguments_of(configuration, linux, node) for node in range(configuration.nodes)]
    made = repr((_native.Server.checkpoint_version(), configuration, arguments, since)).encode()
    for content in (made, linux.kernel, linux.files):
        made = hashlib.sha256(made + hashlib.sha256(content).digest()).digest()
    return made.hex()
