"""The driver's side of split and packed rings (virtio 1.2, sections 2.7 and 2.8)."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Sequence
from itertools import starmap

from msgspec import Struct

from spinach_nic.cards.drivers import DriverError, Host

DESCRIPTOR_BYTES = 16
ALIGNMENT = 4096
NEXT, DEVICE_WRITES = 1, 2
NO_INTERRUPT = 1
_INDEX_MASK = 0xFFFF
_BUFFER = struct.Struct("<QI").pack
"""Packs the first fields of a descriptor: address and length."""
_FAR = 0x8000
"""Chains ahead of the next one that are not used while interrupts are suppressed."""


AVAILABLE, USED = 0x80, 0x8000
"""Flags of an entry of a packed ring; both are the wrap bit in a used entry."""
EVENTS_ALL, EVENTS_NONE, EVENTS_AT = 0, 1, 2
"""Entries of a packed ring that cause an event: all, none, or that which the event structure names."""
WRAP = 0x8000
"""Wrap bit next to the place of an entry."""


class Used(Struct, frozen=True, gc=False):
    """A chain that the device has used."""

    buffer: int
    """Address of its buffer."""
    length: int
    """Bytes that the device wrote."""


class _Ring:
    """A ring whose chains have one buffer each."""

    def __init__(self, host: Host, entries: int, *, device_writes: bool, event_index: bool) -> None:
        """Place the descriptors in the memory of `host`."""
        self._host = host
        self.entries = entries
        self.descriptors = host.allocate(DESCRIPTOR_BYTES * entries, ALIGNMENT)
        self._buffers = [(0, 0)] * entries
        """Address and bytes of the last buffer of each place."""
        self._flags = DEVICE_WRITES if device_writes else 0
        self._event_index = event_index
        self._added = self._taken = self._announced = 0

    def room(self) -> int:
        """Return the number of chains that the driver may add."""
        return self.entries - (self._added - self._taken)

    def awaited(self) -> list[tuple[int, int]]:
        """Return address and bytes of the buffers that the device has not used, in their order."""
        return [self._buffers[chain % self.entries] for chain in range(self._taken, self._added)]


class SplitRing(_Ring):
    """A split ring whose chains have one buffer each."""

    def __init__(self, host: Host, entries: int, *, device_writes: bool, event_index: bool = False) -> None:
        """Place the ring in the memory of `host`. With `event_index` both sides name the chain they await."""
        super().__init__(host, entries, device_writes=device_writes, event_index=event_index)
        self.available = host.allocate(6 + 2 * entries, 64)
        self.used = host.allocate(6 + 8 * entries, 64)
        host.allow_writes([(self.used, 6 + 8 * entries)])
        self._awaited = self.used + 4 + 8 * entries
        """Address of the chain for which the device awaits a doorbell."""
        self._used_index = bytes(2)
        """Index of the last chain taken, as the device writes it."""
        self.clear()

    def clear(self) -> None:
        """Empty the ring, as the device finds it when its queue is enabled."""
        self._added = self._taken = self._announced = 0
        self._used_index = bytes(2)
        self._buffers = [(0, 0)] * self.entries
        # Entry and head are the same: chains are used in their order.
        heads = struct.pack(f"<{self.entries}H", *range(self.entries))
        self._host.store(self.available, bytes(4) + heads + bytes(2))
        self._host.store(self.used, bytes(6 + 8 * self.entries))

    def add(self, buffers: Sequence[tuple[int, int]]) -> None:
        """Make chains available, each with a buffer: its address and its bytes."""
        first = self._added % self.entries
        around = self.entries - first
        self._describe(first, buffers[:around])
        if around < len(buffers):
            self._describe(0, buffers[around:])
        self._announce(len(buffers))

    def _describe(self, first: int, buffers: Sequence[tuple[int, int]]) -> None:
        """Write descriptors from the place `first` on, unless memory has the same from an earlier round."""
        places = slice(first, first + len(buffers))
        if self._buffers[places] == buffers:
            return
        self._buffers[places] = buffers
        rest = struct.pack("<HH", self._flags, 0)
        store = self._host.store
        store(self.descriptors + DESCRIPTOR_BYTES * first, rest.join(starmap(_BUFFER, buffers)) + rest)

    def _announce(self, chains: int) -> None:
        """Raise the available index."""
        self._added += chains
        store = self._host.store
        store(self.available + 2, (self._added & _INDEX_MASK).to_bytes(2, "little"))

    def add_chain(self, buffers: Sequence[tuple[int, int, int]]) -> None:
        """Make one chain of several buffers available: address, bytes and flags of each.

        Its descriptors begin with that of its head; the ring has no other chains then.
        """
        head = self._added % self.entries
        for number, (address, length, flags) in enumerate(buffers):
            place, following = (head + number) % self.entries, (head + number + 1) % self.entries
            self._buffers[place] = (0, 0)
            flags |= NEXT if number + 1 < len(buffers) else 0
            described = struct.pack("<QIHH", address, length, flags, following)
            self._host.store(self.descriptors + DESCRIPTOR_BYTES * place, described)
        self._announce(1)

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
        load = self._host.load
        event = int.from_bytes(load(self._awaited, 2), "little")
        return (self._added - event - 1) & _INDEX_MASK < (self._added - before) & _INDEX_MASK

    def take_used(self) -> list[Used]:
        """Take the chains that the device has used.

        Raises:
            DriverError: The device used chains that the driver has not made available.
        """
        load = self._host.load
        index = load(self.used + 2, 2)
        if index == self._used_index:
            return []
        count = (int.from_bytes(index, "little") - self._taken) & _INDEX_MASK
        if count > self._added - self._taken:
            raise DriverError(
                f"the card has used {count} chains of {self._added - self._taken}",
                "look at the used index that the firmware writes",
            )
        first = self._taken % self.entries
        around = max(0, first + count - self.entries)
        loaded = load(self.used + 4 + 8 * first, 8 * (count - around))
        if around:
            loaded += load(self.used + 4, 8 * around)
        taken = []
        for place, (head, length) in enumerate(struct.iter_unpack("<II", loaded), first):
            if head != place % self.entries:
                raise DriverError(
                    f"the card has used chain {head} before chain {place % self.entries}",
                    "use chains in the order of the ring",
                )
            taken.append(Used(self._buffers[head][0], length))
        self._taken += count
        self._used_index = index
        return taken


class PackedRing(_Ring):
    """A packed ring whose chains have one buffer each. Buffers have the identity of their place."""

    def __init__(self, host: Host, entries: int, *, device_writes: bool, event_index: bool = False) -> None:
        """Place the ring in the memory of `host`. With `event_index` both sides name the entry they await."""
        super().__init__(host, entries, device_writes=device_writes, event_index=event_index)
        self.available = host.allocate(4, 64)
        """Event structure of the driver."""
        self.used = host.allocate(4, 64)
        """Event structure of the device."""
        host.allow_writes([(self.descriptors, DESCRIPTOR_BYTES * entries), (self.used, 4)])
        self._chains: deque[int] = deque()
        """Entries of each chain that the device has, in order."""
        self.clear()

    def clear(self) -> None:
        """Empty the ring, as the device finds it when its queue is enabled."""
        self._chains.clear()
        self._added = self._taken = self._announced = 0
        self._host.store(self.descriptors, bytes(DESCRIPTOR_BYTES * self.entries))
        self._host.store(self.available, bytes(4))
        self._host.store(self.used, bytes(4))

    def add(self, buffers: Sequence[tuple[int, int]]) -> None:
        """Make chains available, each with a buffer: its address and its bytes."""
        for address, length in buffers:
            self._buffers[self._added % self.entries] = address, length
            self._put(address, length, self._flags, self._added % self.entries)
            self._chains.append(1)

    def add_chain(self, buffers: Sequence[tuple[int, int, int]]) -> None:
        """Make one chain of several buffers available: address, bytes and flags of each."""
        last = (self._added + len(buffers) - 1) % self.entries
        self._chains.append(len(buffers))
        for number, (address, length, flags) in enumerate(buffers):
            self._put(address, length, flags | (NEXT if number + 1 < len(buffers) else 0), last)

    def _put(self, address: int, length: int, flags: int, identity: int) -> None:
        flags |= AVAILABLE if self._wrap(self._added) else USED
        described = struct.pack("<QIHH", address, length, identity, flags)
        self._host.store(self.descriptors + DESCRIPTOR_BYTES * (self._added % self.entries), described)
        self._added += 1

    def _wrap(self, counter: int) -> bool:
        return counter // self.entries % 2 == 0

    def suppress_interrupts(self, *, suppressed: bool) -> None:
        """Tell the device whether it may leave out interrupts."""
        place, events = 0, EVENTS_NONE if suppressed else EVENTS_ALL
        if self._event_index and not suppressed:
            place, events = self._taken % self.entries, EVENTS_AT
            place |= WRAP if self._wrap(self._taken) else 0
        self._host.store(self.available, struct.pack("<HH", place, events))

    def needs_doorbell(self) -> bool:
        """Return true if the device waits for one of the entries added since the last call."""
        before, self._announced = self._announced, self._added
        place: int
        events: int
        place, events = struct.unpack("<HH", self._host.load(self.used, 4))
        if events != EVENTS_AT:
            return bool(events == EVENTS_ALL)
        # The place is in the present round of the ring or in that before.
        awaited = self._added - self._added % self.entries + (place & (WRAP - 1))
        if bool(place & WRAP) != self._wrap(self._added):
            awaited -= self.entries
        return before <= awaited < self._added

    def take_used(self) -> list[Used]:
        """Take the chains that the device has used.

        Raises:
            DriverError: The device used another chain than the next, or left the length of a buffer open.
        """
        taken = []
        while self._chains:
            place = self._taken % self.entries
            entry = self._host.load(self.descriptors + DESCRIPTOR_BYTES * place + 8, 8)
            length, identity, flags = struct.unpack("<IHH", entry)
            wrap = self._wrap(self._taken)
            if bool(flags & AVAILABLE) != wrap or bool(flags & USED) != wrap:
                break
            span = self._chains.popleft()
            if identity != (place + span - 1) % self.entries:
                raise DriverError(
                    f"the card has used buffer {identity} at entry {place}",
                    "use chains in the order of the ring",
                )
            if self._flags & ~flags:
                raise DriverError(
                    f"the card has used buffer {identity} without the flag that it wrote to it",
                    "set VIRTQ_DESC_F_WRITE: the length counts only with it (virtio 1.2, section 2.8)",
                )
            self._taken += span
            taken.append(Used(self._buffers[identity][0], length))
        return taken
