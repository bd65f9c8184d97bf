"""Servers in a simulation of modules: joined by their cards, and for a console."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.benches import find_nic
from spinach_nic.benches.guest import check_firmware, linux_driver
from spinach_nic.benches.pair import Pair, joined
from spinach_nic.benches.server import ServerBench, with_firmware
from spinach_nic.cards.base.card import Card
from spinach_nic.library import Server
from spinach_nic.model.simulation import Simulation, simulate
from spinach_nic.runs.attaching.guests import container_of
from spinach_nic.runs.images import choose_image, load_image
from spinach_nic.servers import Configuration, address_of
from spinach_nic.servers.linux import Linux
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import temporary_folder
from spinach_nic.support.location import user_code
from spinach_nic.support.units import Frequency, Time

_FEMTOSECONDS = 10**15
"""In a second."""


class ModuleServers:
    """Servers that are modules of a simulation, for `console.converse`."""

    def __init__(self, simulation: Simulation, servers: Sequence[Server], clock: Frequency) -> None:
        """Servers of a simulation, whose harts have this clock."""
        self._simulation = simulation
        self._servers = servers
        self._hertz = int(clock.hertz)
        self._off = 0

    def nodes(self) -> int:
        """Return the number of servers."""
        return len(self._servers)

    def run(self, cycles: int) -> str:
        """Run for a number of cycles of the harts; "time", or "off" if all have switched themselves off.

        Raises:
            SpinachError: A server or a card has failed.
        """
        end = self._simulation.now + Time(cycles * _FEMTOSECONDS // self._hertz)
        while self._off < len(self._servers):
            outcome = self._simulation.run(end - self._simulation.now)
            if outcome.reason == "stopped":
                raise SpinachError(outcome.details, "see what it printed before")
            if outcome.reason != "paused":
                return "time"
            self._off += 1
        return "off"

    def take_output(self, node: int = 0) -> bytes:
        """Take what a server printed."""
        return self._simulation.hand_out(self._servers[node])

    def type_in(self, characters: bytes, node: int = 0) -> None:
        """Type at a server's console."""
        self._simulation.hand_in(self._servers[node], characters)

    def unread(self) -> int:
        """Return the number of typed characters not read yet, which is unknown for modules."""
        return 0

    def time(self) -> tuple[int, int]:
        """Cycles of the harts since the start, and how many of these are a second."""
        return self._simulation.now.femtoseconds * self._hertz // _FEMTOSECONDS, self._hertz


def joined_servers(
    cards: tuple[str | Card, str | Card],
    linux: Linux,
    configuration: Configuration,
    firmware: str | None = None,
) -> tuple[Pair, Simulation]:
    """Return two servers about to boot, joined by a cable between their cards.

    Args:
        cards: Card of each server: a shipped name, a Python file, or a card that is not built yet.
        linux: Kernel and first files of both.
        configuration: Of both.
        firmware: Image of both cards by name, or a file; the default of each if not given.

    Raises:
        SpinachError: Linux has no driver for a card, its firmware cannot be built, or a server is too small.
    """
    made = [card if isinstance(card, Card) else _card(card) for card in cards]
    nodes = [_server(card, number, linux, configuration, firmware) for number, card in enumerate(made)]
    pair = joined(nodes[0], nodes[1])
    images = [
        None if node.loads_firmware else choose_image(card, firmware)
        for node, card in zip(nodes, made, strict=True)
    ]
    for card, image in zip(made, images, strict=True):
        if image is not None:
            card.set("image", image.executable)
            check_firmware(card)
    simulation = simulate(pair)
    for card, image in zip(made, images, strict=True):
        if image is not None:
            load_image(simulation, image.executable, card)
    return pair, simulation


def _card(name: str) -> Card:
    found = find_nic(name)
    with user_code():
        card = found()
    if not isinstance(card, Card):
        raise SpinachError(f"{name} defines a bench", "give the card in it to the server")
    return card


def _server(
    card: Card, number: int, linux: Linux, configuration: Configuration, firmware: str | None
) -> ServerBench:
    """Return a server with a card, and with the firmware that its driver loads among the first files."""
    driver = linux_driver(card)
    if "station" in card.declarations:
        station = card.parameters["station"]
        card.set("station", station[:-1] + bytes([number]))
    if driver.firmware_file:
        with temporary_folder() as folder:
            container = container_of(card, firmware, folder).read_bytes()
        linux = with_firmware(linux, driver.firmware_file, container)
    bench = ServerBench(
        kernel=linux.kernel,
        files=linux.files,
        arguments=f"{linux.arguments} address={address_of(number)}/24",
        harts=configuration.harts,
        hart_clock=configuration.clocks[0],
        memory=configuration.memory,
    )
    bench.insert(card)
    return bench
