"""The driver's side of a split ring (virtio 1.2, section 2.7)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

from spinach_nic.cards.hosts import DriverError, Host

DESCRIPTOR_BYTES = 16
ALIGNMENT = 4096
NEXT, DEVICE_WRITES = 1, 2
NO_INTERRUPT = 1
_INDEX_MASK = 0xFFFF
_FAR = 0x8000
"""Chains ahead of the next one that are not used while interrupts are suppressed."""


class Used(NamedTuple):
    """A chain that the device has used."""

    head: int
    length: int
    """Bytes that the device wrote."""


class SplitRing:
    """A split ring whose chains have one buffer each."""

    def __init__(self, host: Host, entries: int, *, device_writes: bool, event_index: bool = False) -> None:
        """Place the ring in the memory of `host`. With `event_index` both sides name the chain they await."""
        self._host = host
        self.entries = entries
        self.descriptors = host.allocate(DESCRIPTOR_BYTES * entries, ALIGNMENT)
        self.available = host.allocate(6 + 2 * entries, 64)
        self.used = host.allocate(6 + 8 * entries, 64)
        self._buffers = [0] * entries
        self._flags = DEVICE_WRITES if device_writes else 0
        self._event_index = event_index
        self._added = self._taken = self._announced = 0
        host.store(self.available, bytes(6 + 2 * entries))
        host.store(self.used, bytes(6 + 8 * entries))

    @property
    def free(self) -> int:
        """Number of chains that the driver may add."""
        return self.entries - (self._added - self._taken)

    def buffer(self, head: int) -> int:
        """Return the address of the buffer that a head names."""
        return self._buffers[head]

    def add(self, buffers: Sequence[tuple[int, int]]) -> None:
        """Make chains available, each with a buffer: its address and its bytes."""
        host = self._host
        for number, (address, length) in enumerate(buffers):
            head = (self._added + number) % self.entries
            self._buffers[head] = address
            described = struct.pack("<QIHH", address, length, self._flags, 0)
            host.store(self.descriptors + DESCRIPTOR_BYTES * head, described)
            # Entry and head are the same: chains are used in their order.
            host.store(self.available + 4 + 2 * head, struct.pack("<H", head))
        self._added += len(buffers)
        host.store(self.available + 2, struct.pack("<H", self._added & _INDEX_MASK))

    def add_chain(self, buffers: Sequence[tuple[int, int, int]]) -> None:
        """Make one chain of several buffers available: address, bytes and flags of each.

        Its descriptors begin with that of its head; the ring has no other chains then.
        """
        head = self._added % self.entries
        for number, (address, length, flags) in enumerate(buffers):
            place, following = (head + number) % self.entries, (head + number + 1) % self.entries
            flags |= NEXT if number + 1 < len(buffers) else 0
            described = struct.pack("<QIHH", address, length, flags, following)
            self._host.store(self.descriptors + DESCRIPTOR_BYTES * place, described)
        self._host.store(self.available + 4 + 2 * head, struct.pack("<H", head))
        self._added += 1
        self._host.store(self.available + 2, struct.pack("<H", self._added & _INDEX_MASK))

    def suppress_interrupts(self, *, suppressed: bool) -> None:
        """Tell the device whether it may leave out interrupts."""
        if self._event_index:
            event = self._taken + (_FAR if suppressed else 0)
            self._host.store(self.available + 4 + 2 * self.entries, struct.pack("<H", event & _INDEX_MASK))
        else:
            self._host.store(self.available, struct.pack("<H", NO_INTERRUPT if suppressed else 0))

    def needs_doorbell(self) -> bool:
        """Return true if the device waits for one of the chains added since the last call."""
        before, self._announced = self._announced, self._added
        if not self._event_index:
            return True
        event: int = struct.unpack("<H", self._host.load(self.used + 4 + 8 * self.entries, 2))[0]
        return (self._added - event - 1) & _INDEX_MASK < (self._added - before) & _INDEX_MASK

    def take_used(self) -> list[Used]:
        """Take the chains that the device has used.

        Raises:
            DriverError: The device used what the driver has not made available.
        """
        (index,) = struct.unpack("<H", self._host.load(self.used + 2, 2))
        count = (index - self._taken) & _INDEX_MASK
        if count > self._added - self._taken:
            raise DriverError(
                f"the card has used {count} chains of {self._added - self._taken}",
                "look at the used index that the firmware writes",
            )
        return [self._take() for _ in range(count)]

    def _take(self) -> Used:
        place = self._taken % self.entries
        head, length = struct.unpack("<II", self._host.load(self.used + 4 + 8 * place, 8))
        if head != place:
            raise DriverError(
                f"the card has used chain {head} before chain {place}", "use chains in the order of the ring"
            )
        self._taken += 1
        return Used(head, length)
