"""The send ring of the driver: frames in one or two buffers, at whatever addresses."""

from __future__ import annotations

import struct

from spinach_nic.cards.drivers import DriverError, Host, Operation, send
from spinach_nic.cards.tigon2 import protocol as card
from spinach_nic.cards.tigon2.frames import ADDRESSES_BYTES, TAG_BYTES, tag_of, without_checksums
from spinach_nic.cards.tigon2.registers import Register
from spinach_nic.cards.tigon2.settings import DriverSettings

_DESCRIPTOR = struct.Struct("<4I")


class Sender:
    """Frames on their way to the card. Positions count on; the ring takes them modulo its length."""

    def __init__(self, host: Host, settings: DriverSettings) -> None:
        """Create a ring and buffers in the memory of `host`."""
        self._host = host
        self._settings = settings
        self._entries = settings.send_entries
        self._per_frame = 2 if settings.header_bytes else 1
        # A ring that is full to the last entry would look empty.
        self._slots = (self._entries - 1) // self._per_frame
        self._ring = host.allocate(self._entries * card.SEND_DESCRIPTOR_BYTES)
        header_space = settings.header_bytes + settings.header_offset
        self._headers = [host.allocate(header_space) + settings.header_offset for _ in range(self._slots)]
        payload_space = settings.longest_frame + settings.payload_offset
        self._payloads = [host.allocate(payload_space) + settings.payload_offset for _ in range(self._slots)]
        self._produced = 0
        self._consumed = 0
        self._frames = 0

    @property
    def ring_control(self) -> tuple[int, int, int]:
        """Address, length and flags of the ring, as the card expects them."""
        flags = card.RingFlag.IN_HOST if self._settings.send_ring_in_host else card.RingFlag(0)
        if self._settings.send_checksums:
            flags |= card.RingFlag.CHECKSUM | card.RingFlag.IP_CHECKSUM | card.RingFlag.NO_PSEUDO_HEADER
        if self._settings.vlan:
            flags |= card.RingFlag.VLAN
        return self._ring if self._settings.send_ring_in_host else self.card_ring, self._entries, int(flags)

    @property
    def card_ring(self) -> int:
        """Return the address of the ring if it is in the memory of the card."""
        return card.CARD_SEND_RING_END - self._entries * _DESCRIPTOR.size

    @property
    def _free_slots(self) -> int:
        # The card may be done with some of the descriptors of a frame: its buffers are still in use.
        return self._slots + (self._consumed - self._produced) // self._per_frame

    @property
    def has_room(self) -> bool:
        """Return true if the ring takes one frame more."""
        return self._free_slots > 0

    def let_go(self) -> list[Operation]:
        """Send due frames, as far as there is room."""
        header_bytes = self._settings.header_bytes
        return [
            send(self._headers[slot], self._payloads[slot], header_bytes)
            for slot in self._next_slots(self._free_slots)
        ]

    def _next_slots(self, count: int) -> list[int]:
        return [(self._frames + number) % self._slots for number in range(count)]

    def announce(self, lengths: list[int]) -> list[tuple[int, int]]:
        """Fill in descriptors of the frames to send; return the writes that announce them to the card."""
        descriptors: list[tuple[int, int, int, int]] = []
        slots = self._next_slots(self._free_slots)
        for slot, length in zip(slots, lengths[: len(slots)], strict=True):
            if not length:
                break
            descriptors += self._describe(slot, length)
            self._frames += 1
        if not descriptors:
            return []
        writes = self._store(descriptors)
        self._produced += len(descriptors)
        return [*writes, (card.MAILBOX_SEND, self._produced % self._entries)]

    def _describe(self, slot: int, length: int) -> list[tuple[int, int, int, int]]:
        flags, tag = card.Flag(0), 0
        if self._settings.vlan or self._settings.send_checksums:
            length, flags, tag = self._leave_to_card(slot, length)
        header_bytes = min(self._settings.header_bytes, length)
        parts = [(self._headers[slot], header_bytes)] if header_bytes else []
        parts.append((self._payloads[slot], length - header_bytes))
        last = len(parts) - 1
        return [
            (
                address >> 32,
                address & 0xFFFF_FFFF,
                size << 16 | flags | (card.Flag.END if part == last else 0),
                tag,
            )
            for part, (address, size) in enumerate(parts)
        ]

    def _leave_to_card(self, slot: int, length: int) -> tuple[int, card.Flag, int]:
        """Remove tag and checksums from a frame; return its length, the flags for the card, and the tag."""
        host, settings = self._host, self._settings
        header_bytes = settings.header_bytes
        header, payload = self._headers[slot], self._payloads[slot]
        frame = host.load(header, header_bytes) + host.load(payload, length - header_bytes)
        flags, tag = card.Flag(0), 0
        if settings.vlan and (found := tag_of(frame)) is not None:
            flags, tag = card.Flag.VLAN, found
            frame = frame[:ADDRESSES_BYTES] + frame[ADDRESSES_BYTES + TAG_BYTES :]
        bare = without_checksums(frame) if settings.send_checksums else None
        if bare is not None:
            flags |= card.Flag.CHECKSUM | card.Flag.IP_CHECKSUM
            frame = bare
        host.store(header, frame[:header_bytes])
        host.store(payload, frame[header_bytes:])
        return len(frame), flags, tag

    def _store(self, descriptors: list[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
        """Write into host memory, or word by word into the memory of the card."""
        place = self._produced % self._entries
        if self._settings.send_ring_in_host:
            packed = b"".join(_DESCRIPTOR.pack(*descriptor) for descriptor in descriptors)
            until_end = (self._entries - place) * _DESCRIPTOR.size
            self._host.store(self._ring + place * _DESCRIPTOR.size, packed[:until_end])
            if packed[until_end:]:
                self._host.store(self._ring, packed[until_end:])
            return []
        return self._through_window(place, descriptors)

    def _through_window(
        self, place: int, descriptors: list[tuple[int, int, int, int]]
    ) -> list[tuple[int, int]]:
        writes, base = [], None
        for number, descriptor in enumerate(descriptors):
            address = self.card_ring + (place + number) % self._entries * _DESCRIPTOR.size
            if address // card.WINDOW_BYTES != base:
                base = address // card.WINDOW_BYTES
                writes.append((int(Register.WINDOW_BASE), base * card.WINDOW_BYTES))
            for word, value in enumerate(descriptor):
                writes.append((card.WINDOW + address % card.WINDOW_BYTES + 4 * word, value))
        return writes

    def take_back(self, consumer: int) -> bool:
        """Take back the descriptors before `consumer`; return true if there are any.

        Raises:
            DriverError: The card does not have all of them.
        """
        done = (consumer - self._consumed) % self._entries
        if consumer >= self._entries or done > self._produced - self._consumed:
            raise DriverError(
                f"the card reports send descriptor {consumer} as complete, but only those before "
                f"{self._produced % self._entries} were posted",
                "check how the firmware counts the descriptors of frames that have left",
            )
        self._consumed += done
        return done > 0
