"""A card on a bench: a host that does what a test says, and a network that sends a few frames."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from spinach_nic.cards.tigon2.card import Tigon2Card
from spinach_nic.cards.tigon2.registers import BYTES_STRAIGHT, HALTED, Register
from spinach_nic.library import PacketSink, ScriptedHost, TrafficSource, WireFaults
from spinach_nic.model import Component, parameter
from spinach_nic.model.simulation import Simulation, counted, simulate
from spinach_nic.support.units import KiB, Time, ms

HOST_MEMORY = 0x1_2000_0000
MEMORY_SIZE = KiB(256)
BASE = 0xE000_0000
NOTHING = 0xFFFF_FFFF
# Addresses of the rings in the card's memory.
RECEIVE_RING = 0x3000
SEND_RING = 0x2800
READ_RING = 0x4000
WRITE_RING = 0x4800
SEND_BUFFER = 0x13_3000
RECEIVE_BUFFER = 0x17_6000

Operation = tuple[int, int, int, int]


class Table(Component):
    """The card between a host and a network."""

    frames: bytes = parameter(default=b"", kind="bytes", doc="Frames that the network sends.")
    count: int = parameter(default=0, doc="Number of those frames.")
    damaged: Sequence[int] = parameter(default=(), kind="integers", doc="Numbers of damaged frames.")
    shortened: Sequence[int] = parameter(default=(), kind="integers", doc="Numbers of short frames.")
    expected: bytes = parameter(default=b"", kind="bytes", doc="Frames for the card to send.")
    memory_base: int = parameter(default=HOST_MEMORY, doc="Base address of host memory.")
    card_parameters: dict[str, Any] = parameter(default={}, kind="object", doc="Parameters of the card.")

    def build(self) -> None:
        """Connect host, card and network."""
        self.card = Tigon2Card(**self.card_parameters)
        host_clock, mac_clock = self.card.pci_clock, self.card.mac_clock
        self.host = ScriptedHost(clock=host_clock, memory_base=self.memory_base, memory_size=MEMORY_SIZE)
        self.host.configuration >> self.card.pci.configuration
        self.host.access >> self.card.pci.target
        self.card.pci.memory >> self.host.memory
        self.card.pci.interrupt >> self.host.interrupt
        self.network = TrafficSource(clock=mac_clock, frames=self.frames, count=self.count)
        self.sink = PacketSink(clock=mac_clock, frames=self.expected)
        if self.damaged or self.shortened:
            self.faults = WireFaults(clock=mac_clock, damaged=self.damaged, shortened=self.shortened)
            self.network.wire >> self.faults.input
            self.faults.output >> self.card.received
        else:
            self.network.wire >> self.card.received
        self.card.link_up >> self.network.link_up
        self.card.sent >> self.sink.wire


class Bench:
    """The running simulation, and what a driver does in it."""

    table_class = Table

    def __init__(self, **parameters: Any) -> None:
        """A card in its slot, with its memory window at `BASE` and numbers straight."""
        table = {
            name: parameters.pop(name)
            for name in ("frames", "count", "damaged", "shortened", "expected", "memory_base")
            if name in parameters
        }
        # The network begins as soon as it may, unless a test is about when.
        parameters.setdefault("negotiation", Time(0))
        self.table = self.table_class(card_parameters=parameters, **table)
        self.simulation: Simulation = simulate(self.table)
        self.card = self.table.card
        self._scripts = 0
        self.perform([(1, 0x10, BASE, 4), (1, 0x04, 0x6, 2)])
        self.write(Register.HOST_CONTROL, BYTES_STRAIGHT << 24 | BYTES_STRAIGHT)

    def perform(self, operations: Sequence[Operation]) -> list[int]:
        """Let the host do something; returns the results."""
        script = struct.pack("<Q", len(operations)) + b"".join(struct.pack("<4Q", *it) for it in operations)
        self.simulation.write(self.table.host, MEMORY_SIZE.bytes, script)
        self._scripts += 1
        outcome = self.simulation.run(ms(50), until=counted(self.table.host, "scripts", self._scripts))
        assert outcome.reason == "condition", outcome
        results = self.simulation.read(self.table.host, MEMORY_SIZE.bytes, len(script))
        return [struct.unpack_from("<Q", results, 8 + 32 * index + 24)[0] for index in range(len(operations))]

    def read(self, offset: int, size: int = 4) -> int:
        """Return the host's read of the card's window."""
        return self.perform([(2, BASE + offset, size, 0)])[0]

    def write(self, offset: int, number: int, size: int = 4) -> None:
        """Let the host write into the card's window."""
        self.perform([(3, BASE + offset, number, size)])

    def write_all(self, *pairs: tuple[int, int]) -> None:
        """Let the host write several words."""
        self.perform([(3, BASE + offset, number, 4) for offset, number in pairs])

    def wait_us(self, microseconds: float) -> None:
        """Let time pass."""
        self.simulation.run(ms(microseconds / 1000))

    def sram(self, address: int, length: int) -> bytes:
        """Return content of the SRAM."""
        size = self.card.sram_size.bytes
        return self.simulation.read(self.card.sram.contents, address % size, length)

    def set_sram(self, address: int, contents: bytes) -> None:
        """Put something into the SRAM."""
        self.simulation.write(self.card.sram.contents, address % self.card.sram_size.bytes, contents)

    def sram_word(self, address: int) -> int:
        """The word at an address of the SRAM."""
        return int.from_bytes(self.sram(address, 4), "big")

    def host_memory(self, address: int, length: int) -> bytes:
        """Return content of host memory, from `HOST_MEMORY` on."""
        return self.simulation.read(self.table.host, address - HOST_MEMORY, length)

    def set_host_memory(self, address: int, contents: bytes) -> None:
        """Put something into host memory."""
        self.simulation.write(self.table.host, address - HOST_MEMORY, contents)

    def run_program(self, words: Sequence[int], core: int = 0, at: int = 0x4000) -> None:
        """Put a program into the SRAM, and let a core run it."""
        self.set_sram(at, b"".join(word.to_bytes(4, "big") for word in words))
        state, pc = Register.CPU_STATE_A + 0x100 * core, Register.CPU_PC_A + 0x100 * core
        self.write_all((state, HALTED), (pc, at), (state, 0))

    def set_up_rings(self) -> None:
        """Lay out rings and buffers in the SRAM."""
        r = Register
        self.write_all(
            (r.RECEIVE_BUFFER_BASE, RECEIVE_BUFFER),
            (r.RECEIVE_BUFFER_PRODUCER, RECEIVE_BUFFER),
            (r.RECEIVE_BUFFER_CONSUMER, RECEIVE_BUFFER),
            (r.SEND_BUFFER_BASE, SEND_BUFFER),
            (r.SEND_BUFFER_PRODUCER, SEND_BUFFER),
            (r.SEND_BUFFER_CONSUMER, SEND_BUFFER),
            (r.RECEIVE_RING_PRODUCER, RECEIVE_RING),
            (r.RECEIVE_RING_REFERENCE, RECEIVE_RING),
            (r.RECEIVE_RING_CONSUMER, RECEIVE_RING),
            (r.SEND_RING_PRODUCER, SEND_RING),
            (r.SEND_RING_FETCHED, SEND_RING),
            (r.SEND_RING_SENT, SEND_RING),
            *[(offset, 0) for offset in (0x100, 0x104, 0x108, 0x120, 0x124, 0x128)],
        )
