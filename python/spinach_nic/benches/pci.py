"""PCI functions of cards: their own, or one around a card that works on rings in host memory."""

from __future__ import annotations

from spinach_nic.benches.base import Bench
from spinach_nic.cards.base.card import Card
from spinach_nic.cards.base.faces import PciBus, RingBus
from spinach_nic.library import AddressMap, InterruptLatch, MultiportedMemory, PciDevice
from spinach_nic.model import Component, parameter
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import B, Size

ETHERNET = 0x020000
"""Class of an Ethernet controller."""
VENDOR = 0x1234
"""Vendor in configuration space: a number that emulators use and no maker of cards has."""
RING_DEVICE = 0x0405
REGISTERS_BYTES = 0x100
LATCH_WORDS = {
    "status": "bit 0: the card has raised an interrupt; writing 1 clears it",
    "enabled": "bit 0: the interrupt line follows the status",
}
"""Registers of the interrupt latch, in order."""
DESCRIPTION_OFFSET = REGISTERS_BYTES
"""Offset of the card's description in the upper half of the window."""
DESCRIPTION_MAGIC = 0x53504E52
DESCRIPTION_WORDS = {
    "magic": "RING_DESCRIPTION_MAGIC",
    "configuration": "offset of struct host_rings in the window",
    "send_mailbox": "offset of the number of descriptors to send",
    "receive_mailbox": "offset of the number of buffers for received frames",
    "first_index": "first value of all indices; unless it is 0 the driver writes it to both mailboxes first",
    "flags": "RING_ONE_BUFFER, RING_CHECKSUMS",
    "largest_frame": "bytes without check sequence",
    "receive_buffer": "bytes of each buffer for received frames",
    "rate_mbps": "rate of the first wire",
    "mac_address_high": "first two bytes of the MAC address; the address is 0 if the driver chooses one",
    "mac_address_low": "last four bytes",
    "reset": "offset of the word whose write resets the firmware; 0 if the driver cannot reset it",
    "content_bytes": "memory of the card for content that it sends again; 0 if it keeps none",
}
"""Big-endian words of the description, in order."""
FLAGS = {
    "ONE_BUFFER": (1, "each frame to send is in one buffer"),
    "CHECKSUMS": (2, "the card computes checksums of frames to send, and verifies received ones"),
}
NO_ADDRESS = bytes(6)


class RingFunction(Component):
    """PCI function of a card that works on rings in host memory.

    Its window, base address register 0, has two halves: the memory of the card that its driver writes; the
    registers of an interrupt latch, and the description by which one driver finds the rings of any card.
    """

    device: int = parameter(doc="Device number in configuration space.")
    base: int = parameter(doc="First address of the card that the host reaches.")
    size: Size = parameter(doc="Size of that memory, at most half of the window.")
    window: Size = parameter(doc="Size of the window, a power of two.")
    description: bytes = parameter(kind="bytes", doc="Description of the card.")

    def build(self) -> None:
        """Put the window in front of the memory and the latch."""
        self.pci = PciDevice(
            vendor=VENDOR,
            device=self.device,
            class_code=ETHERNET,
            window=self.window,
            local_base=self.base,
        )
        registers = self.base + self.window.bytes // 2
        described = registers + DESCRIPTION_OFFSET
        self.map = AddressMap(
            bases=(self.base, registers, described),
            sizes=(self.size.bytes, REGISTERS_BYTES, len(self.description)),
            subtract_base=False,
        )
        self.latch = InterruptLatch()
        self.described = MultiportedMemory(
            base=described, size=B(len(self.description)), contents=self.description
        )
        self.pci.local >> self.map.initiator
        self.memory = self.map.target[0]
        self.map.target[1] >> self.latch.registers
        self.map.target[2] >> self.described.port
        self.latch.level >> self.pci.written


def description(card: Card, bus: RingBus, mac_address: bytes = NO_ADDRESS) -> bytes:
    """Return the description of a card that works on rings."""
    start, flags = bus.memory_window.start, 0
    if bus.header_bytes == 0:
        flags |= FLAGS["ONE_BUFFER"][0]
    if bus.computes_checksums:
        flags |= FLAGS["CHECKSUMS"][0]
    values = {
        "magic": DESCRIPTION_MAGIC,
        "configuration": bus.configuration - start,
        "send_mailbox": bus.send_mailbox - start,
        "receive_mailbox": bus.receive_mailbox - start,
        "first_index": bus.first_index,
        "flags": flags,
        "largest_frame": card.largest_frame,
        "receive_buffer": bus.receive_buffer.bytes,
        "rate_mbps": card.faces().link_rates[0].bits_per_second // 1_000_000,
        "mac_address_high": int.from_bytes(mac_address[:2], "big"),
        "mac_address_low": int.from_bytes(mac_address[2:], "big"),
        "reset": 0 if bus.reset is None else bus.reset - start,
        "content_bytes": bus.content.bytes,
    }
    return b"".join(values[name].to_bytes(4, "big") for name in DESCRIPTION_WORDS)


def pci_function(bench: Bench, card: Card, mac_address: bytes = NO_ADDRESS) -> PciBus:
    """Return the PCI function of a card, which is made as the part `function` of `bench` if it has none.

    Args:
        bench: Owner of the function.
        card: Card that works on rings, or has a function itself.
        mac_address: MAC address for a card that works on rings; by default its driver chooses one.

    Raises:
        SpinachError: The card has no bus that a PCI function fits.
    """
    bus = card.faces().bus
    if isinstance(bus, PciBus):
        return bus
    if bus is None:
        raise SpinachError(f"{type(card).__name__} has no bus", "give it traffic at its wires: spinach run")
    if not isinstance(bus, RingBus) or not bus.memory_window or bus.interrupt is None:
        message = f"{type(card).__name__} has no PCI function, and no rings to build one from"
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
        description=description(card, bus, mac_address),
    )
    bench.function = function
    function.memory >> bus.access
    bus.memory >> function.pci.dma
    bus.interrupt >> function.latch.raised
    if bus.others is not None:
        function.pci.carried >> bus.others
    return PciBus.of(function.pci, bus.clock)
