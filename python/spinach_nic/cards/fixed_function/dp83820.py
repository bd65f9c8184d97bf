"""A driver model of the DP83820, with rings of descriptors in host memory as `ns83820` of Linux has them."""

from __future__ import annotations

import struct
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

from spinach_nic.cards.base.drivers import ProgramDriver
from spinach_nic.cards.drivers import (
    Host,
    Operation,
    Program,
    read,
    send,
    wait,
    write,
    write_configuration,
)
from spinach_nic.model import parameter
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import MiB
from spinach_nic.traffic import FramePlan

if TYPE_CHECKING:  # the generator of the library runs while a class of it is missing
    from spinach_nic.cards.base.faces import Bus
    from spinach_nic.library import ScriptedHost

REGION = 0xE000_0000
"""Base address that the host gives the window of registers, base address register 1."""
BASE_ADDRESS_1, COMMAND_REGISTER, MEMORY_AND_MASTER = 0x14, 0x04, 6
COMMAND, CONFIG, STATUS, MASK, ENABLE = 0x00, 0x04, 0x10, 0x14, 0x18
TX_POINTER, RX_POINTER, RX_CONFIG, RX_FILTER = 0x20, 0x30, 0x38, 0x48
TX_START, RX_START = 1 << 0, 1 << 2
LONG_ADDRESSES = 1 << 11
"""Descriptors have addresses of 64 bits."""
STRIP_CHECK_SEQUENCE = 1 << 29
ACCEPT_ALL = 0xF000_0000
"""Filter enabled; broadcasts, multicasts and all other addresses accepted."""
RX_DESCRIPTOR, RX_IDLE, RX_OVERRUN, TX_DESCRIPTOR = 1 << 1, 1 << 4, 1 << 5, 1 << 7
OWN, INTERRUPT, LENGTH = 1 << 31, 1 << 29, 0xFFFF
"""Bits of a descriptor's status. `OWN` is set while the card sends, and when it has received."""
DESCRIPTOR_BYTES, STATUS_OFFSET = 24, 16
SMALLEST_BUFFER_BYTES = 2048
"""Size of the buffers, unless the card passes longer frames."""
ALIGNMENT = 64
"""Alignment of buffers and rings in host memory."""
HIGH = 4
"""Offset of the upper half of a pointer to descriptors."""

Steps = Generator[Operation | Sequence[Operation], Any, Any]


class Ring:
    """Descriptors that form a circle, each with a buffer."""

    def __init__(self, host: Host, entries: int, buffer_bytes: int, status: int) -> None:
        """Write `entries` descriptors with this status and with buffers of this size."""
        self._host = host
        self.first = host.allocate(DESCRIPTOR_BYTES * entries)
        self.buffers = [host.allocate(buffer_bytes) for _ in range(entries)]
        host.allow_writes([(self.first, DESCRIPTOR_BYTES * entries)])
        self.entries = entries
        for number, buffer in enumerate(self.buffers):
            link = self.first + DESCRIPTOR_BYTES * ((number + 1) % entries)
            host.store(self._place(number), struct.pack("<QQII", link, buffer, status, 0))

    def status(self, number: int) -> int:
        """Return the status of a descriptor."""
        return self._host.load_word(self._place(number) + STATUS_OFFSET)

    def set_status(self, number: int, status: int) -> None:
        """Write the status of a descriptor."""
        self._host.store_words(self._place(number) + STATUS_OFFSET, [status])

    def _place(self, number: int) -> int:
        return self.first + DESCRIPTOR_BYTES * (number % self.entries)


def _point(register: int, address: int) -> list[Operation]:
    """Write a pointer to descriptors, the upper half last."""
    return [write(REGION + register, address & 0xFFFF_FFFF), write(REGION + register + HIGH, address >> 32)]


class Dp83820Driver(ProgramDriver):
    """Driver that sends from one ring and receives into another."""

    ring_entries: int = parameter(default=64, range=(2, 1024), doc="Descriptors of each ring.")

    @property
    def buffer_bytes(self) -> int:
        """Size of a buffer. A frame that is a byte too long fits, too: it is dropped whole."""
        longest: int = self.card.largest_frame
        return min(max(SMALLEST_BUFFER_BYTES, longest + 1), LENGTH)

    def make_host(self, bus: Bus, tx: FramePlan, rx: FramePlan) -> ScriptedHost:
        """Make the host that the program runs on.

        Raises:
            SpinachError: Its memory is too small for the rings.
        """
        of_descriptors, of_buffer = (
            -(-size // ALIGNMENT) * ALIGNMENT
            for size in (DESCRIPTOR_BYTES * self.ring_entries, self.buffer_bytes)
        )
        needed = 2 * (of_descriptors + self.ring_entries * of_buffer)
        if needed > self.host_memory.bytes:
            what = f"two rings of {self.ring_entries} buffers of {self.buffer_bytes} bytes"
            least = MiB(-(-needed // MiB(1).bytes))
            raise SpinachError(
                f"host_memory = {self.host_memory} is too small for {what}",
                f"set host_memory to at least {least}, or reduce ring_entries or largest_frame",
            )
        return super().make_host(bus, tx, rx)

    def program(self, host: Host) -> Program:
        """Start the card, then send and receive forever."""
        outward = Ring(host, self.ring_entries, self.buffer_bytes, 0)
        inward = Ring(host, self.ring_entries, self.buffer_bytes, INTERRUPT | self.buffer_bytes)
        host.allow_writes((buffer, self.buffer_bytes) for buffer in inward.buffers)
        yield [
            write_configuration(BASE_ADDRESS_1, REGION),
            write_configuration(COMMAND_REGISTER, MEMORY_AND_MASTER, size=2),
            *_point(TX_POINTER, outward.first),
            *_point(RX_POINTER, inward.first),
            write(REGION + RX_CONFIG, STRIP_CHECK_SEQUENCE),
            write(REGION + RX_FILTER, ACCEPT_ALL),
            write(REGION + MASK, RX_DESCRIPTOR | RX_IDLE | RX_OVERRUN | TX_DESCRIPTOR),
            write(REGION + ENABLE, 1),
        ]
        configured = yield read(REGION + CONFIG)
        yield [write(REGION + CONFIG, configured | LONG_ADDRESSES), write(REGION + COMMAND, RX_START)]
        sent = done = taken = 0
        while True:
            while done < sent and not outward.status(done) & OWN:
                done += 1
            free = [number % self.ring_entries for number in range(sent, done + self.ring_entries - 1)]
            count = yield from self._send(outward, free)
            sent += count
            received = yield from self._receive(inward, taken)
            taken += received
            if not count and not received:
                yield wait(for_interrupt=True, for_frame=sent - done < self.ring_entries - 1)
                yield read(REGION + STATUS)

    def _send(self, ring: Ring, free: Sequence[int]) -> Steps:
        """Send the frames that are due, as many as descriptors are free; return how many."""
        if not free:
            return 0
        buffers = [ring.buffers[number] for number in free]
        lengths = yield [send(buffer, buffer, 0) for buffer in buffers]
        due = [(number, length) for number, length in zip(free, lengths, strict=True) if length]
        for number, length in due:
            ring.set_status(number, OWN | INTERRUPT | length)
        if due:
            yield write(REGION + COMMAND, TX_START)
        return len(due)

    def _receive(self, ring: Ring, first: int) -> Steps:
        """Take received frames, and give their buffers back; return how many."""
        numbers: list[int] = []
        while len(numbers) < ring.entries and ring.status(first + len(numbers)) & OWN:
            numbers.append(first + len(numbers))
        if not numbers:
            return 0
        yield [
            self.take_or_drop(ring.buffers[number % ring.entries], ring.status(number) & LENGTH)
            for number in numbers
        ]
        for number in numbers:
            ring.set_status(number, INTERRUPT | self.buffer_bytes)
        yield write(REGION + COMMAND, RX_START)
        return len(numbers)
