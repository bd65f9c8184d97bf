"""Captures that Spinach wrote (pcapng, little-endian)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

_ENHANCED_PACKET = 6
_SHORTEST_PACKET = 32
"""Bytes of the block of a packet without content and options."""


def packets_in(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield time in nanoseconds and content of each packet; an incomplete one is left out."""
    data = file.read_bytes()
    at = 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if length < 12 or at + length > len(data):
            return
        if kind == _ENHANCED_PACKET and length >= _SHORTEST_PACKET:
            _, high, low, captured = struct.unpack_from("<IIII", data, at + 8)
            yield high << 32 | low, data[at + 28 : at + 28 + captured]
        at += length
