"""The driver's side of a split ring (virtio 1.2, section 2.7)."""

from __future__ import annotations

import struct
from typing import NamedTuple

from spinach_nic.cards.hosts import DriverError, Host

DESCRIPTOR_BYTES = 16
ALIGNMENT = 4096
NEXT, DEVICE_WRITES = 1, 2
NO_INTERRUPT = 1
_INDEX_MASK = 0xFFFF


class Used(NamedTuple):
    """A chain that the device has used."""

    head: int
    length: int
    """Bytes that the device wrote."""


class SplitRing:
    """A split ring whose chains have one buffer each; descriptor `n` names buffer `n`."""

    def __init__(self, host: Host, entries: int, buffer_bytes: int, *, device_writes: bool) -> None:
        """Place the ring and its buffers in the memory of `host`."""
        self._host = host
        self.entries = entries
        self.descriptors = host.allocate(DESCRIPTOR_BYTES * entries, ALIGNMENT)
        self.available = host.allocate(6 + 2 * entries, 64)
        self.used = host.allocate(6 + 8 * entries, 64)
        self._buffers = [host.allocate(buffer_bytes, 64) for _ in range(entries)]
        self._buffer_bytes = buffer_bytes
        self._flags = DEVICE_WRITES if device_writes else 0
        self._added = self._taken = 0
        host.store(self.available, bytes(6 + 2 * entries))
        host.store(self.used, bytes(6 + 8 * entries))

    @property
    def free(self) -> int:
        """Number of chains that the driver may add."""
        return self.entries - (self._added - self._taken)

    def buffer(self, head: int) -> int:
        """Return the address of the buffer that a head names."""
        return self._buffers[head]

    def next_heads(self, count: int) -> list[int]:
        """Return the heads of the next chains to add."""
        return [(self._added + number) % self.entries for number in range(count)]

    def add(self, lengths: list[int]) -> None:
        """Make the next chains available, whose buffers have `lengths` bytes."""
        host = self._host
        for head, length in zip(self.next_heads(len(lengths)), lengths, strict=True):
            described = struct.pack("<QIHH", self._buffers[head], length, self._flags, 0)
            host.store(self.descriptors + DESCRIPTOR_BYTES * head, described)
            # Entry and head are the same: chains are used in their order.
            host.store(self.available + 4 + 2 * head, struct.pack("<H", head))
        self._added += len(lengths)
        host.store(self.available + 2, struct.pack("<H", self._added & _INDEX_MASK))

    def add_all(self) -> int:
        """Make all free chains available, with their whole buffers; return their number."""
        count = self.free
        self.add([self._buffer_bytes] * count)
        return count

    def suppress_interrupts(self, *, suppressed: bool) -> None:
        """Tell the device whether it may leave out interrupts."""
        self._host.store(self.available, struct.pack("<H", NO_INTERRUPT if suppressed else 0))

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
