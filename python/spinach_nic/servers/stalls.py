"""Stalls of TCP on the link between two servers.

TCP that has lost the end of its data waits for its retransmission timeout, at least 200 ms in Linux: longer
than a measured window. Neither the kernel's counters nor those of the card change meanwhile. What
shows is a silent link or, with several connections, an open one without frames. A busy server leaves both,
too: a silence is a wait only if a card has dropped frames, or if it is that of a connection whose request
was not answered.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ENHANCED_PACKET = 6
_IPV4, _TCP = 0x0800, 6
_FIN, _SYN, _RST, _ACK = 1, 2, 4, 16
LINK_SILENT_NS = 300_000
"""Longest time in the window without a frame on the link."""
CONNECTION_SILENT_NS = 5_000_000
"""Longest time until the end for which an open connection carries nothing. Connections that take turns are
silent for at most 1 ms."""

Endpoint = tuple[bytes, int]
Connection = tuple[Endpoint, Endpoint]


@dataclass(frozen=True)
class Packet:
    """A TCP segment."""

    time_ns: int
    connection: Connection
    """Both ends, in an order that does not depend on the direction."""
    flags: int


def stall_of(packets: Iterator[Packet], begins_ns: int, ends_ns: int, *, has_lost: bool) -> str:
    """Return the reason why a window gives no rates; empty if it gives them.

    Args:
        packets: All TCP segments on the link in order, those before the window as well.
        begins_ns: Beginning of the window, in the time of the segments.
        ends_ns: End of the window.
        has_lost: True if a card has dropped frames since the servers booted.
    """
    last = begins_ns
    silence = 0
    is_empty = True
    last_of_open: dict[Connection, int] = {}
    closed: set[Connection] = set()
    unanswered: set[Connection] = set()
    for packet in packets:
        connection = packet.connection
        if packet.flags & (_SYN | _ACK) == _SYN:
            unanswered.add(connection)
        else:
            unanswered.discard(connection)
        if packet.flags & (_FIN | _RST):
            closed.add(connection)
            last_of_open.pop(connection, None)
        elif packet.flags & _SYN or connection not in closed:
            # The acknowledgements of a close do not open a connection again.
            closed.discard(connection)
            last_of_open[connection] = packet.time_ns
        if packet.time_ns >= begins_ns:
            silence, last, is_empty = max(silence, packet.time_ns - last), packet.time_ns, False
    silence = max(silence, ends_ns - last)
    if is_empty:
        return "nothing was delivered"
    if silence > LINK_SILENT_NS and has_lost:
        return f"no frame passed for {silence / 1000:.0f} us: TCP waited for a timeout"
    waiting = last_of_open.keys() if has_lost else last_of_open.keys() & unanswered
    waits = max((ends_ns - last_of_open[connection] for connection in waiting), default=0)
    if waits > CONNECTION_SILENT_NS:
        return f"a TCP connection was silent for {waits / 1000:.0f} us: it waits for a timeout"
    return ""


def packets_of(capture: Path) -> Iterator[Packet]:
    """Yield the TCP segments of a capture of the link (pcapng, little-endian, nanoseconds)."""
    data = capture.read_bytes()
    at = 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == _ENHANCED_PACKET:
            _, high, low, captured = struct.unpack_from("<IIII", data, at + 8)
            packet = _packet(high << 32 | low, data[at + 28 : at + 28 + captured])
            if packet is not None:
                yield packet
        at += length


def _packet(time_ns: int, frame: bytes) -> Packet | None:
    """Return a frame as a TCP segment; `None` for other frames."""
    if len(frame) < 54 or int.from_bytes(frame[12:14], "big") != _IPV4 or frame[23] != _TCP:
        return None
    tcp = 14 + 4 * (frame[14] & 15)
    source, destination = struct.unpack_from(">HH", frame, tcp)
    ends = sorted([(frame[26:30], source), (frame[30:34], destination)])
    return Packet(time_ns, (ends[0], ends[1]), frame[tcp + 13])
