"""Servers in a simulation of modules: joined by their cards, and for a console."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spinach_nic.benches import find_nic, name_of
from spinach_nic.benches.guest import check_firmware, linux_driver
from spinach_nic.benches.pair import Pair, joined
from spinach_nic.benches.server import ServerBench, with_firmware
from spinach_nic.cards.base.card import Card
from spinach_nic.cards.base.drivers import RINGS
from spinach_nic.firmware.description import shipped_root
from spinach_nic.model.simulation import Simulation, simulate
from spinach_nic.runs.assembly import resolved_configuration
from spinach_nic.runs.guest.guests import container_of
from spinach_nic.runs.guest.result import DriverFirmware
from spinach_nic.runs.images import choose_image, load_image
from spinach_nic.runs.result import Setting
from spinach_nic.runs.server_result import ServerResult, sha256_of
from spinach_nic.servers import Configuration, address_of
from spinach_nic.servers.drivers import with_driver
from spinach_nic.servers.linux import Linux
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import temporary_folder
from spinach_nic.support.location import user_code
from spinach_nic.support.units import Time

LOCAL_ADDRESS = bytes([0x02, 0x53, 0x50, 0x4E, 0x43])
"""First bytes of locally administered MAC addresses; the last is the number of the server."""
_FEMTOSECONDS = 10**15
"""Femtoseconds per second."""


class ModuleServers:
    """Servers that are modules of a simulation, for `console.converse`."""

    def __init__(
        self,
        pair: Pair,
        simulation: Simulation,
        cards: Sequence[tuple[str, DriverFirmware | None]],
        configuration: Configuration,
    ) -> None:
        """Take both servers of a simulation, and the name and firmware of the card of each."""
        self.simulation = simulation
        self._pair = pair
        self._servers = [node.server for node in pair.node]
        self._cards = cards
        self._hertz = configuration.clocks_hz[0]
        self._off = 0

    def nodes(self) -> int:
        """Return the number of servers."""
        return len(self._servers)

    def run(self, cycles: int) -> str:
        """Run for a number of cycles of the harts. Return "time", or "off" if all are switched off.

        Raises:
            SpinachError: A server or a card has failed.
        """
        end = self.simulation.now + Time(cycles * _FEMTOSECONDS // self._hertz)
        while self._off < len(self._servers):
            outcome = self.simulation.run(end - self.simulation.now)
            if outcome.reason == "stopped":
                raise SpinachError(outcome.details, "see its previous output")
            if outcome.reason != "paused":
                return "time"
            self._off += 1
        return "off"

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
        """Cycles of the harts since the start, and how many of these are a second."""
        return self.simulation.now.femtoseconds * self._hertz // _FEMTOSECONDS, self._hertz

    def config(self) -> Mapping[str, Setting]:
        """Return every parameter of servers and cards, by path."""
        return resolved_configuration(self._pair, self.simulation)

    def instructions(self) -> int:
        """Return the instructions of all harts since the start."""
        return sum(self._machine(node)["instructions"] for node in range(self.nodes()))

    def timing(self, node: int = 0) -> dict[str, int] | None:
        """Return the counts of a server's timed cores since the start; `None` for functional cores."""
        counted: dict[str, int] | None = self._machine(node)["timing"]
        return counted

    def _machine(self, node: int) -> dict[str, Any]:
        """Return the counts of a server's harts, which may be ahead of its card by `latency`."""
        machine: dict[str, Any] = self.simulation.state(self._servers[node])["machine"]
        return machine

    def results(self) -> tuple[ServerResult, ...]:
        """Return the counts of each server."""
        counted = self.simulation.statistics()
        return tuple(
            ServerResult(
                clock_hz=self._hertz,
                cycles=self.time()[0],
                card=card,
                firmware=firmware,
                counters={
                    **{name: counted.of(node.server, name) for name in node.server.counters},
                    **{
                        name: counted.of(counter.module, counter.counter)
                        for name, counter in node.inserted().probes().counters.items()
                    },
                },
                sent_frames=counted.of(cable, "transfers"),
                sent_bytes=None,
                timing=self.timing(number),
            )
            for number, (node, cable, (card, firmware)) in enumerate(
                zip(self._pair.node, self._pair.cable, self._cards, strict=True)
            )
        )


def joined_servers(
    cards: tuple[str | Card, str | Card],
    linux: Linux,
    configuration: Configuration,
    firmware: str | None = None,
    settings: Sequence[str] = (),
    *,
    drivers: tuple[Path | None, Path | None] | None = (None, None),
) -> ModuleServers:
    """Return two servers about to boot, joined by a cable between their cards.

    Args:
        cards: Card of each server: a shipped name, a Python file, or a card that is not built yet.
        linux: Kernel and initramfs of both.
        configuration: Configuration of both servers.
        firmware: Image of both cards by name, or a file; the default of each if not given.
        settings: Parameters of servers and cards with their values, as `node[0].cores=2`.
        drivers: Folder of the Linux driver of each card; without one, that which the card names. `None` if
            the kernel is not that of `make linux`, and has its drivers.

    Raises:
        SpinachError: A parameter cannot be set, Linux has no driver for a card, its driver or firmware cannot
            be built, or a server is too small.
    """
    made = [card if isinstance(card, Card) else _card(card) for card in cards]
    nodes, loaded = [], []
    for number, card in enumerate(made):
        start = linux if drivers is None else _with_own_driver(linux, card, drivers[number])
        node, brought = _server(card, number, start, configuration, firmware)
        nodes.append(node)
        loaded.append(brought)
    pair = joined(nodes[0], nodes[1])
    for setting in settings:
        path, equals, value = setting.partition("=")
        if not equals:
            raise SpinachError(f"invalid parameter {setting!r}", "give PATH=VALUE, as node[0].cores=2")
        pair.set(path, value)
    images = [
        None if node.loads_firmware else choose_image(card, firmware)
        for node, card in zip(nodes, made, strict=True)
    ]
    for number, (card, image) in enumerate(zip(made, images, strict=True)):
        if image is not None:
            card.set("image", image.executable)
            check_firmware(card)
            loaded[number] = DriverFirmware(image.firmware.name, image.firmware.sha256)
    simulation = simulate(pair)
    for card, image in zip(made, images, strict=True):
        if image is not None:
            load_image(simulation, image.executable, card)
    names = map(name_of, cards)
    return ModuleServers(pair, simulation, list(zip(names, loaded, strict=True)), configuration)


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
    card: Card, number: int, linux: Linux, configuration: Configuration, firmware: str | None
) -> tuple[ServerBench, DriverFirmware | None]:
    """Return a server with a card; its initramfs holds the firmware that the driver loads, if any."""
    driver = linux_driver(card)
    if "mac_address" in card.declarations:
        address = card.parameters["mac_address"]
        card.set("mac_address", address[:-1] + bytes([number]))
    loaded = None
    if driver.firmware_file:
        with temporary_folder() as folder:
            container = container_of(card, firmware, folder).read_bytes()
        linux = with_firmware(linux, driver.firmware_file, container)
        loaded = DriverFirmware(driver.firmware_file, sha256_of(container))
    bench = ServerBench(
        kernel=linux.kernel,
        files=linux.files,
        arguments=f"{linux.arguments} address={address_of(number)}/24",
        harts=configuration.harts,
        hart_clock=configuration.clocks[0],
        memory=configuration.memory,
        mac_address=LOCAL_ADDRESS + bytes([number]),
    )
    bench.insert(card)
    return bench, loaded
