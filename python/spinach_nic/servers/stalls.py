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
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from spinach_nic.servers.console import Consoles, now_ns
from spinach_nic.servers.counts import CountedServers
from spinach_nic.support.pcapng import packets_in

_IPV4, _TCP = 0x0800, 6
_FIN, _SYN, _RST, _ACK = 1, 2, 4, 16
LINK_SILENT_NS = 300_000
"""Longest time in the window without a frame on the link."""
CONNECTION_SILENT_NS = 5_000_000
"""Longest time until the end for which an open connection carries nothing. Connections that take turns are
silent for at most 1 ms."""

Endpoint = tuple[bytes, int]
Connection = tuple[Endpoint, Endpoint]


class Packet(Struct, frozen=True):
    """A TCP segment."""

    time_ns: int
    connection: Connection
    """Both ends, in an order that does not depend on the direction."""
    flags: int


class Stalls:
    """Silences of TCP on a link, from segments in order."""

    def __init__(self, begins_ns: int) -> None:
        """Begin without segments; silences count from `begins_ns` on."""
        self.is_empty = True
        self._begins_ns = self._last = begins_ns
        self._silence = self._silence_of_open = 0
        self._last_of_open: dict[Connection, int] = {}
        self._closed: set[Connection] = set()
        self._unanswered: set[Connection] = set()

    def add(self, packet: Packet) -> None:
        """Add a segment, also one before the beginning."""
        connection = packet.connection
        if packet.time_ns >= self._begins_ns:
            self._end_silence(packet.time_ns)
            self.is_empty = False
        if packet.flags & (_SYN | _ACK) == _SYN:
            self._unanswered.add(connection)
        else:
            self._unanswered.discard(connection)
        if packet.flags & (_FIN | _RST):
            self._closed.add(connection)
            self._last_of_open.pop(connection, None)
        elif packet.flags & _SYN or connection not in self._closed:
            # The acknowledgements of a close do not open a connection again.
            self._closed.discard(connection)
            self._last_of_open[connection] = packet.time_ns

    def _end_silence(self, now_ns: int) -> None:
        silence = now_ns - self._last
        self._silence, self._last = max(self._silence, silence), now_ns
        if self._last_of_open:
            self._silence_of_open = max(self._silence_of_open, silence)

    def wait(self, ends_ns: int, *, has_lost: bool, has_pauses: bool = False) -> str:
        """Return the wait for a timeout until `ends_ns`; empty if there was none.

        Args:
            ends_ns: End of the window, after which nothing is added.
            has_lost: True if a card has dropped frames since the servers booted.
            has_pauses: True if the workload may have no connection for a time.
        """
        self._end_silence(ends_ns)
        silence = self._silence_of_open if has_pauses else self._silence
        if silence > LINK_SILENT_NS and has_lost:
            return f"no frame passed for {silence / 1000:.0f} us: TCP waited for a timeout"
        last = self._last_of_open
        waiting = last.keys() if has_lost else last.keys() & self._unanswered
        waits = max((ends_ns - last[connection] for connection in waiting), default=0)
        if waits > CONNECTION_SILENT_NS:
            return f"a TCP connection was silent for {waits / 1000:.0f} us: it waits for a timeout"
        return ""


NOTHING = "nothing was delivered"


def stall_of(packets: Iterator[Packet], begins_ns: int, ends_ns: int, *, has_lost: bool) -> str:
    """Return the reason why a window gives no rates; empty if it gives them.

    Args:
        packets: All TCP segments on the link in order, those before the window as well.
        begins_ns: Beginning of the window, in the time of the segments.
        ends_ns: End of the window.
        has_lost: True if a card has dropped frames since the servers booted.
    """
    stalls = Stalls(begins_ns)
    for packet in packets:
        stalls.add(packet)
    return NOTHING if stalls.is_empty else stalls.wait(ends_ns, has_lost=has_lost)


class Writer(Protocol):
    """Capture that is being written."""

    def finish(self) -> object:
        """Complete the file."""


class WatchedServers(Consoles, CountedServers, Protocol):
    """Servers whose link is watched, as `_native.Server` has them."""

    def capture(self, path: Path) -> Writer:
        """Write the frames on the link to a file from now on."""


class WatchedLink:
    """Link of two servers, watched for stalls while they run, in a capture that is read piece by piece.

    There is one capture at a time. With another, that of `--pcap-out`, which is read at the end.
    """

    def __init__(self, pair: WatchedServers, capture: Path | None, folder: Path) -> None:
        """Watch from now on.

        Args:
            pair: The servers.
            capture: File of the other capture.
            folder: Folder for the pieces.
        """
        self._pair, self._other, self._piece = pair, capture, folder / "link.pcapng"
        self._stalls = Stalls(now_ns(pair))
        self._writer = pair.capture(self._piece) if capture is None else None

    def follow(self) -> None:
        """Read the piece of the servers' last step, and begin the next."""
        if self._writer is not None:
            self._read()
            self._writer = self._pair.capture(self._piece)

    def wait(self) -> str:
        """End; return the wait of TCP, or the reason why it is not known. Empty if there was none."""
        if self._writer is not None:
            self._read()
        elif self._other is not None:
            if not self._other.is_file():
                return "the link was not observed, as --pcap-out is not a regular file"
            for packet in packets_of(self._other):
                self._stalls.add(packet)
        has_lost = any(dropped(self._pair, node) for node in range(self._pair.nodes()))
        return self._stalls.wait(now_ns(self._pair), has_lost=has_lost, has_pauses=True)

    def _read(self) -> None:
        assert self._writer is not None
        self._writer.finish()
        for packet in packets_of(self._piece):
            self._stalls.add(packet)
        self._writer = None


def dropped(pair: CountedServers, node: int) -> int:
    """Return the frames that the card of a server has dropped since the server booted."""
    return sum(count for name, count in pair.card_counters(node) if name.startswith("dropped"))


def packets_of(capture: Path) -> Iterator[Packet]:
    """Yield the TCP segments of a capture of the link, whose times are nanoseconds."""
    for time_ns, frame in packets_in(capture):
        if (packet := _packet(time_ns, frame)) is not None:
            yield packet


def _packet(time_ns: int, frame: bytes) -> Packet | None:
    """Return a frame as a TCP segment; `None` for other frames."""
    if len(frame) < 54 or int.from_bytes(frame[12:14], "big") != _IPV4 or frame[23] != _TCP:
        return None
    tcp = 14 + 4 * (frame[14] & 15)
    source, destination = struct.unpack_from(">HH", frame, tcp)
    ends = sorted([(frame[26:30], source), (frame[30:34], destination)])
    return Packet(time_ns, (ends[0], ends[1]), frame[tcp + 13])
