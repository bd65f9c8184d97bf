"""What the driver does to frames when the card is to do some of the work (RFC 1071, IEEE 802.1Q)."""

from __future__ import annotations

from spinach_nic.hosts import Host

TAG_BYTES = 4
ADDRESSES_BYTES = 12
CHECK_SEQUENCE_BYTES = 4
_TYPE_VLAN = 0x8100
_TYPE_IP = 0x0800
_HEADERS_BYTES = 54
_FIELDS = {6: 16, 17: 6}
"""Where TCP and UDP have their checksum."""


def ones_complement_sum(data: bytes) -> int:
    """The 16-bit ones' complement sum of some bytes."""
    padded = data + bytes(len(data) % 2)
    total = sum(int.from_bytes(padded[at : at + 2], "big") for at in range(0, len(padded), 2))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def tag_of(host: Host, frame: int) -> int | None:
    """The tag of a frame in memory; `None` if it has none."""
    header = host.load(frame + ADDRESSES_BYTES, TAG_BYTES)
    return int.from_bytes(header[2:], "big") if header[:2] == _TYPE_VLAN.to_bytes(2, "big") else None


def prepare_checksums(host: Host, frame: int, length: int) -> bool:
    """Leave checksums to the card: that of IP, and that of TCP or UDP but for the pseudo-header.

    Returns whether the frame has such checksums. Its headers must lie together.
    """
    header = bytearray(host.load(frame, min(length, _HEADERS_BYTES)))
    if int.from_bytes(header[12:14], "big") != _TYPE_IP or header[23] not in _FIELDS:
        return False
    transport = 14 + 4 * (header[14] & 15)
    field = transport + _FIELDS[header[23]]
    if field + 2 > len(header):
        return False
    segment = int.from_bytes(header[16:18], "big") - 4 * (header[14] & 15)
    pseudo = bytes(header[26:34]) + bytes([0, header[23]]) + segment.to_bytes(2, "big")
    header[field : field + 2] = ones_complement_sum(pseudo).to_bytes(2, "big")
    header[24:26] = bytes(2)
    host.store(frame, bytes(header[: field + 2]))
    return True


def transport_is_right(frame: bytes, transport_sum: int) -> bool:
    """Whether the sum that the card made of a frame, from the transport on, makes its checksum right."""
    header_bytes = 4 * (frame[14] & 15)
    segment = int.from_bytes(frame[16:18], "big") - header_bytes
    pseudo = frame[26:34] + bytes([0, frame[23]]) + segment.to_bytes(2, "big")
    total = transport_sum + ones_complement_sum(pseudo)
    return (total & 0xFFFF) + (total >> 16) == 0xFFFF
