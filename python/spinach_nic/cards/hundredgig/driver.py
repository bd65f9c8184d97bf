"""Driver of virtio's network device on PCI, as a program of a scripted host.

Start-up follows virtio 1.2, sections 3.1 and 4.1.4: find the capabilities, reset the device, negotiate
features, place the rings. Then the driver works as those of Linux do: an interrupt begins a period of polling
without interrupts, which ends when there is nothing to do.
"""

from __future__ import annotations

import struct
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spinach_nic.cards.base.drivers import ProgramDriver
from spinach_nic.cards.hosts import (
    DriverError,
    Host,
    Operation,
    Program,
    read,
    read_configuration,
    send,
    take,
    wait,
    write,
    write_configuration,
)
from spinach_nic.cards.hosts.operations import FRAME_DUE, INTERRUPT
from spinach_nic.cards.hundredgig.function import (
    COMMON,
    DEVICE,
    DEVICE_CONFIGURATION,
    ISR,
    NOTIFICATION,
    VENDOR,
    VENDOR_SPECIFIC,
)
from spinach_nic.cards.hundredgig.map import VIRTIO_HEADER_BYTES
from spinach_nic.cards.hundredgig.ring import SplitRing, Used
from spinach_nic.model import parameter
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import MiB, Size, Time, fs, ms, us

if TYPE_CHECKING:
    from spinach_nic.cards.hundredgig.card import Hundredgig

REGION = 0xE000_0000
"""Base address that the driver gives the card."""
COMMAND_REGISTER, BASE_ADDRESS_REGISTER, CAPABILITY_POINTER = 0x04, 0x10, 0x34
MEMORY_SPACE, BUS_MASTER = 2, 4
ACKNOWLEDGE, DRIVER, DRIVER_OK, FEATURES_OK, NEEDS_RESET = 1, 2, 4, 8, 64
RECEIVE, SEND = 0, 1
MERGED_BUFFERS, MAC, STATUS, VERSION_1 = 15, 5, 16, 32
WANTED = 1 << MERGED_BUFFERS | 1 << MAC | 1 << STATUS | 1 << VERSION_1
OPERATIONS_AT_ONCE = 1024
RESET_POLLS = 1000

Steps = Generator[Operation | Sequence[Operation], Any, Any]


class _Common:
    """Offsets of the common configuration (virtio 1.2, section 4.1.4.3)."""

    FEATURE_SELECT, FEATURE, DRIVER_FEATURE_SELECT, DRIVER_FEATURE = 0x00, 0x04, 0x08, 0x0C
    STATUS, QUEUE_SELECT, QUEUE_SIZE, QUEUE_ENABLE, NOTIFY_OFFSET = 0x14, 0x16, 0x18, 0x1C, 0x1E
    DESCRIPTORS, DRIVER_AREA, DEVICE_AREA = 0x20, 0x28, 0x30


@dataclass(frozen=True)
class Settings:
    """Settings of the driver."""

    entries: int
    buffer_bytes: int
    latency: Time
    """Time from an interrupt to the driver's reaction."""
    poll: Time
    """Time between two polls."""


class VirtioDriver:
    """The driver of one card."""

    def __init__(self, settings: Settings) -> None:
        """Create a driver that has not begun."""
        self._settings = settings
        self._host: Host
        self._places: dict[int, int] = {}
        self._doorbells: list[int] = []
        self._rings: list[SplitRing] = []

    def program(self, host: Host) -> Program:
        """Drive the card, from power-on."""
        self._host = host
        yield from self._find_function()
        yield from self._negotiate()
        yield from self._start_queues()
        yield from self._work()

    def _find_function(self) -> Steps:
        identity = yield read_configuration(0)
        if identity != DEVICE << 16 | VENDOR:
            message = f"configuration space says 0x{identity:08x}, not virtio's network device"
            raise DriverError(message, f"give the card vendor 0x{VENDOR:04x} and device 0x{DEVICE:04x}")
        multiplier = 0
        at = yield read_configuration(CAPABILITY_POINTER, 1)
        while at:
            kind, following = (yield read_configuration(at, 1)), (yield read_configuration(at + 1, 1))
            if kind == VENDOR_SPECIFIC:
                structure = yield read_configuration(at + 3, 1)
                self._places.setdefault(structure, REGION + (yield read_configuration(at + 8)))
                if structure == NOTIFICATION:
                    multiplier = yield read_configuration(at + 16)
            at = following
        missing = {COMMON, NOTIFICATION, ISR, DEVICE_CONFIGURATION} - set(self._places)
        if missing:
            raise DriverError(
                f"the card has no capability of virtio of type {min(missing)}",
                "see virtio 1.2, section 4.1.4",
            )
        self._multiplier = multiplier
        command = MEMORY_SPACE | BUS_MASTER
        yield [
            write_configuration(BASE_ADDRESS_REGISTER, REGION),
            write_configuration(COMMAND_REGISTER, command, size=2),
        ]

    def _get(self, offset: int, size: int) -> Operation:
        return read(self._places[COMMON] + offset, size)

    def _put(self, offset: int, value: int, size: int) -> Operation:
        return write(self._places[COMMON] + offset, value, size)

    def _negotiate(self) -> Steps:
        c = _Common
        yield self._put(c.STATUS, 0, 1)
        for _ in range(RESET_POLLS):
            if (yield self._get(c.STATUS, 1)) == 0:
                break
            yield wait(until=self._host.now + us(1))
        else:
            raise DriverError("the card does not complete its reset", "look at what its firmware waits for")
        yield [self._put(c.STATUS, ACKNOWLEDGE, 1), self._put(c.STATUS, ACKNOWLEDGE | DRIVER, 1)]
        offered = 0
        for half in (0, 1):
            yield self._put(c.FEATURE_SELECT, half, 4)
            offered |= (yield self._get(c.FEATURE, 4)) << 32 * half
        accepted = offered & WANTED
        for half in (0, 1):
            yield [
                self._put(c.DRIVER_FEATURE_SELECT, half, 4),
                self._put(c.DRIVER_FEATURE, accepted >> 32 * half & 0xFFFF_FFFF, 4),
            ]
        yield self._put(c.STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK, 1)
        if not (yield self._get(c.STATUS, 1)) & FEATURES_OK:
            raise DriverError(f"the card refuses the features 0x{accepted:x}", "look at what it offers")

    def _start_queues(self) -> Steps:
        c, settings = _Common, self._settings
        for queue in (RECEIVE, SEND):
            yield self._put(c.QUEUE_SELECT, queue, 2)
            most = yield self._get(c.QUEUE_SIZE, 2)
            entries = min(most, settings.entries)
            ring = SplitRing(self._host, entries, settings.buffer_bytes, device_writes=queue == RECEIVE)
            self._rings.append(ring)
            areas = {c.DESCRIPTORS: ring.descriptors, c.DRIVER_AREA: ring.available, c.DEVICE_AREA: ring.used}
            yield [
                self._put(c.QUEUE_SIZE, entries, 2),
                *(
                    self._put(offset + 4 * half, address >> 32 * half & 0xFFFF_FFFF, 4)
                    for offset, address in areas.items()
                    for half in (0, 1)
                ),
                self._put(c.QUEUE_ENABLE, 1, 2),
            ]
            place = yield self._get(c.NOTIFY_OFFSET, 2)
            self._doorbells.append(self._places[NOTIFICATION] + place * self._multiplier)
        yield self._put(c.STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK, 1)
        self._rings[RECEIVE].add_all()
        yield self._ring_doorbell(RECEIVE)

    def _ring_doorbell(self, queue: int) -> Operation:
        return write(self._doorbells[queue], queue, 2)

    def _work(self) -> Steps:
        """Repeat to the end: sleep until there is work, then poll until there is none."""
        transmit = self._rings[SEND]
        while True:
            reasons = yield wait(for_interrupt=True, for_frame=transmit.free > 0)
            if reasons & INTERRUPT:
                yield wait(until=self._host.now + self._settings.latency)
                cause = yield read(self._places[ISR], 1)
                yield from self._check(cause)
            if reasons & FRAME_DUE:
                yield from self._send()
            for ring in self._rings:
                ring.suppress_interrupts(suppressed=True)
            while (yield from self._poll()):
                yield wait(until=self._host.now + self._settings.poll)
            for ring in self._rings:
                ring.suppress_interrupts(suppressed=False)
            # What came before interrupts were wanted again.
            yield from self._poll()

    def _check(self, cause: int) -> Steps:
        if cause & 2 and (yield self._get(_Common.STATUS, 1)) & NEEDS_RESET:
            raise DriverError("the card needs a reset", "the firmware found an error in the driver's rings")

    def _poll(self) -> Steps:
        """Take what the card has used, and send what is due; return true if there was anything."""
        received = self._rings[RECEIVE].take_used()
        if received:
            yield from self._receive(received)
        completed = self._rings[SEND].take_used()
        sent = yield from self._send()
        return bool(received or completed or sent)

    def _receive(self, used: list[Used]) -> Steps:
        ring, operations = self._rings[RECEIVE], []
        pieces = iter(used)
        for first in pieces:
            buffer = ring.buffer(first.head)
            (buffers,) = struct.unpack("<H", self._host.load(buffer + 10, 2))
            length = first.length - VIRTIO_HEADER_BYTES
            if buffers > 1:
                raise DriverError(
                    f"a frame spans {buffers} buffers of {self._settings.buffer_bytes} bytes",
                    "give the driver larger buffers",
                )
            operations.append(take(buffer + VIRTIO_HEADER_BYTES, length))
        yield operations
        ring.add_all()
        yield self._ring_doorbell(RECEIVE)

    def _send(self) -> Steps:
        """Send the frames that are due, as far as there is room; return true if there were any."""
        ring = self._rings[SEND]
        heads = ring.next_heads(min(ring.free, OPERATIONS_AT_ONCE))
        if not heads:
            return False
        places = [ring.buffer(head) + VIRTIO_HEADER_BYTES for head in heads]
        lengths = yield [send(place, place, 0) for place in places]
        due = [length + VIRTIO_HEADER_BYTES for length in lengths if length]
        if not due:
            return False
        ring.add(due)
        yield self._ring_doorbell(SEND)
        return True


class VirtioDriverModel(ProgramDriver):
    """Driver of virtio's network device, with one pair of split rings."""

    card: Hundredgig

    host_memory: Size = parameter(
        default=MiB(8), range=(MiB(1), MiB(1024)), doc="Memory that host and card share."
    )
    host_latency: Time = parameter(
        default=us(1), range=(fs(0), ms(10)), doc="Latency from an interrupt to the driver's reaction."
    )
    poll_interval: Time = parameter(
        default=us(1), range=(fs(1), ms(10)), doc="Time between two polls while there is work."
    )
    ring_entries: int = parameter(
        default=256,
        range=(2, 32768),
        doc="Entries of each ring, a power of two; at most what the card offers.",
    )

    def program(self, host: Host) -> Program:
        """Drive the card."""
        if self.ring_entries & (self.ring_entries - 1):
            raise SpinachError(
                f"ring_entries = {self.ring_entries} is not a power of two", "give one, such as 256"
            )
        longest = self.card.largest_frame + VIRTIO_HEADER_BYTES
        settings = Settings(self.ring_entries, longest, self.host_latency, self.poll_interval)
        return VirtioDriver(settings).program(host)
