"""PCI functions of cards: their own, or one around a card that works on rings in host memory."""

from __future__ import annotations

from spinach_nic.benches.base import Bench
from spinach_nic.cards.base.card import Card
from spinach_nic.cards.base.faces import PciBus, RingBus
from spinach_nic.library import AddressMap, InterruptLatch, PciDevice
from spinach_nic.model import Component, parameter
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Size

ETHERNET = 0x020000
"""Class of an Ethernet controller."""
VENDOR = 0x1234
RING_DEVICE = 0x0405
REGISTERS_BYTES = 0x100


class RingFunction(Component):
    """PCI function of a card that works on rings in host memory.

    Its window, base address register 0, has two halves: the memory of the card that its driver writes, and
    the registers of an interrupt latch.
    """

    device: int = parameter(doc="Device number in configuration space.")
    base: int = parameter(doc="First address of the card that the host reaches.")
    size: Size = parameter(doc="Size of that memory, at most half of the window.")
    window: Size = parameter(doc="Size of the window, a power of two.")

    def build(self) -> None:
        """Put the window in front of the memory and the latch."""
        self.pci = PciDevice(
            vendor=VENDOR,
            device=self.device,
            class_code=ETHERNET,
            window=self.window,
            local_base=self.base,
        )
        self.map = AddressMap(
            bases=(self.base, self.base + self.window.bytes // 2),
            sizes=(self.size.bytes, REGISTERS_BYTES),
            subtract_base=False,
        )
        self.latch = InterruptLatch()
        self.pci.local >> self.map.initiator
        self.memory = self.map.target[0]
        self.map.target[1] >> self.latch.registers
        self.latch.level >> self.pci.written


def pci_function(bench: Bench, card: Card) -> PciBus:
    """Return the PCI function of a card, which is made as the part `function` of `bench` if it has none.

    Raises:
        SpinachError: The card has no bus that a PCI function fits.
    """
    bus = card.faces().bus
    if isinstance(bus, PciBus):
        return bus
    if not isinstance(bus, RingBus) or not bus.memory_window or bus.interrupt is None:
        message = f"{type(card).__name__} has no PCI function, and no rings behind which one could be made"
        raise SpinachError(
            message, "give its faces() a PciBus, or a RingBus with memory_window and interrupt"
        )
    size = len(bus.memory_window)
    function = RingFunction(
        clock=bus.clock,
        device=RING_DEVICE,
        base=bus.memory_window.start,
        size=Size(size),
        window=Size(2 << (size - 1).bit_length()),
    )
    bench.function = function
    function.memory >> bus.access
    bus.memory >> function.pci.dma
    bus.interrupt >> function.latch.raised
    if bus.others is not None:
        function.pci.carried >> bus.others
    return PciBus(
        clock=bus.clock,
        configuration=function.pci.configuration,
        access=function.pci.target,
        memory=function.pci.memory,
        interrupt=function.pci.interrupt,
        reset=function.pci.reset,
    )
