"""Large sends of TCP: runs of frames that the driver gives to the card as one, to be cut again."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from spinach_nic.cards.drivers import DriverError
from spinach_nic.cards.hundredgig.map import LARGE_BYTES, VIRTIO_HEADER_BYTES

NEEDS_CHECKSUM = 1
"""Flag of a header: the card inserts the checksum."""
SEGMENT_TCP4, SEGMENT_TCP6 = 1, 4
"""Kind of segmentation: TCP over IPv4."""
TRANSPORT_OFFSET = 34
"""Offset of TCP and UDP in a frame whose IPv4 header has no options."""
CHECKSUM_OFFSETS = {6: 16, 17: 6}
"""Offset of the checksum in the header of TCP and UDP, by protocol number."""
_TCP = 6
_PUSH, _FINISH = 8, 1
_SHORTEST = TRANSPORT_OFFSET + 20
HEADER_BYTES = TRANSPORT_OFFSET + 60
"""Length of the longest headers that the driver reads: those of Ethernet, IPv4 and TCP with all options."""
_LARGEST = 65_535 + 14
"""Bytes of the largest send: the length of IPv4 has 16 bits."""
_IDENTIFICATION, _IP_CHECKSUM, _SEQUENCE, _FLAGS = 18, 24, 38, 47


_IPV4 = struct.Struct(">12x3sxH2xHxB2xQ").unpack_from
"""Type and version, length, fragment, protocol and both addresses of a frame that may have an IPv4 header."""
_CHECKSUMS = {
    protocol: (TRANSPORT_OFFSET + at, struct.pack("<BB5H", NEEDS_CHECKSUM, 0, 0, 0, TRANSPORT_OFFSET, at, 0))
    for protocol, at in CHECKSUM_OFFSETS.items()
}
"""Place of the checksum in a frame, and header of virtio to complete it, by protocol number."""


def pseudo_header_sum(addresses: int, protocol: int, length: int) -> bytes:
    """Return the sum of the pseudo header of a segment or datagram of `length` bytes."""
    # Ones' complement sums of 16-bit words are equal modulo 0xFFFF, and 0 only if all words are.
    return ((addresses + protocol + length - 1) % 0xFFFF + 1).to_bytes(2, "big")


def without_checksum(frame: bytes) -> bytes:
    """Return the header of virtio and the first bytes of a frame whose checksum the card completes.

    The checksum of TCP or UDP is replaced by the sum of the pseudo header. Other frames keep their bytes.
    """
    kind, length, fragment, protocol, addresses = _IPV4(frame)
    if kind != b"\x08\x00\x45" or fragment & 0x3FFF or protocol not in _CHECKSUMS:
        return bytes(VIRTIO_HEADER_BYTES)
    place, header = _CHECKSUMS[protocol]
    return header + frame[:place] + pseudo_header_sum(addresses, protocol, length - 20)


class Due(Struct, frozen=True, gc=False):
    """A frame to send."""

    place: int
    """Address of its buffer, which begins with the header of virtio."""
    length: int
    headers: bytes
    """First `HEADER_BYTES` of the buffer's frame."""
    keeps_checksum: bool = False
    """True if the card neither computes its checksum nor cuts it from a large send."""


class _Segment(NamedTuple):
    """A frame with TCP and data over IPv4."""

    key: bytes
    """Bytes in which the frames of a send agree."""
    headers: int
    payload: int
    identification: int
    sequence: int
    flags: int

    @classmethod
    def of(cls, due: Due) -> _Segment | None:
        """Return the segment in a frame, or None if there is none that could be part of a large send."""
        frame = due.headers
        if due.length < _SHORTEST or frame[12:15] != b"\x08\x00\x45" or frame[23] != _TCP:
            return None
        length, identification, fragment = struct.unpack(">3H", frame[16:22])
        headers = TRANSPORT_OFFSET + (frame[46] >> 4) * 4
        payload = 14 + length - headers
        if (
            fragment & 0x3FFF
            or headers < _SHORTEST
            or payload <= 0
            or frame[_FLAGS] & ~(_PUSH | _FINISH) != 0x10
        ):
            return None
        key = frame[:16] + frame[20:24] + frame[26:38] + frame[42:47] + frame[48:50] + frame[52:headers]
        (sequence,) = struct.unpack(">I", frame[_SEQUENCE : _SEQUENCE + 4])
        return cls(key, headers, payload, identification, sequence, frame[_FLAGS])

    def precedes(self, other: _Segment) -> bool:
        """Return true if `other` continues the send."""
        return (
            self.key == other.key
            and not self.flags & (_PUSH | _FINISH)
            and (self.identification + 1) & 0xFFFF == other.identification
            and (self.sequence + self.payload) & 0xFFFF_FFFF == other.sequence
        )


class Run(Struct, dict=True):
    """Consecutive frames of a flow, which one chain carries."""

    frames: list[Due]
    _last: _Segment | None = None
    """Segment of the last frame that was added to the first."""
    _added: int = 0
    """Bytes of payload that were added."""

    @cached_property
    def _first(self) -> _Segment | None:
        return _Segment.of(self.frames[0])

    def takes(self, frame: Due) -> bool:
        """Add a frame if it continues the send, and return true."""
        new = _Segment.of(frame)
        if new is None or self._first is None:
            return False
        first, last = self._first, self._last or self._first
        if (
            not last.precedes(new)
            or last.payload != first.payload
            or new.payload > first.payload
            or first.headers + first.payload + self._added + new.payload > _LARGEST
        ):
            return False
        self.frames.append(frame)
        self._last = new
        self._added += new.payload
        return True

    def contents(self, load: Callable[[int, int], bytes]) -> bytes:
        """Return the header of virtio and the frame that the card cuts; `load` reads payloads from memory."""
        first, last = self._first, self._last
        assert first is not None
        assert last is not None
        total = first.headers + first.payload + self._added
        headers = bytearray(self.frames[0].headers[: first.headers])
        headers[16:18] = struct.pack(">H", total - 14)
        headers[_FLAGS] = last.flags
        field = TRANSPORT_OFFSET + CHECKSUM_OFFSETS[_TCP]
        addresses = int.from_bytes(headers[26:34], "big")
        headers[field : field + 2] = pseudo_header_sum(addresses, _TCP, total - TRANSPORT_OFFSET)
        virtio = struct.pack(
            "<BB5H",
            NEEDS_CHECKSUM,
            SEGMENT_TCP4,
            first.headers,
            first.payload,
            TRANSPORT_OFFSET,
            CHECKSUM_OFFSETS[_TCP],
            0,
        )
        begin = VIRTIO_HEADER_BYTES + first.headers
        payloads = [load(frame.place + begin, first.payload) for frame in self.frames[:-1]]
        payloads.append(load(self.frames[-1].place + begin, last.payload))
        made = b"".join([virtio, headers, *payloads])
        assert VIRTIO_HEADER_BYTES + total == len(made) <= LARGE_BYTES
        return made


def flow_of(headers: bytes) -> bytes:
    """Return addresses and, of TCP and UDP in one piece, ports of a frame; frames without IP are one flow."""
    kind, _, fragment, protocol, _ = _IPV4(headers)
    if kind.startswith(b"\x08\x00"):
        has_ports = kind == b"\x08\x00\x45" and not fragment & 0x3FFF and protocol in CHECKSUM_OFFSETS
        return headers[26 : 38 if has_ports else 34]
    if kind.startswith(b"\x86\xdd"):
        return headers[22 : 58 if headers[20] in CHECKSUM_OFFSETS else 54]
    return b""


def runs(frames: Iterable[Due], *, by_flow: bool) -> list[Run]:
    """Return frames in runs. With `by_flow` only frames of a flow keep their order."""
    ended: list[Run] = []
    open_runs: dict[bytes, Run] = {}
    for frame in frames:
        flow = flow_of(frame.headers) if by_flow else b""
        run = open_runs.get(flow)
        if run is not None:
            if run.takes(frame):
                continue
            ended.append(run)
        open_runs[flow] = Run([frame])
    return [*ended, *open_runs.values()]


def _checksum(contents: bytes) -> bytes:
    """Return the Internet checksum of bytes."""
    padded = contents + bytes(len(contents) % 2)
    total = sum(struct.unpack(f">{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return struct.pack(">H", total ^ 0xFFFF)


def _sum_of(frame: bytes, transport: int) -> bytes:
    """Return the sum of the pseudo header of TCP over IPv4 or IPv6, not inverted."""
    addresses = frame[26:34] if transport == TRANSPORT_OFFSET else frame[22:54]
    return _inverted(_checksum(addresses + struct.pack(">HH", _TCP, len(frame) - transport)))


def _inverted(checksum: bytes) -> bytes:
    return bytes(0xFF ^ byte for byte in checksum)


def _with_lengths(frame: bytes, transport: int, number: int = 0) -> bytearray:
    """Return a frame whose header of IP has its length, and the identification of frame `number`."""
    made = bytearray(frame)
    if transport != TRANSPORT_OFFSET:
        made[18:20] = struct.pack(">H", len(frame) - transport)
        return made
    (identification,) = struct.unpack(">H", frame[_IDENTIFICATION : _IDENTIFICATION + 2])
    made[16:20] = struct.pack(">HH", len(frame) - 14, identification + number & 0xFFFF)
    made[_IP_CHECKSUM : _IP_CHECKSUM + 2] = b"\0\0"
    made[_IP_CHECKSUM : _IP_CHECKSUM + 2] = _checksum(bytes(made[14:TRANSPORT_OFFSET]))
    return made


def frames_of(contents: bytes) -> Iterator[bytes]:
    """Return the frames that the card has made one, from the bytes of all buffers with the header of virtio.

    Raises:
        DriverError: The header of virtio is not that of segments of TCP over IPv4 or IPv6, or a length or a
            sum in the headers is wrong.
    """
    fields = struct.unpack("<BB5H", contents[:VIRTIO_HEADER_BYTES])
    flags, kind, header_bytes, size, start, offset, _ = fields
    frame = contents[VIRTIO_HEADER_BYTES:]
    transport = {SEGMENT_TCP4: TRANSPORT_OFFSET, SEGMENT_TCP6: TRANSPORT_OFFSET + 20}.get(kind, 0)
    field = transport + CHECKSUM_OFFSETS[_TCP]
    is_right = (
        transport > 0
        and (flags, start, offset) == (NEEDS_CHECKSUM, transport, CHECKSUM_OFFSETS[_TCP])
        and size > 0
        and header_bytes == transport + (frame[transport + 12] >> 4) * 4
        and frame[field : field + 2] == _sum_of(frame, transport)
        and frame == _with_lengths(frame, transport)
    )
    if not is_right:
        raise DriverError(
            f"a received frame of {len(frame)} bytes has the header {fields}",
            "look at how the card coalesces",
        )
    payload, at_sequence = frame[header_bytes:], slice(transport + 4, transport + 8)
    (sequence,) = struct.unpack(">I", frame[at_sequence])
    for number, at in enumerate(range(0, len(payload), size)):
        made = _with_lengths(frame[:header_bytes] + payload[at : at + size], transport, number)
        made[at_sequence] = struct.pack(">I", sequence + at & 0xFFFF_FFFF)
        if at + size < len(payload):
            made[transport + 13] &= ~(_PUSH | _FINISH)
        made[field : field + 2] = _sum_of(bytes(made), transport)
        made[field : field + 2] = _checksum(bytes(made[transport:]))
        yield bytes(made)
