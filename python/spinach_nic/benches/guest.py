"""Bench with a guest at the bus and a device of this machine at the wire."""

from __future__ import annotations

from collections.abc import Mapping

from spinach_nic.benches.base import Bench, BenchProbes, FramePath
from spinach_nic.benches.pci import pci_function
from spinach_nic.cards.base.card import Card
from spinach_nic.cards.base.drivers import LinuxDriver
from spinach_nic.library import GuestHost, LiveWire
from spinach_nic.model import Port, parameter
from spinach_nic.support.errors import SpinachError


class GuestBench(Bench):
    """A card in the slot of a guest outside of the simulation."""

    has_driver_model = False

    name: str = parameter(default="", kind="object", doc="Name of the card in results.")

    def build(self) -> None:
        """Connect the guest and the wire."""
        card = self.inserted()
        check_length(card, linux_driver(card))
        bus, (wire, *others) = pci_function(self, card), self.wires()
        self.host = GuestHost(clock=bus.clock)
        self.wire = LiveWire(clock=wire.clock)
        self.host.configuration >> bus.configuration
        self.host.access >> bus.access
        bus.memory >> self.host.memory
        bus.interrupt >> self.host.interrupt
        self.host.reset >> bus.reset
        self.wire.sent >> wire.received
        wire.sent >> self.wire.received
        wire.link_up >> self.wire.link_up
        self.close_wires(others)

    @property
    def loads_firmware(self) -> bool:
        """True if the driver of the guest loads the firmware."""
        return bool(linux_driver(self.inserted()).firmware_file)

    def probes(self) -> BenchProbes:
        """Return the points at which the card is measured."""
        card = self.inserted()
        within = card.probes()
        drops = self.link_partners
        tx = FramePath.through(within.tx, source=self.host, sink=self.wire, capture=None, drops=drops)
        rx = FramePath.through(within.rx, source=self.wire, sink=self.host, capture=None)
        return BenchProbes.of(card, tx=tx, rx=rx)

    def captured_ports(self) -> Mapping[str, Port | None]:
        """Return the ports at which frames leave the card for the wire, and come from there."""
        wire = self.wires()[0]
        return {"wire out": wire.captured, "wire in": wire.received}


def linux_driver(card: Card) -> LinuxDriver:
    """Return the Linux driver of a card.

    Raises:
        SpinachError: It has none.
    """
    if card.linux_driver is None:
        message = f"{type(card).__name__} has no Linux driver"
        raise SpinachError(message, "set its linux_driver; the default is the driver of cards with a RingBus")
    return card.linux_driver


def check_length(card: Card, driver: LinuxDriver) -> None:
    """Check that the driver has buffers for the longest frame.

    Raises:
        SpinachError: Its buffers are too small.
    """
    if card.largest_frame > driver.largest_frame:
        longest = driver.largest_frame
        message = f"largest_frame = {card.largest_frame}: the driver {driver.module} takes at most {longest}"
        raise SpinachError(message, f"set largest_frame to at most {longest}")


def check_firmware(card: Card) -> None:
    """Check that the card's firmware is for its Linux driver.

    Raises:
        SpinachError: It is for another driver.
    """
    starts = linux_driver(card).starts
    if card.image is not None and starts and starts not in card.image.symbols:
        message = f"{card.image.path.name} needs a driver other than that of a guest"
        raise SpinachError(message, "give a guest the firmware base, split or nat")
