"""The Tigon-2 card of a guest: Linux drives it with its own driver."""

from __future__ import annotations

from spinach_nic.library import GuestHost, LiveWire
from spinach_nic.nics.attached import AttachedCard
from spinach_nic.nics.tigon2.card import Tigon2Card


class AttachedTigon2(AttachedCard):
    """The card between a guest and a wire outside."""

    nic = "tigon2"
    summary = "Tigon-2 gigabit NIC, for the driver acenic of Linux"
    driver = "acenic"
    firmware_name = "acenic/tg2.bin"
    default_firmware = "tigon2/parallel"

    def build(self) -> None:
        """Put the card between the two."""
        self.card = Tigon2Card()
        self.host = GuestHost(clock=self.card.pci_clock)
        self.wire = LiveWire(clock=self.card.mac_clock)
        self.host.configuration >> self.card.configuration
        self.host.access >> self.card.target
        self.card.host_memory >> self.host.memory
        self.card.interrupt >> self.host.interrupt
        self.host.reset >> self.card.reset
        self.wire.sent >> self.card.received
        self.card.sent >> self.wire.received
        self.card.link_up >> self.wire.link_up

    def ends(self) -> tuple[GuestHost, LiveWire]:
        """The guest's host, and the wire."""
        return self.host, self.wire
