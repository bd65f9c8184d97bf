"""RiceNIC in the slot of a guest: a Linux driver of ours drives it."""

from __future__ import annotations

from spinach_nic.composition import parameter
from spinach_nic.errors import SpinachError
from spinach_nic.library import AddressMap, GuestHost, InterruptLatch, LiveWire, PciDevice
from spinach_nic.nics.attached import AttachedCard
from spinach_nic.nics.base import FramePath, Probes
from spinach_nic.nics.ricenic.board import RicenicBoard
from spinach_nic.nics.ricenic.registers import (
    BLOCK_BYTES,
    HOST_REGISTERS,
    HOST_WINDOW_BYTES,
    PCI_DEVICE,
    PCI_VENDOR,
    QUEUE_ENTRIES,
    SRAM,
    SRAM_BYTES,
)
from spinach_nic.units import Gbps

ETHERNET = 0x020000
"""The class of an Ethernet controller."""
BUFFER = 1518
"""Bytes of each of the driver's receive buffers, less a check sequence."""
HOST_START = "host_start"
"""The function of the firmware that waits for the rings of a driver."""


class AttachedRicenic(AttachedCard, RicenicBoard):
    """The card between a guest and a wire outside, with firmware in place.

    On the PCI bus it has a window, base address register 0, with the SRAM and behind it the registers of the
    host; and an interrupt line, asserted from an interrupt on until the host has seen it.
    """

    nic = "ricenic"
    summary = "RiceNIC, for a driver of Spinach"
    driver = "ricenic"
    driver_sources = "linux/ricenic"
    default_firmware = "base"

    largest_frame: int = parameter(
        default=1514,
        range=(60, BUFFER),
        unit="bytes",
        doc="The longest frame that is received, without check sequence.",
    )

    def build(self) -> None:
        """Put the card between the two."""
        card = self.card = self.make_card()
        clock = card.pci_clock
        self.pci = PciDevice(
            clock=clock,
            vendor=PCI_VENDOR,
            device=PCI_DEVICE,
            class_code=ETHERNET,
            window=HOST_WINDOW_BYTES,
            local_base=SRAM,
        )
        self.window = AddressMap(
            clock=clock,
            bases=(SRAM, SRAM + HOST_REGISTERS),
            sizes=(SRAM_BYTES.bytes, BLOCK_BYTES),
            subtract_base=False,
        )
        self.latch = InterruptLatch(clock=clock)
        self.host = GuestHost(clock=clock)
        self.wire = LiveWire(clock=card.mac_clock)
        self.host.configuration >> self.pci.configuration
        self.host.access >> self.pci.target
        self.pci.local >> self.window.initiator
        self.window.target >> card.programmed
        self.window.target >> self.latch.registers
        card.host_memory >> self.pci.dma
        self.pci.memory >> self.host.memory
        self.pci.carried >> card.pci.others
        card.interrupt >> self.latch.raised
        self.latch.level >> self.pci.written
        self.pci.interrupt >> self.host.interrupt
        self.host.reset >> self.pci.reset
        self.wire.sent >> card.received
        card.sent >> self.wire.received
        card.link_up >> self.wire.link_up

    def check_firmware(self) -> None:
        """See that the firmware is for one driver.

        Raises:
            SpinachError: It is for a hypervisor, which the guest has not.
        """
        if self.image is not None and HOST_START not in self.image.symbols:
            message = f"{self.image.path.name} waits for another driver than that of a guest"
            raise SpinachError(message, "give a guest the firmware base, split or nat")

    def ends(self) -> tuple[GuestHost, LiveWire]:
        """The guest's host, and the wire."""
        return self.host, self.wire

    def probes(self) -> Probes:
        """Where firmware is loaded."""
        return Probes(
            link_rate=Gbps(1),
            tx=FramePath(source=self.host, sink=self.wire, depth=QUEUE_ENTRIES),
            rx=FramePath(source=self.wire, sink=self.host, depth=QUEUE_ENTRIES),
            console=self.card.uart,
            cores=tuple(processor.model for processor in self.card.processor),
            memories=self.memories(self.card),
        )
