"""The receive rings of the driver: buffers of three sizes, and the ring in which they come back."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from spinach_nic.cards.drivers import DriverError, DropReason, Host, Operation, drop, take
from spinach_nic.cards.tigon2 import protocol as card
from spinach_nic.cards.tigon2.frames import (
    ADDRESSES_BYTES,
    CHECK_SEQUENCE_BYTES,
    TAG_BYTES,
    datagram_of,
    sums_of,
)
from spinach_nic.cards.tigon2.settings import DriverSettings
from spinach_nic.traffic import SHORTEST_FRAME_BYTES

_DESCRIPTOR = struct.Struct("<8I")
_MASK = 2**32 - 1
_ROOM_IN_FRONT = 64
"""Bytes in front of each buffer, for a tag that the card has taken out."""


class Returned(NamedTuple):
    """A descriptor that came back."""

    ring: str
    buffer: int
    length: int
    flags: card.Flag
    checksums: int
    error: int
    vlan: int


@dataclass
class _Ring:
    """A ring of buffers. They come back in the order in which they were posted."""

    address: int
    entries: int
    mailbox: int
    buffers: list[int]
    buffer_bytes: int
    flags: card.RingFlag
    length: int
    held: dict[int, int] = field(default_factory=dict)
    """The buffers that the card has, by the descriptor that names them."""
    produced: int = 0

    def post(self, host: Host, flag: card.Flag) -> None:
        """Pass the next descriptor to the card, with the buffer that has waited longest."""
        index = self.produced % self.entries
        buffer = self.buffers[self.produced % len(self.buffers)]
        packed = _DESCRIPTOR.pack(
            buffer >> 32,
            buffer & _MASK,
            index << 16 | self.buffer_bytes,
            flag | card.Flag.END,
            0,
            0,
            0,
            index,
        )
        host.store(self.address + index * _DESCRIPTOR.size, packed)
        self.held[index] = buffer
        self.produced += 1


_REASONS: Mapping[int, DropReason] = {
    card.ReceiveError.RUNT: DropReason.RUNT,
    card.ReceiveError.GIANT: DropReason.OVERSIZE,
}
_RING_FLAGS = {"standard": card.Flag(0), "jumbo": card.Flag.JUMBO, "mini": card.Flag.MINI}


class Receiver:
    """Buffers on their way to the card, and frames on their way back."""

    def __init__(self, host: Host, settings: DriverSettings) -> None:
        """Create rings and buffers in the memory of `host`."""
        self._host = host
        self._longest = settings.longest_frame - CHECK_SEQUENCE_BYTES
        flags = card.RingFlag(0)
        if settings.receive_checksums:
            flags |= card.RingFlag.CHECKSUM | card.RingFlag.IP_CHECKSUM | card.RingFlag.NO_PSEUDO_HEADER
        if settings.vlan:
            flags |= card.RingFlag.VLAN

        def ring(entries: int, mailbox: int, count: int, size: int, length: int) -> _Ring:
            offset = _ROOM_IN_FRONT + settings.receive_offset
            buffers = [host.allocate(offset + size) + offset for _ in range(min(count, entries - 1))]
            disabled = card.RingFlag(0) if buffers else card.RingFlag.DISABLED
            host.allow_writes((buffer, size) for buffer in buffers)
            address = host.allocate(entries * _DESCRIPTOR.size)
            return _Ring(address, entries, mailbox, buffers, size, flags | disabled, length)

        self._rings = {
            "standard": ring(
                card.STANDARD_ENTRIES,
                card.MAILBOX_STANDARD,
                settings.standard_buffers,
                settings.standard_bytes,
                settings.standard_bytes,
            ),
            "jumbo": ring(
                card.JUMBO_ENTRIES, card.MAILBOX_JUMBO, settings.jumbo_buffers, settings.jumbo_bytes, 0
            ),
            "mini": ring(
                card.MINI_ENTRIES,
                card.MAILBOX_MINI,
                settings.mini_buffers,
                settings.mini_bytes,
                settings.mini_bytes,
            ),
        }
        self._return_ring = host.allocate(card.RETURN_ENTRIES * _DESCRIPTOR.size)
        host.allow_writes([(self._return_ring, card.RETURN_ENTRIES * _DESCRIPTOR.size)])
        self._consumed = 0
        self._returned: list[Returned] = []
        self.frames_by_ring = dict.fromkeys(self._rings, 0)
        self.verified_checksums = 0
        self.tags_taken_out = 0

    @property
    def ring_controls(self) -> dict[str, tuple[int, int, int]]:
        """Address, length and flags of each ring, as the card expects them."""
        controls = {name: (ring.address, ring.length, int(ring.flags)) for name, ring in self._rings.items()}
        return controls | {"returned": (self._return_ring, card.RETURN_ENTRIES, 0)}

    def post_all(self) -> list[tuple[int, int]]:
        """Pass all buffers to the card; return the writes that announce them."""
        mailboxes = []
        for name, ring in self._rings.items():
            for _ in ring.buffers:
                ring.post(self._host, _RING_FLAGS[name])
            if ring.buffers:
                mailboxes.append((ring.mailbox, ring.produced % ring.entries))
        return mailboxes

    def look(self, producer: int) -> bool:
        """Process returned descriptors, before `producer` in the return ring; return true if there are any.

        Raises:
            DriverError: The card returns a buffer that it does not have.
        """
        count = (producer - self._consumed) % card.RETURN_ENTRIES
        first = min(count, card.RETURN_ENTRIES - self._consumed)
        packed = self._load(self._consumed, first) + self._load(0, count - first)
        self._returned += [self._understand(words) for words in _DESCRIPTOR.iter_unpack(packed)]
        self._consumed = producer % card.RETURN_ENTRIES
        return count > 0

    def _load(self, place: int, count: int) -> bytes:
        return (
            self._host.load(self._return_ring + place * _DESCRIPTOR.size, count * _DESCRIPTOR.size)
            if count
            else b""
        )

    def _understand(self, words: tuple[int, ...]) -> Returned:
        flags = card.Flag(words[3] & 0xFFFF)
        name = "jumbo" if flags & card.Flag.JUMBO else "mini" if flags & card.Flag.MINI else "standard"
        index, length = words[2] >> 16, words[2] & 0xFFFF
        ring = self._rings[name]
        buffer = ring.held.pop(index, None)
        if buffer is None or length > ring.buffer_bytes:
            raise DriverError(
                f"the card returns {name} descriptor {index} with {length} bytes, which was not given to it",
                "check how the firmware returns descriptors",
            )
        return Returned(name, buffer, length, flags, words[4], words[5] >> 16, words[5] & 0xFFFF)

    def takes(self) -> list[Operation]:
        """Take the frames that have come, or drop them."""
        return [self._take(returned) for returned in self._returned]

    def _take(self, returned: Returned) -> Operation:
        address, length = returned.buffer, returned.length
        self.frames_by_ring[returned.ring] += 1
        reason = self._reason_to_drop(returned)
        if reason is not None:
            return drop(reason)
        if returned.flags & card.Flag.CHECKSUM:
            self._verify(self._host.load(address, length), returned)
        if returned.flags & card.Flag.VLAN:
            self.tags_taken_out += 1
            # The tag goes back to where it was: there is room for it before the frame.
            addresses = self._host.load(address, ADDRESSES_BYTES)
            tag = b"\x81\x00" + returned.vlan.to_bytes(2, "big")
            address, length = address - TAG_BYTES, length + TAG_BYTES
            self._host.store(address, addresses + tag)
        return take(address, length)

    def _reason_to_drop(self, returned: Returned) -> DropReason | None:
        """Return the error that the card reports of a frame, or of its length."""
        if returned.flags & card.Flag.ERROR:
            return _REASONS.get(returned.error, DropReason.DAMAGED)
        length = returned.length + (TAG_BYTES if returned.flags & card.Flag.VLAN else 0)
        if length < SHORTEST_FRAME_BYTES:
            return DropReason.RUNT
        return DropReason.OVERSIZE if length > self._longest else None

    def _verify(self, frame: bytes, returned: Returned) -> None:
        told = returned.checksums >> 16, returned.checksums & 0xFFFF
        datagram = datagram_of(frame)
        # Of ones' complement sums 0 and 0xffff are the same.
        if datagram is None or any(
            (one - other) % 0xFFFF for one, other in zip(told, sums_of(frame, datagram), strict=True)
        ):
            raise DriverError(
                f"the card's checksums of a frame are 0x{told[0]:04x} and 0x{told[1]:04x}, which is wrong",
                "check how the firmware subtracts headers and padding",
            )
        self.verified_checksums += 1

    def post_again(self) -> list[tuple[int, int]]:
        """Return the buffers whose frames were taken to the card; return the writes that announce them."""
        rings = dict.fromkeys(returned.ring for returned in self._returned)
        for returned in self._returned:
            self._rings[returned.ring].post(self._host, _RING_FLAGS[returned.ring])
        self._returned = []
        return [
            (self._rings[name].mailbox, self._rings[name].produced % self._rings[name].entries)
            for name in rings
        ]
