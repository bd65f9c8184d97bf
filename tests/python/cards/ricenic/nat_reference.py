"""Address translation as a table of rules, from the standards (RFC 3022, 4787, 5382, 5508).

Which free port a new connection gets is the card's to choose: the reference takes it from the first frame
that leaves, sees that it is one that may be given, and expects it from then on. Checksums are computed anew
over all that they cover, not adjusted; but for quotes, whose end may be missing.
"""

from dataclasses import dataclass, field
from ipaddress import IPv4Address

from spinach_nic.cards.ricenic.nat import Forward

ICMP, TCP, UDP = 1, 6, 17
ERRORS = (3, 4, 11, 12)
ETHERNET = 14
CHECKSUM_OF = {TCP: 16, UDP: 6, ICMP: 2}
FIN, SYN, RST = 1, 2, 4

End = tuple[int, int]


def half(data: bytes, at: int) -> int:
    """The 16 bits at a place."""
    return int.from_bytes(data[at : at + 2], "big")


def internet_sum(data: bytes) -> int:
    """The ones' complement sum of 16-bit words (RFC 1071)."""
    data += b"\0" * (len(data) % 2)
    total = sum(half(data, at) for at in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def checksum(data: bytes, protocol: int) -> int:
    """Return the correct checksum over data whose checksum field is 0."""
    found = internet_sum(data) ^ 0xFFFF
    return found or (0xFFFF if protocol == UDP else 0)


@dataclass
class Datagram:
    """An IPv4 packet within a frame, in pieces."""

    frame: bytes
    start: int = ETHERNET

    @property
    def header_bytes(self) -> int:
        return 4 * (self.frame[self.start] & 15)

    @property
    def end(self) -> int:
        return self.start + half(self.frame, self.start + 2)

    @property
    def protocol(self) -> int:
        return self.frame[self.start + 9]

    @property
    def source(self) -> int:
        return int.from_bytes(self.frame[self.start + 12 : self.start + 16], "big")

    @property
    def destination(self) -> int:
        return int.from_bytes(self.frame[self.start + 16 : self.start + 20], "big")

    @property
    def transport(self) -> bytes:
        return self.frame[self.start + self.header_bytes : self.end]

    def covered(self) -> bytes:
        """Return the bytes covered by the transport's checksum, with the field itself 0."""
        at = CHECKSUM_OF[self.protocol]
        data = self.transport[:at] + b"\0\0" + self.transport[at + 2 :]
        if self.protocol == ICMP:
            return data
        length = len(self.transport).to_bytes(2, "big")
        addresses = self.frame[self.start + 12 : self.start + 20]
        return addresses + bytes([0, self.protocol]) + length + data

    def checksum_error(self) -> int:
        """Return the error of the transport's checksum."""
        stored = half(self.transport, CHECKSUM_OF[self.protocol])
        return (stored - checksum(self.covered(), self.protocol)) % 0xFFFF


def put(frame: bytes, at: int, value: int, size: int) -> bytes:
    """A frame with other bytes at a place."""
    return frame[:at] + value.to_bytes(size, "big") + frame[at + size :]


def with_ip_checksum(frame: bytes) -> bytes:
    """With the checksum of the IP header computed anew."""
    frame = put(frame, ETHERNET + 10, 0, 2)
    header = frame[ETHERNET : ETHERNET + 4 * (frame[ETHERNET] & 15)]
    return put(frame, ETHERNET + 10, internet_sum(header) ^ 0xFFFF, 2)


def with_transport_checksum(frame: bytes, error: int = 0) -> bytes:
    """With the checksum of the transport computed anew, and made wrong by `error`."""
    packet = Datagram(frame)
    right = checksum(packet.covered(), packet.protocol)
    value = (right + error) % 0xFFFF if error else right
    if packet.protocol == UDP:
        value = value or 0xFFFF  # 0 stands for no checksum
    return put(frame, ETHERNET + packet.header_bytes + CHECKSUM_OF[packet.protocol], value, 2)


def port_of(transport: bytes, protocol: int, *, is_source: bool) -> int:
    """The port at one end; of an echo its identifier."""
    return half(transport, 4 if protocol == ICMP else 0 if is_source else 2)


def moved(frame: bytes, end: End, *, outward: bool) -> bytes:
    """The frame with another source (outward) or destination, and all checksums computed anew."""
    packet = Datagram(frame)
    protocol = packet.protocol
    at = packet.start + packet.header_bytes
    field = CHECKSUM_OF[protocol]
    has_none = protocol == UDP and half(packet.transport, field) == 0
    error = 0 if has_none else packet.checksum_error()
    frame = put(frame, packet.start + (12 if outward else 16), end[0], 4)
    frame = put(frame, at + (4 if protocol == ICMP else 0 if outward else 2), end[1], 2)
    frame = with_ip_checksum(frame)
    return frame if has_none else with_transport_checksum(frame, error)


@dataclass
class Connection:
    """Reference state of a connection."""

    protocol: int
    inside: End
    remote: End
    port: int
    used_at: float = 0.0
    seen: set[str] = field(default_factory=set)

    @property
    def is_closing(self) -> bool:
        return "reset" in self.seen or {"out ended", "in ended"} <= self.seen

    @property
    def kind(self) -> str:
        """Return the kind of timeout that applies."""
        if self.protocol != TCP:
            return "udp" if self.protocol == UDP else "icmp"
        return "open" if {"out", "in"} <= self.seen and not self.is_closing else "brief"

    def note(self, packet: Datagram, now: float, *, outward: bool) -> None:
        self.used_at = now
        if self.protocol != TCP:
            return
        flags, way = packet.transport[13], "out" if outward else "in"
        if outward and flags & SYN and self.is_closing:
            self.seen.clear()
        self.seen.add(way)
        if flags & FIN:
            self.seen.add(f"{way} ended")
        if flags & RST:
            self.seen.add("reset")


class WrongPortError(AssertionError):
    """The card did what it must not."""


@dataclass
class Translator:
    """Says what becomes of each frame."""

    own: int
    ports: range
    forwards: list[Forward]
    timeouts: dict[str, float]
    """Timeouts by the kind of connection, in seconds."""
    connections: list[Connection] = field(default_factory=list)

    def expire(self, now: float) -> None:
        """Forget the connections whose time is up."""
        self.connections = [one for one in self.connections if now - one.used_at < self.timeouts[one.kind]]

    def is_doubtful(self, now: float, tick: float) -> bool:
        """Return true if a connection may or may not have ended: the card counts in ticks."""
        margins = (now - one.used_at - self.timeouts[one.kind] for one in self.connections)
        return any(-0.5 * tick < margin < 2.5 * tick for margin in margins)

    def trouble(self, frame: bytes) -> str:
        """Why a frame is dropped whatever connections there are; empty if it is not."""
        if half(frame, 12) == 0x0806:
            return "arp"
        if half(frame, 12) != 0x0800:
            return "not_ip"
        first, total = frame[ETHERNET], half(frame, ETHERNET + 2)
        header = 4 * (first & 15)
        if first >> 4 != 4 or header < 20 or total < header or ETHERNET + total > len(frame):
            return "malformed"
        if internet_sum(frame[ETHERNET : ETHERNET + header]) != 0xFFFF:
            return "bad_checksum"
        if half(frame, ETHERNET + 6) & 0x3FFF:
            return "fragment"
        packet = Datagram(frame)
        size = len(packet.transport)
        if packet.protocol == TCP:
            offset = 4 * (packet.transport[12] >> 4) if size >= 20 else 0
            return "" if 20 <= offset <= size else "malformed"
        if packet.protocol == UDP:
            return "" if size >= 8 and 8 <= half(packet.transport, 4) <= size else "malformed"
        if packet.protocol == ICMP:
            return "" if size >= 8 else "malformed"
        return "protocol"

    def outward(self, frame: bytes, left: bytes | None, now: float) -> tuple[bytes | None, str]:
        """Return the expected output for the host's `frame`, or the drop reason; `left` is the actual one."""
        self.expire(now)
        trouble = self.trouble(frame)
        if trouble:
            return (frame, "") if trouble == "arp" else (None, trouble)
        packet = Datagram(frame)
        protocol = packet.protocol
        if protocol == ICMP and packet.transport[0] != 8:
            return self._error(packet, outward=True)
        inside = (packet.source, port_of(packet.transport, protocol, is_source=True))
        remote_port = 0 if protocol == ICMP else port_of(packet.transport, protocol, is_source=False)
        remote = (packet.destination, remote_port)
        for forward in self.forwards:
            if (forward.protocol, forward.address, forward.server_port) == (protocol, *inside):
                return moved(frame, (self.own, forward.port), outward=True), ""
        known = [
            one
            for one in self.connections
            if (one.protocol, one.inside, one.remote) == (protocol, inside, remote)
        ]
        if not known:
            if protocol == TCP and packet.transport[13] & RST:
                return None, "no_connection"
            if len(self.connections) == len(self.ports):
                return None, "no_port"
            if left is None:
                raise WrongPortError("a connection was not begun although a port is free")
            given = port_of(Datagram(left).transport, protocol, is_source=True)
            if given not in self.ports or given in [one.port for one in self.connections]:
                raise WrongPortError(f"port {given} is not free")
            known = [Connection(protocol, inside, remote, given)]
            self.connections += known
        known[0].note(packet, now, outward=True)
        return moved(frame, (self.own, known[0].port), outward=True), ""

    def inward(self, frame: bytes, now: float) -> tuple[bytes | None, str]:
        """Return the expected arrival at the host for the network's `frame`, or the reason of its drop."""
        self.expire(now)
        trouble = self.trouble(frame)
        if trouble:
            return (frame, "") if trouble == "arp" else (None, trouble)
        packet = Datagram(frame)
        protocol = packet.protocol
        if packet.destination != self.own:
            return None, "not_ours"
        if protocol == ICMP and packet.transport[0] != 0:
            return self._error(packet, outward=False)
        port = port_of(packet.transport, protocol, is_source=False)
        remote_port = 0 if protocol == ICMP else port_of(packet.transport, protocol, is_source=True)
        for forward in self.forwards:
            if (forward.protocol, forward.port) == (protocol, port):
                return moved(frame, (forward.address, forward.server_port), outward=False), ""
        wanted = (protocol, port, (packet.source, remote_port))
        for one in self.connections:
            if (one.protocol, one.port, one.remote) == wanted:
                one.note(packet, now, outward=False)
                return moved(frame, one.inside, outward=False), ""
        return None, "no_connection"

    def _error(self, packet: Datagram, *, outward: bool) -> tuple[bytes | None, str]:
        """An ICMP error: the end that it quotes is replaced by what the quoted packet's sender knows."""
        quoted = Datagram(packet.frame, packet.start + packet.header_bytes + 8)
        room = packet.end - quoted.start
        frame = packet.frame
        if packet.transport[0] not in ERRORS or room < 20 or frame[quoted.start] >> 4 != 4:
            return None, "icmp"
        if (
            quoted.header_bytes < 20
            or room < quoted.header_bytes + 8
            or half(frame, quoted.start + 6) & 0x1FFF
        ):
            return None, "icmp"
        end = self._quoted_end(quoted, outward=outward)
        if end is None:
            return None, "icmp"
        changed = self._requoted(packet, quoted, end, outward=outward)
        changed = put(changed, ETHERNET + (12 if outward else 16), self.own if outward else end[0], 4)
        return with_transport_checksum(with_ip_checksum(changed), packet.checksum_error()), ""

    def _quoted_end(self, quoted: Datagram, *, outward: bool) -> End | None:
        protocol = quoted.protocol
        transport = quoted.frame[quoted.start + quoted.header_bytes :]
        if protocol not in CHECKSUM_OF or (protocol == ICMP and transport[0] != (0 if outward else 8)):
            return None
        own_port = port_of(transport, protocol, is_source=not outward)
        other_port = 0 if protocol == ICMP else port_of(transport, protocol, is_source=outward)
        if outward:
            inside, remote = (quoted.destination, own_port), (quoted.source, other_port)
            for forward in self.forwards:
                if (forward.protocol, forward.address, forward.server_port) == (protocol, *inside):
                    return (self.own, forward.port)
            ends = [
                (self.own, one.port)
                for one in self.connections
                if (one.protocol, one.inside, one.remote) == (protocol, inside, remote)
            ]
        else:
            if quoted.source != self.own:
                return None
            for forward in self.forwards:
                if (forward.protocol, forward.port) == (protocol, own_port):
                    return (forward.address, forward.server_port)
            wanted = (protocol, own_port, (quoted.destination, other_port))
            ends = [one.inside for one in self.connections if (one.protocol, one.port, one.remote) == wanted]
        return ends[0] if ends else None

    def _requoted(self, packet: Datagram, quoted: Datagram, end: End, *, outward: bool) -> bytes:
        """The frame with another end quoted; quoted checksums lose what the end adds to their sums."""
        frame, protocol = packet.frame, quoted.protocol
        at = quoted.start + quoted.header_bytes
        address_at = quoted.start + (16 if outward else 12)
        port_at = at + (4 if protocol == ICMP else 2 if outward else 0)
        before = internet_sum(frame[address_at : address_at + 4]), half(frame, port_at)
        changed = put(put(frame, address_at, end[0], 4), port_at, end[1], 2)
        after = internet_sum(changed[address_at : address_at + 4]), end[1]
        changed = put(
            changed, quoted.start + 10, _less(half(frame, quoted.start + 10), after[0] - before[0]), 2
        )
        checksum_at = at + CHECKSUM_OF[protocol]
        stored = half(frame, checksum_at)
        if checksum_at + 2 > packet.end or (protocol == UDP and stored == 0):
            return changed
        gain = after[1] - before[1] + (0 if protocol == ICMP else after[0] - before[0])
        value = _less(stored, gain)
        return put(changed, checksum_at, value or (0xFFFF if protocol == UDP else 0), 2)


def _less(stored: int, gain: int) -> int:
    """A checksum whose sum has gained."""
    return (stored - gain) % 0xFFFF


def same(one: bytes | None, other: bytes | None) -> bool:
    """Return true if two frames are equal, except for 0 and 0xffff, the zeros of ones' complement.

    In checksums of UDP these differ: 0 stands for no checksum.
    """
    if one == other or one is None or other is None or len(one) != len(other):
        return one == other
    differing = {at & ~1 for at in range(len(one)) if one[at] != other[at]}
    ambiguous = all({half(one, at), half(other, at)} == {0, 0xFFFF} for at in differing)
    return ambiguous and not differing & _udp_checksums(one)


def _udp_checksums(frame: bytes) -> set[int]:
    """Return the places of the UDP checksum of a frame, or of the datagram that it quotes."""
    packet = Datagram(frame)
    if packet.protocol == ICMP:
        packet = Datagram(frame, packet.start + packet.header_bytes + 8)
    return {packet.start + packet.header_bytes + CHECKSUM_OF[UDP]} if packet.protocol == UDP else set()


def address(text: str) -> int:
    """An IPv4 address as a number."""
    return int(IPv4Address(text))
