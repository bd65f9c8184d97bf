"""Changes of the driver to frames whose processing it offloads to the card (RFC 1071, IEEE 802.1Q)."""

from __future__ import annotations

from typing import NamedTuple

TAG_BYTES = 4
ADDRESSES_BYTES = 12
CHECK_SEQUENCE_BYTES = 4
_TYPE_VLAN = b"\x81\x00"
_TYPE_IP = b"\x08\x00"
_SHORTEST_HEADER = 20
_FRAGMENT = 0x3FFF
"""More to come, or not the first."""
_UDP = 17
_FIELDS = {6: 16, _UDP: 6}
"""Offsets of the checksums of TCP and UDP."""


class Datagram(NamedTuple):
    """Offsets of the parts of an IPv4 datagram in its frame."""

    ip: int
    transport: int
    end: int
    protocol: int


def ones_complement_sum(data: bytes) -> int:
    """Return the 16-bit ones' complement sum of some bytes."""
    number = int.from_bytes(data + bytes(len(data) % 2), "big")
    return number % 0xFFFF or (0xFFFF if number else 0)


def tag_of(frame: bytes) -> int | None:
    """Return the tag of a frame; `None` if it has none."""
    header = frame[ADDRESSES_BYTES : ADDRESSES_BYTES + TAG_BYTES]
    return int.from_bytes(header[2:], "big") if header[:2] == _TYPE_VLAN else None


def datagram_of(frame: bytes) -> Datagram | None:
    """Return the IPv4 datagram in a frame; `None` without a complete one."""
    ip = ADDRESSES_BYTES + 2 + (TAG_BYTES if tag_of(frame) is not None else 0)
    if frame[ip - 2 : ip] != _TYPE_IP or len(frame) < ip + _SHORTEST_HEADER or frame[ip] >> 4 != 4:
        return None
    transport = ip + 4 * (frame[ip] & 15)
    end = ip + int.from_bytes(frame[ip + 2 : ip + 4], "big")
    is_fragment = int.from_bytes(frame[ip + 6 : ip + 8], "big") & _FRAGMENT
    if is_fragment or not ip + _SHORTEST_HEADER <= transport <= end <= len(frame):
        return None
    return Datagram(ip, transport, end, frame[ip + 9])


def sums_of(frame: bytes, datagram: Datagram) -> tuple[int, int]:
    """Return the sums of the header and of the payload of a datagram."""
    ip, transport, end, _ = datagram
    return ones_complement_sum(frame[ip:transport]), ones_complement_sum(frame[transport:end])


def without_checksums(frame: bytes) -> bytes | None:
    """Leave checksums to the card: that of IP, and that of TCP or UDP but for the pseudo-header.

    `None` if the card would not restore the present checksums.
    """
    datagram = datagram_of(frame)
    if datagram is None or datagram.protocol not in _FIELDS or any(frame[datagram.end :]):
        return None
    ip, transport, end, protocol = datagram
    field = transport + _FIELDS[protocol]
    if field + 2 > end:
        return None
    pseudo = frame[ip + 12 : ip + 20] + bytes([0, protocol]) + (end - transport).to_bytes(2, "big")
    bare = bytearray(frame)
    bare[ip + 10 : ip + 12] = bare[field : field + 2] = bytes(2)
    header = _checksum(bare[ip:transport])
    whole = _checksum(pseudo + bare[transport:end])
    if protocol == _UDP and not any(whole):
        whole = b"\xff\xff"
    if (frame[ip + 10 : ip + 12], frame[field : field + 2]) != (header, whole):
        return None
    bare[field : field + 2] = ones_complement_sum(pseudo).to_bytes(2, "big")
    return bytes(bare)


def _checksum(data: bytes | bytearray) -> bytes:
    return (0xFFFF - ones_complement_sum(bytes(data))).to_bytes(2, "big")
