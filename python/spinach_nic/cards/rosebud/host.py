"""The host of Rosebud: commands and memory moves of the published tools, and a driver that boots the card."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from spinach_nic.cards.base.drivers import ProgramDriver
from spinach_nic.cards.drivers import DriverError, Host, Operation, Program, enable_pci_function, read, write
from spinach_nic.cards.drivers.operations import wait
from spinach_nic.cards.rosebud.map import COMMANDS, STATUS
from spinach_nic.model import parameter
from spinach_nic.support.units import KiB, MiB, Size, Time, ms, us

if TYPE_CHECKING:
    from spinach_nic.cards.rosebud.card import Rosebud

VENDOR, DEVICE, CLASS = 0x1234, 0x1001, 0x02_0000
"""Identity of the published card, which has that of Corundum."""
REGION = 0xE000_0000
"""Base address that the host gives the card."""
ENABLE, DATA, COMMAND, TO_CARD, TO_HOST = 0x400, 0x404, 0x408, 0x440, 0x460
"""Registers of the window."""
HOST_LOW, HOST_HIGH, CARD, LENGTH, TAG, DONE = 0x00, 0x04, 0x08, 0x10, 0x14, 0x18
"""Registers of each direction of memory moves."""
WRITES, ZONE_SHIFT, UNIT_SHIFT, CORE_SHIFT = 1 << 31, 29, 4, 26
LARGEST_MOVE = KiB(16)
POLLS = 10_000
"""Polls after which the driver gives up: a move takes a few."""

Steps = Generator[Operation | Sequence[Operation], Any, Any]
"""Part of a program; its return value is its result."""


class Zone(IntEnum):
    """Kinds of units that commands are for."""

    CORE = 0
    PORT = 1
    BALANCER = 2
    DROPS = 3


PORT_MASK, FILL, DROPPED = 0, 4, 10
RECEIVED_BYTES, RECEIVED, RECEIVED_STALLS, SENT_BYTES, SENT, SENT_STALLS = 8, 9, 11, 12, 13, 15
"""Registers of zone `PORT`."""
ENABLED, RECEIVERS, FLUSH, SLOTS = 0, 1, 2, 3
"""Registers of zone `BALANCER`."""
REFUSED, DROP_LIMIT = 2, 3
"""Registers of zone `DROPS`."""


class CardAccess:
    """Accesses of the card's host, as parts of a program: use them with `yield from`."""

    def __init__(self, host: Host, patience: int = POLLS) -> None:
        """Use a buffer in the memory of `host`; give up a move or an eviction after `patience` polls."""
        self._host = host
        self._buffer = host.allocate(LARGEST_MOVE.bytes)
        self._patience = patience
        self._tag = 0

    def begin(self) -> Steps:
        """Give the card its addresses, and enable DMA."""
        yield [*enable_pci_function(REGION), write(REGION + ENABLE, 1)]

    def set(self, zone: Zone, unit: int, register: int, word: int) -> Steps:
        """Write a register of a unit."""
        command = WRITES | zone << ZONE_SHIFT | unit << UNIT_SHIFT | register
        yield [write(REGION + DATA, word), write(REGION + COMMAND, command)]

    def get(self, zone: Zone, unit: int, register: int) -> Steps:
        """Read a register of a unit. The first load gives the command time, as the published tools do."""
        command = zone << ZONE_SHIFT | unit << UNIT_SHIFT | register
        found = yield [write(REGION + COMMAND, command), read(REGION + DATA), read(REGION + DATA)]
        return found[-1]

    def store(self, core: int, address: int, contents: bytes) -> Steps:
        """Write memory of a core, at an address as the core sees it."""
        for at in range(0, len(contents), LARGEST_MOVE.bytes):
            piece = contents[at : at + LARGEST_MOVE.bytes]
            self._host.store(self._buffer, piece)
            yield from self._move(TO_CARD, core, address + at, len(piece))

    def load(self, core: int, address: int, size: int) -> Steps:
        """Read memory of a core; return its bytes."""
        pieces = []
        for at in range(0, size, LARGEST_MOVE.bytes):
            length = min(size - at, LARGEST_MOVE.bytes)
            yield from self._move(TO_HOST, core, address + at, length)
            pieces.append(self._host.load(self._buffer, length))
        return b"".join(pieces)

    def _move(self, way: int, core: int, address: int, length: int) -> Steps:
        self._tag = self._tag % 0xFF + 1
        registers = REGION + way
        yield [
            write(registers + HOST_LOW, self._buffer & 0xFFFF_FFFF),
            write(registers + HOST_HIGH, self._buffer >> 32),
            write(registers + CARD, core << CORE_SHIFT | address),
            write(registers + LENGTH, length),
            write(registers + TAG, self._tag),
        ]
        for _ in range(self._patience):
            if (yield read(registers + DONE)) == self._tag:
                return
        place = f"core {core}, address {address:#x}"
        raise DriverError(
            f"a DMA of {length} bytes does not end ({place})", "look at the address and the bus"
        )

    def evict(self, core: int) -> Steps:
        """Request the firmware of a core to release its packets, and wait for its confirmation."""
        yield from self.set(Zone.CORE, core, COMMANDS["EVICT"], 1)
        for _ in range(self._patience):
            if (yield from self.get(Zone.CORE, core, STATUS["CORE"])) >> 16 & 1:
                return
        help = "let the firmware handle the flag EVICT, or reset the core without eviction"
        raise DriverError(f"core {core} does not become ready to be evicted", help)

    def stop(self, core: int) -> Steps:
        """Disable a core, and hold it in reset a microsecond later; packets that it holds then are lost."""
        enabled = yield from self.get(Zone.BALANCER, 0, ENABLED)
        yield from self.set(Zone.BALANCER, 0, ENABLED, enabled & ~(1 << core))
        yield wait(until=self._host.now + us(1))
        yield from self.set(Zone.CORE, core, COMMANDS["RESET"], 1)
        yield from self.set(Zone.BALANCER, 0, FLUSH, 1 << core)

    def start(self, core: int) -> Steps:
        """End the reset of a core, and let it receive packets."""
        yield from self.set(Zone.CORE, core, COMMANDS["RESET"], 0)
        for register in (ENABLED, RECEIVERS):
            cores = yield from self.get(Zone.BALANCER, 0, register)
            yield from self.set(Zone.BALANCER, 0, register, cores | 1 << core)


class RosebudDriver(ProgramDriver):
    """Driver that boots the card: it loads the firmware into each core by DMA, and starts the cores."""

    card: Rosebud

    host_memory: Size = parameter(
        default=MiB(1), range=(KiB(64), MiB(1024)), doc="Memory that host and card share."
    )

    @property
    def loads_firmware(self) -> bool:
        """True: the cores are in reset until their memories are loaded."""
        return self.card.host

    @property
    def start_up(self) -> Time:
        """Longest time until all cores run."""
        return ms(5) if self.card.host else Time(0)

    def program(self, host: Host) -> Program:
        """Boot the card."""
        access = CardAccess(host)
        yield from access.begin()
        yield from self.boot(access)

    def boot(self, access: CardAccess) -> Steps:
        """Load and start all cores, and let those receive packets that the card names."""
        image = self.card.image
        segments = [] if image is None else self.card.segments(image)
        cores = range(self.card.rpus)
        for core in cores:
            for segment in segments:
                if segment.data:
                    yield from access.store(core, segment.address, segment.data)
        for core in cores:
            yield from access.set(Zone.CORE, core, COMMANDS["RESET"], 0)
        every = (1 << self.card.rpus) - 1
        yield from access.set(Zone.BALANCER, 0, ENABLED, every)
        yield from access.set(Zone.BALANCER, 0, RECEIVERS, self.card.receivers or every)
