"""Servers in a simulation of modules: two joined by their cards, or one with a wire to the outside."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Interface
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from spinach_nic import _native
from spinach_nic.benches import find_nic, name_of, python_inputs
from spinach_nic.benches.base import notes_on_links, notes_on_rates
from spinach_nic.benches.guest import check_firmware, linux_driver
from spinach_nic.benches.pair import Link, joined
from spinach_nic.benches.server import ServerBench, ServerSystem, with_firmware
from spinach_nic.benches.wired import WiredServer, wired
from spinach_nic.cards.base.card import Card
from spinach_nic.cards.base.drivers import RINGS
from spinach_nic.firmware.description import shipped_root
from spinach_nic.model.simulation import Simulation, Statistics, simulate
from spinach_nic.model.simulation.recorder import Capture
from spinach_nic.runs.assembly import components_of, resolved_configuration
from spinach_nic.runs.debugging import DebuggedServer
from spinach_nic.runs.differences import ComparedModel
from spinach_nic.runs.guest.guests import container_of
from spinach_nic.runs.guest.result import DriverFirmware
from spinach_nic.runs.images import ChosenImage, choose_image, known_image, load_image
from spinach_nic.runs.live import DEVICE_LOST_HELP, Entrance, LiveRun, Outside, is_of_device
from spinach_nic.runs.observers import Observed, ObservedCard
from spinach_nic.runs.observers.timeline import Timeline
from spinach_nic.runs.result import LiveResult, Setting
from spinach_nic.runs.saved_servers import SavedServers
from spinach_nic.runs.server_result import InsertedCard, ServersStopped, sha256_of
from spinach_nic.runs.simbricks import LOST_HELP
from spinach_nic.servers import CHECKPOINTS, Configuration, address_of, run_until, threads_by_default
from spinach_nic.servers.drivers import with_driver
from spinach_nic.servers.linux import Linux
from spinach_nic.servers.profile import HartProfile
from spinach_nic.servers.timeline import CATEGORY_NAMES, functions_of
from spinach_nic.support.cache import Cache
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import temporary_folder
from spinach_nic.support.location import user_code
from spinach_nic.support.representations import amount
from spinach_nic.support.units import Time, us

LOCAL_ADDRESS = bytes([0x02, 0x53, 0x50, 0x4E, 0x43])
"""First bytes of locally administered MAC addresses; the last is the number of the server."""
_FEMTOSECONDS = 10**15
"""Femtoseconds per second."""
_PICOSECOND_FS = 1000
_CORRECT_CARD = "correct the firmware or the composition of the card"
_CALL_LANE = 1
"""Lane of a server that exports calls of its software."""
_WIRE = "wire"
"""Name of the entrance of a server with a wire to the outside."""
_ENDS = {"Failed": "failed", "Restarts": "restarts"}
"""Ends of a server that end the run, and their names for a console."""


class _Counts(Struct, frozen=True):
    """Counts of a server's harts, as its module exports them."""

    cycles: int
    instructions: int
    timing: dict[str, int] | None


class _Call(Struct, frozen=True):
    """Call of guest software, as the module of its server exports it."""

    kind: str
    detail: str
    counts: _Counts


@dataclass(frozen=True)
class Inserted:
    """Card in a server, and its firmware."""

    card: Card
    image: ChosenImage | None
    """`None` for a card without firmware, or with a file that only its driver reads."""


class ModuleServers:
    """Servers that are modules of a simulation, with the methods of `_native.Server` that runs use."""

    def __init__(
        self,
        system: ServerSystem,
        simulation: Simulation,
        cards: Sequence[InsertedCard],
        inserted: Sequence[Inserted],
        starts: Sequence[Linux],
    ) -> None:
        """Take the servers of a simulation, the card of each with its description, and what each boots."""
        self.simulation = simulation
        self.cards = cards
        self.inserted = inserted
        self.starts = starts
        self._system = system
        self._servers = [node.server for node in system.node]
        self._clocks_hz = [int(node.hart_clock.hertz) for node in system.node]
        self._hertz = self._clocks_hz[0]
        self._calls: list[list[tuple[_Call, list[tuple[str, int]]]]] = [[] for _ in self._servers]
        self._at_call: dict[int, _Counts] = {}
        self._card_at_call: dict[int, list[tuple[str, int]]] = {}
        self._due: list[tuple[Time, Callable[[], None]]] = []
        kept = 2 * system.parameters.get("link_latency", Time(0)) + us(1)
        self._carried = simulation.count_frames(*system.captured_ports.values(), kept=kept)
        self.set_threads(None)
        self._outside: LiveRun | None = None
        self._outside_ends: Time | None = None
        """End of a recording that is replayed."""
        self._debugged: DebuggedServer | None = None
        self._held_before: Time | None = None
        """End of the run that a debugger's client interrupted."""

    def observed(self) -> Observed:
        """Return the cards for observers."""
        return Observed(
            simulation=self.simulation,
            system=self._system,
            title="a pair of servers" if self.nodes() > 1 else "a server",
            cards=[
                ObservedCard(
                    one.card.probes(),
                    one.image,
                    min(one.card.faces().link_rates),
                    prefix=f"server {node + 1}: ",
                )
                for node, one in enumerate(self.inserted)
            ],
            captured=self._system.captured_ports,
        )

    def set_threads(self, maximum: int | None) -> None:
        """Set the maximum number of threads, by default one per processor; no result depends on it.

        Servers that share files with this machine have one thread, since the order of their accesses matters.
        """
        if any(node.share for node in self._system.node):
            maximum = 1
        self.simulation.set_threads(
            maximum or threads_by_default() or min(len(os.sched_getaffinity(0)), 1024)
        )

    def connect(self, outside: Outside) -> None:
        """Connect the wire of a server to a device, a network of SimBricks, or a recording.

        Raises:
            SpinachError: The device does not exist, or may not be used.
        """
        assert isinstance(self._system, WiredServer)
        wire = self._system.wire
        # Frames that were sent while nothing was connected are lost.
        self.simulation.export(wire)
        ends = {_WIRE: Entrance(wire, wire, wire)}
        longest = self.inserted[0].card.largest_tagged_frame
        self._outside = LiveRun(outside, self.simulation, ends, longest)
        self._outside_ends = outside.end

    def disconnect(self, *, is_complete: bool) -> LiveResult | None:
        """Send what is left to the device at the wire, if there is one, and return its traffic.

        Raises:
            SpinachError: The device is gone.
        """
        outside, self._outside = self._outside, None
        if outside is None:
            return None
        outside.finish(is_complete=is_complete)
        return outside.passed

    def call_at(self, time: Time, act: Callable[[], None]) -> None:
        """Call a function when the simulation has run up to a time."""
        self._due.append((time, act))
        self._due.sort(key=lambda due: due[0])

    @property
    def link_notes(self) -> Sequence[str]:
        """Notes on the links of the cards, and on the cable between them."""
        names = [f"{card.name} of server {node}" for node, card in enumerate(self.cards, 1)]
        cards = [one.card for one in self.inserted]
        links = [note for card in cards for note in notes_on_links(card)]
        return [*links, *notes_on_rates(dict(zip(names, cards, strict=True)))]

    def nodes(self) -> int:
        """Return the number of servers."""
        return len(self._servers)

    def run(self, cycles: int) -> str:
        """Run for a number of cycles of the harts; return what ended the run.

        Returns:
            "time"; "off" if all have switched themselves off; "failed"; "restarts"; "called" if guest
            software made calls; "held" if a debugger holds a server; "killed" if it has ended the run; or
            "ended" if the network at the wire, or the recording of it, has ended.

        Raises:
            ServersStopped: A card has failed, or a device or simulator at the wire is lost.
        """
        self._at_call.clear()
        end = self._held_before or self.simulation.now + Time(cycles * _FEMTOSECONDS // self._hertz)
        self._held_before = None
        while self.simulation.now < end:
            ends = {self._state(node)["ended"] for node in range(self.nodes())}
            if ends == {"PoweredOff"}:
                return "off"
            if self._outside_ends is not None and self.simulation.now >= self._outside_ends:
                return "ended"
            reason, details = self._run_until(self._next_stop(end))
            if reason in ("held", "killed"):
                self._held_before = end
                return reason
            if reason == "ended":
                return reason
            if reason == "lost":
                raise ServersStopped(details, LOST_HELP)
            if reason == "stopped":
                ends = {self._state(node)["ended"] for node in range(self.nodes())}
                if found := ends & _ENDS.keys():
                    return _ENDS[found.pop()]
                help = DEVICE_LOST_HELP if is_of_device(details) else _CORRECT_CARD
                raise ServersStopped(details, help)
            if reason == "paused" and self._receive_calls():
                return "called"
        return "time"

    def _run_until(self, end: Time) -> tuple[str, str]:
        if self._debugged is not None:
            return self._debugged.run(end)
        runner = self._outside or self.simulation
        outcome = runner.run(end - self.simulation.now, until=())
        if outcome.reason == "paused":
            self._receive_calls()
            # One server may be ahead of the other.
            window_end = Time(self.simulation.native.window_end())
            while self.simulation.now < window_end:
                further = self.simulation.run(window_end - self.simulation.now, until=())
                if further.reason == "stopped":
                    return further.reason, further.details
                self._receive_calls()
        return outcome.reason, outcome.details

    def _next_stop(self, end: Time) -> Time:
        """Call functions that are due; return the time until which to run, at most `end`."""
        while self._due and self._due[0][0] <= self.simulation.now:
            self._due.pop(0)[1]()
        stops = [time for time, _ in self._due[:1]]
        stops += [self._outside_ends] if self._outside_ends is not None else []
        return min([end, *stops])

    def take_output(self, node: int = 0) -> bytes:
        """Take what a server printed."""
        return self.simulation.export(self._servers[node])

    def type_in(self, characters: bytes, node: int = 0) -> None:
        """Type at a server's console."""
        self.simulation.inject(self._servers[node], characters)

    def unread(self) -> int:
        """Return the number of typed characters not read yet, which is unknown for modules."""
        return 0

    def time(self) -> tuple[int, int]:
        """Cycles of the harts of the first server since the start, and how many of these are a second."""
        return self.simulation.now.femtoseconds * self._hertz // _FEMTOSECONDS, self._hertz

    def hertz(self, node: int = 0) -> int:
        """Clock of a server's harts, in Hz."""
        return self._clocks_hz[node]

    def config(self) -> Mapping[str, Setting]:
        """Return every parameter of servers and cards, by path."""
        return resolved_configuration(self._system, self.simulation)

    def instructions(self, node: int | None = None) -> int:
        """Return the instructions of all harts since the start, or those of a server."""
        nodes = range(self.nodes()) if node is None else (node,)
        return sum(self._counts(node).instructions for node in nodes)

    def cycles(self, node: int = 0) -> int:
        """Cycles of a server since the start, as `_native.Server.cycles`."""
        return self._counts(node).cycles

    def has_ended(self, node: int = 0) -> bool:
        """Return true if a server has ended, as `run` reports it."""
        return self._state(node)["ended"] is not None

    def timing(self, node: int = 0) -> dict[str, int] | None:
        """Return the counts of a server's timed cores; `None` for functional cores."""
        return self._counts(node).timing

    def set_pace(self, pace: tuple[float, float] | None, node: int = 0) -> None:
        """Execute instructions of a timed server at a fixed pace, as `_native.Server.set_pace`."""
        self.simulation.native.set_pace(self._number(node), pace)

    def set_profiled(self, is_profiled: bool, node: int = 0) -> None:
        """Begin or end the profile of a server's harts."""
        self.simulation.native.set_profiled(self._number(node), is_profiled)

    def profiles(self, node: int = 0) -> list[HartProfile]:
        """Return the profile of each hart of a server, as `_native.Server.profiles`.

        Harts may be ahead of the card by the parameter `latency` of their server.
        """
        return self.simulation.native.profiles(self._number(node))

    def record_harts(self, length: Time, node: int = 0) -> None:
        """Record the activity of a server's harts from now on, for `length` at most."""
        functions = functions_of(self.starts[node].functions)
        length_ps = length.femtoseconds // _PICOSECOND_FS
        self.simulation.native.record_harts(self._number(node), length_ps, functions)

    def add_harts(self, timeline: Timeline, node: int = 0) -> None:
        """Add rows for the recorded harts of a server to a timeline that is not finished."""
        if timeline.file is not None:
            native, number = self.simulation.native, self._number(node)
            functions = functions_of(self.starts[node].functions)
            native.add_harts(timeline.file.native, number, node + 1, functions, CATEGORY_NAMES)

    def listen(self, address: str, node: int = 0) -> str:
        """Wait for a debugger of the harts of a server, which controls `run` from now on.

        Returns:
            Listening address.

        Raises:
            SpinachError: The address cannot be used.
        """
        debugger = _native.ServerDebugger.listen(self.simulation.native, self._number(node), address)
        self._debugged = DebuggedServer(self.simulation, self._outside, debugger)
        return debugger.address()

    def finish_debugging(self, code: int) -> str | None:
        """Report the end of the run to the debugger; return why the connection broke, if it did."""
        debugged, self._debugged = self._debugged, None
        return debugged.finish(code) if debugged else None

    def _number(self, node: int) -> int:
        return self.simulation.number(self._servers[node])

    def card_counters(self, node: int = 0) -> list[tuple[str, int]]:
        """Return the counters of a server's slot and of its card, since the start.

        `card_` precedes the name of a counter of the card which the slot has, too.
        """
        if (at_call := self._card_at_call.get(node)) is not None:
            return at_call
        counted, bench = self.simulation.statistics(), self._system.node[node]
        counts = {name: counted.of(bench.server, name) for name in bench.server.counters}
        for name, one in bench.inserted().probes().counters.items():
            while name in counts:
                name = f"card_{name}"
            counts[name] = counted.of(one.module, one.counter)
        return list(counts.items())

    def carried(self, node: int = 0, at: int | None = None) -> tuple[int, int]:
        """Frames and bytes that a server has put on the link since it was started or restored here.

        Args:
            node: The server.
            at: Server until whose present time they count, by default itself.
        """
        at, until = node if at is None else at, None
        if at in self._card_at_call:
            until = Time(self.cycles(at) * _FEMTOSECONDS // self.hertz(at))
        return self._carried.counts(until)[node]

    def capture(self, path: Path) -> Capture:
        """Write the frames on the link to a file (pcapng) from now on; `finish` completes it."""
        return self.simulation.capture(path, self._system.captured_ports)

    def exchanged(self, counted: Statistics, node: int) -> tuple[int, int]:
        """Return the frames that a server sent over the link, and those that came, among some counts."""
        sent, received = (counted.of(self._system.cable[end], "transfers") for end in (node, 1 - node))
        return sent, received

    def take_calls(self, node: int = 0) -> Iterator[tuple[str, str]]:
        """Take the calls of a server's guest software, oldest first.

        Until the next is taken, counts of the server, its card and its wire are those at the call.
        """
        calls, self._calls[node] = self._calls[node], []
        try:
            for call, counters in calls:
                self._at_call[node], self._card_at_call[node] = call.counts, counters
                yield call.kind, call.detail
        finally:
            self._card_at_call.pop(node, None)

    def save(self) -> bytes:
        """Return a checkpoint."""
        starts = tuple((node.files, node.arguments) for node in self._system.node)
        return SavedServers(
            version=_native.version(),
            kernel=self._system.node[0].kernel,
            starts=starts,
            state=self.simulation.checkpoint(),
            model=ComparedModel.of(self._system, self.simulation),
            cards=tuple(self.cards),
        ).packed()

    def boot(
        self,
        booting: Callable[[], ModuleServers],
        settings: Sequence[str],
        linux: Linux,
        show: Callable[[bytes], None],
    ) -> None:
        """Make the servers ready for commands: from a cached checkpoint, or else by booting and then caching.

        Args:
            booting: Returns equal servers with functional cores.
            settings: Parameters of these, with which checkpoints may differ though they fit.
            linux: Boot content.
            show: Called with the output of the first server while it boots.

        Raises:
            SpinachError: They do not become ready.
        """
        cache, key = Cache(), self.made_from(settings)
        with cache.in_use():
            found = cache.find(CHECKPOINTS, key, "checkpoint")
            if found is None:
                others = booting()
                run_until(others, linux.ready, show, range(self.nodes()))
                content = others.simulation.checkpoint()
                cache.keep(CHECKPOINTS, key, "checkpoint", content)
            else:
                content = found[1]
        self.simulation.restore(content)

    def made_from(self, settings: Sequence[str]) -> str:
        """Return the name of the checkpoint: the hash of all its sources, in hexadecimal."""
        # Modules have no version: a checkpoint belongs to the extension and the Python that made it.
        native = Path(_native.__file__).stat()
        extension = (native.st_size, native.st_mtime_ns)
        kinds = {type(part) for one in self.inserted for _, part in components_of(one.card)}
        files = {file for kind in kinds for file in python_inputs(kind) if file.is_file()}
        code = sorted(sha256_of(file.read_bytes()) for file in files)
        sources = (*extension, self.simulation.native.model(), self.cards, sorted(settings), code)
        return hashlib.sha256(repr(sources).encode()).hexdigest()

    def _receive_calls(self) -> bool:
        """Receive the calls that were exported; return true if there are any."""
        for node, (server, calls) in enumerate(zip(self._servers, self._calls, strict=True)):
            if lines := self.simulation.export(server, _CALL_LANE).splitlines():
                counters = self.card_counters(node)
                calls += [(msgspec.json.decode(line, type=_Call), counters) for line in lines]
        return any(self._calls)

    def _counts(self, node: int) -> _Counts:
        """Return the counts of a server's harts, which may be ahead of its card by `latency`."""
        if (at_call := self._at_call.get(node)) is not None:
            return at_call
        return msgspec.convert(self._state(node)["machine"], _Counts)

    def _state(self, node: int) -> dict[str, Any]:
        state: dict[str, Any] = self.simulation.state(self._servers[node])
        return state


def module_servers(
    cards: Sequence[str | Card],
    linux: Linux,
    configuration: Configuration,
    firmware: str | None = None,
    settings: Sequence[str] = (),
    *,
    link: Link | None = None,
    drivers: Sequence[Path | None] | None = (None, None),
    address: IPv4Interface | None = None,
    saved: SavedServers | None = None,
) -> ModuleServers:
    """Return servers about to boot, or restored: two joined by a cable, or one whose wire leads outside.

    Args:
        cards: Card of each server: a shipped name, a Python file, or a card that is not built yet.
        linux: Kernel and initramfs of all.
        configuration: Configuration of all servers.
        firmware: Image of the cards, or of the one with firmware, by name or as a file; the default of each
            if not given.
        settings: Parameters of servers and cards with their values, as `node[0].cores=2`.
        link: Rate of the wires and latency of the cable; by default those of the cards and of `Pair`.
        drivers: Folder of the Linux driver of each card; without one, that which the card names. `None` if
            the kernel is not that of `make linux`, and has its drivers.
        address: IP address of a single server, which its MAC address follows; 10.0.0.1/24 if not given.
        saved: Checkpoint to continue from, of equal servers and cards.

    Raises:
        SpinachError: A parameter cannot be set, a card has a wire of another rate, Linux has no driver for a
            card, its driver or firmware cannot be built, a server is too small, or the checkpoint is of
            servers with another number, configuration, card or firmware.
    """
    made = [card if isinstance(card, Card) else _card(card) for card in cards]
    if saved and len(saved.starts) != len(made):
        found = amount(len(saved.starts), "server")
        raise SpinachError(f"this is a checkpoint of {found}", f"restore it with --nodes {len(saved.starts)}")
    link = link or Link()
    link.set_rate(made)
    # An image is not for a card without firmware at the other end.
    takes = [bool(card.firmware_folder) for card in made]
    asked = [firmware if it or not any(takes) else None for it in takes]
    nodes, loaded, starts = [], [], []
    for number, card in enumerate(made):
        start = linux if drivers is None or saved else _with_own_driver(linux, card, drivers[number])
        starts.append(start)
        node, brought = _server(card, number, start, configuration, asked[number], address)
        if saved:
            saved.check_address(number, node.arguments)
            node.set("kernel", saved.kernel)
            node.set("files", saved.starts[number][0])
            node.set("arguments", saved.starts[number][1])
        nodes.append(node)
        loaded.append(brought)
    system: ServerSystem
    if len(nodes) > 1:
        system = joined(nodes[0], nodes[1])
        system.set("link_latency", link.latency)
    else:
        system = wired(nodes[0])
    for setting in settings:
        path, equals, value = setting.partition("=")
        if not equals:
            raise SpinachError(f"invalid parameter {setting!r}", "give PATH=VALUE, as node[0].card.cores=2")
        system.set(_without_card(path, made), value)
    images = [
        known_image(card, image) if node.loads_firmware else choose_image(card, image)
        for node, card, image in zip(nodes, made, asked, strict=True)
    ]
    for number, (card, image) in enumerate(zip(made, images, strict=True)):
        if image is not None:
            card.set("image", image.executable)
        if image is not None and not nodes[number].loads_firmware:
            check_firmware(card)
            loaded[number] = DriverFirmware(image.firmware.name, image.firmware.sha256)
    simulation = simulate(system)
    link.check_rate(made)
    for node, card, image in zip(nodes, made, images, strict=True):
        if image is not None and not node.loads_firmware:
            load_image(simulation, image.executable, card)
    names = map(name_of, cards)
    described = [InsertedCard(name, firmware=image) for name, image in zip(names, loaded, strict=True)]
    if saved:
        saved.restore(simulation, ComparedModel.of(system, simulation), described)
    inserted = [Inserted(card, image) for card, image in zip(made, images, strict=True)]
    return ModuleServers(system, simulation, described, inserted, starts)


def _without_card(path: str, cards: Sequence[Card]) -> str:
    """Return the path of a parameter without the word `card` before a parameter of that card.

    A part of a card may have this name, too, such as the chip of `tigon2`.
    """
    found = re.fullmatch(r"(node\[([01])\]\.)card\.(\w+)", path)
    if not found or int(found[2]) >= len(cards):
        return path
    return found[1] + found[3] if found[3] in cards[int(found[2])].declarations else path


def _card(name: str) -> Card:
    found = find_nic(name)
    with user_code():
        card = found()
    if not isinstance(card, Card):
        raise SpinachError(f"{name} defines a bench", "give the card in it to the server")
    return card


def _with_own_driver(linux: Linux, card: Card, given: Path | None) -> Linux:
    """Return the kernel with the driver in a folder, or with that of a card which brings its sources."""
    driver = linux_driver(card)
    own = shipped_root() / driver.sources if driver.sources and driver.module != RINGS.module else None
    sources = given or own
    return with_driver(linux, sources) if sources else linux


def _server(
    card: Card,
    number: int,
    linux: Linux,
    configuration: Configuration,
    firmware: str | None,
    address: IPv4Interface | None,
) -> tuple[ServerBench, DriverFirmware | None]:
    """Return a server with a card; its initramfs holds the firmware that the driver loads, if any."""
    address = address or IPv4Interface(f"{address_of(number)}/24")
    # Servers with the addresses of a pair have its MAC addresses, too.
    last_byte = bytes([(address.ip.packed[-1] - 1) & 0xFF])
    driver = linux_driver(card)
    if "mac_address" in card.declarations:
        card.set("mac_address", card.parameters["mac_address"][:-1] + last_byte)
    loaded = None
    if driver.firmware_file:
        with temporary_folder() as folder:
            container = container_of(card, firmware, folder).read_bytes()
        linux = with_firmware(linux, driver.firmware_file, container)
        loaded = DriverFirmware(driver.firmware_file, sha256_of(container))
    bench = ServerBench(
        kernel=linux.kernel,
        files=linux.files,
        arguments=" ".join([*linux.words_of(number), f"address={address}"]),
        harts=configuration.harts,
        hart_clock=configuration.clock_of(number),
        memory=configuration.memory,
        mac_address=LOCAL_ADDRESS + last_byte,
    )
    bench.insert(card)
    return bench, loaded
