"""Address translation on RiceNIC: settings of the image `nat`, and the translation of frames.

Section 4 of the paper: the card is the outer interface of a machine that forwards packets. Its host's packets
leave with the card's address and a separate port for each connection; incoming packets are forwarded to the
node of the connection, or of a forwarded port.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from ipaddress import AddressValueError, IPv4Address
from typing import NamedTuple

from spinach_nic.cards.base.card import Card
from spinach_nic.cards.ricenic.registers import (
    NAT_FORWARDS,
    NAT_MOST_CONNECTIONS,
    NAT_SETTINGS_WORDS,
    NAT_TICK_CYCLES,
)
from spinach_nic.model import parameter
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.limits import shortened
from spinach_nic.support.units import Frequency, Time, ms, s
from spinach_nic.traffic import FramePlan, Tcp, Udp
from spinach_nic.traffic.described import AnyFrames, Single

PROTOCOLS = {"tcp": 6, "udp": 17}
LONGEST_TIMEOUT = s(86400)


class Forward(NamedTuple):
    """A port of the card that is forwarded to a server of the inner network."""

    protocol: int
    port: int
    address: int
    server_port: int


class TranslatingCard(Card):
    """Card whose firmware may translate addresses, with the settings of that."""

    nat_address: str = parameter(
        default="10.0.0.2", doc="IPv4 address of the card on the outer network (image nat)."
    )
    nat_forwards: str = parameter(
        default="udp:9:192.168.0.9:9 tcp:9:192.168.0.9:9",
        doc="Ports that outer nodes can connect to, each as tcp:PORT:SERVER:PORT (image nat).",
    )
    nat_first_port: int = parameter(
        default=32768, range=(1, 65535), doc="First port of connections (image nat)."
    )
    nat_connections: int = parameter(
        default=4096,
        range=(1, NAT_MOST_CONNECTIONS),
        doc="Maximum number of connections, each with a separate port (image nat).",
    )
    nat_udp_timeout: Time = parameter(
        default=s(300),
        range=(ms(1), LONGEST_TIMEOUT),
        doc="Lifetime of a UDP connection without packets (image nat; RFC 4787: 5 minutes).",
    )
    nat_tcp_timeout: Time = parameter(
        default=s(7440),
        range=(ms(1), LONGEST_TIMEOUT),
        doc="Lifetime of an open TCP connection without packets (image nat; RFC 5382: 2 hours and"
        " 4 minutes).",
    )
    nat_closing_timeout: Time = parameter(
        default=s(240),
        range=(ms(1), LONGEST_TIMEOUT),
        doc="Lifetime of an opening or closed TCP connection without packets (image nat; RFC "
        "5382: 4 minutes).",
    )
    nat_icmp_timeout: Time = parameter(
        default=s(60),
        range=(ms(1), LONGEST_TIMEOUT),
        doc="Lifetime of ICMP echoes without packets (image nat; RFC 5508: 60 seconds).",
    )

    @property
    def translates(self) -> bool:
        """True if the firmware translates addresses, so that frames change on the way."""
        return self.image is not None and "translate_outward" in self.image.symbols

    def outward(self, plan: FramePlan) -> FramePlan:
        """Return the frames that leave at the wire, translated."""
        return self._left_outward(plan) if self.translates else plan

    def inward(self, plan: FramePlan) -> FramePlan:
        """Return the frames that reach the host, translated."""
        return self._left_inward(plan) if self.translates else plan

    def translation_settings(self, core_clock: Frequency) -> bytes:
        """Return the words that the firmware reads.

        Raises:
            SpinachError: An address, a forwarded port or the range of ports is invalid.
        """
        if self.nat_first_port + self.nat_connections > 1 << 16:
            message = (
                f"nat_connections = {self.nat_connections}: from port {self.nat_first_port} on there are "
                f"only {(1 << 16) - self.nat_first_port}"
            )
            raise SpinachError(message, "lower nat_connections or nat_first_port")

        def ticks(time: Time) -> int:
            # One for the rest of the time, and one as the tick of the last packet began before it.
            cycles = time.femtoseconds * core_clock.hertz // 10**15
            return min(int(cycles // NAT_TICK_CYCLES) + 2, 2**32 - 1)

        words = {
            "external_address": read_address("nat_address", self.nat_address),
            "first_port": self.nat_first_port,
            "connections": self.nat_connections,
            "timeout_udp": ticks(self.nat_udp_timeout),
            "timeout_tcp_open": ticks(self.nat_tcp_timeout),
            "timeout_tcp_brief": ticks(self.nat_closing_timeout),
            "timeout_icmp": ticks(self.nat_icmp_timeout),
        }
        settings = b"".join(struct.pack(">I", words[name]) for name in NAT_SETTINGS_WORDS)
        return settings + b"".join(struct.pack(">4I", *forward) for forward in self.forwards())

    def forwards(self) -> list[Forward]:
        """Return the ports that are forwarded.

        Raises:
            SpinachError: One is invalid, or conflicts with another or with connections.
        """
        forwards = [read_forward(text) for text in self.nat_forwards.split()]
        ports = {(forward.protocol, forward.port) for forward in forwards}
        servers = {(forward.protocol, forward.address, forward.server_port) for forward in forwards}
        own = range(self.nat_first_port, self.nat_first_port + self.nat_connections)
        if len(forwards) > NAT_FORWARDS:
            raise SpinachError(
                f"nat_forwards forwards {len(forwards)} ports", f"forward at most {NAT_FORWARDS}"
            )
        if len(ports) < len(forwards) or len(servers) < len(forwards):
            message = f"nat_forwards = {self.nat_forwards!r} names a port of the card or of a server twice"
            raise SpinachError(message, "name each port of the card and of a server once")
        if any(forward.port in own for forward in forwards):
            message = f"nat_forwards forwards ports reserved for connections, {own.start} to {own.stop - 1}"
            raise SpinachError(message, "choose others, or set nat_first_port and nat_connections")
        return forwards

    def _left_outward(self, plan: FramePlan) -> FramePlan:
        """Return the network's expectation of frames that the host sends.

        Flows of UDP and TCP have ports in the order in which they began, as long as none ends; frames whose
        translation does not follow from their plan are not compared.
        """
        ends = _common_ends(plan.sources)
        servers = {(forward.address, forward.server_port) for forward in self.forwards()}
        if not ends or len(set(ends)) < len(ends) or any(end[:2] in servers for end in ends):
            return _any(plan)
        return plan.with_sources(self._translated)

    def _translated(self, sent: Single) -> Single:
        assert isinstance(sent, Udp | Tcp)
        return replace(
            sent,
            source_address=self.nat_address,
            source_port=self.nat_first_port,
            source_address_step=0,
            source_port_step=1,
        )

    def _left_inward(self, plan: FramePlan) -> FramePlan:
        """Return the host's expectation of frames that the network sends: as `_left_outward`."""
        if not plan.sources or not all(map(self._left_server, plan.sources)):
            return _any(plan)
        return plan.with_sources(lambda sent: self._left_server(sent) or sent)

    def _left_server(self, sent: Single) -> Udp | Tcp | None:
        """Return the frames that a server receives; `None` if they do not follow from those sent."""
        if not isinstance(sent, Udp | Tcp):
            return None
        protocol, port = PROTOCOLS[sent.kind], sent.destination_port
        forward = next((one for one in self.forwards() if one[:2] == (protocol, port)), None)
        is_one_end = not (sent.destination_port_step or sent.destination_address_step)
        is_own = IPv4Address(sent.destination_address) == IPv4Address(self.nat_address)
        if forward is None or not is_one_end or not is_own:
            return None
        address = str(IPv4Address(forward.address))
        return replace(sent, destination_address=address, destination_port=forward.server_port)


def read_address(name: str, text: str) -> int:
    """Return an IPv4 address as a number.

    Raises:
        SpinachError: It is invalid.
    """
    try:
        return int(IPv4Address(text))
    except AddressValueError:
        raise SpinachError(
            f"{name} = {shortened(text)} is not an IPv4 address", "give one such as 10.0.0.2"
        ) from None


def read_forward(text: str) -> Forward:
    """Return a forwarded port, such as `tcp:80:192.168.0.2:8080`.

    Raises:
        SpinachError: It is invalid.
    """
    help = "give protocol, port, server and its port, such as tcp:80:192.168.0.2:8080"
    parts = text.split(":")
    if len(parts) != 4 or parts[0] not in PROTOCOLS:
        raise SpinachError(f"nat_forwards: {shortened(text)} is not a list of forwarded ports", help)
    ports = [int(part) if part.isascii() and part.isdigit() and len(part) < 6 else 0 for part in parts[1::2]]
    if not all(1 <= port <= 65535 for port in ports):
        raise SpinachError(f"nat_forwards: {shortened(text)} has an invalid port number", help)
    address = read_address("nat_forwards", parts[2])
    return Forward(PROTOCOLS[parts[0]], ports[0], address, ports[1])


def _any(plan: FramePlan) -> FramePlan:
    """Frames that are counted but not compared."""
    if plan.is_silent and plan.content is None:
        return plan
    return replace(plan, content=AnyFrames(65535), frames=b"")


def _common_ends(sources: Sequence[Single]) -> Sequence[tuple[int, ...]]:
    """Return the ends of each flow, in the order in which flows begin; empty if sources differ in them."""
    first, *others = sources or (None,)
    if not isinstance(first, Udp | Tcp):
        return ()
    ends = _ends(first) or ()
    is_same = all(isinstance(other, type(first)) and _ends(other) == ends for other in others)
    return ends if is_same else ()


def _ends(sent: Udp | Tcp) -> Sequence[tuple[int, ...]] | None:
    """Source and destination of each flow: addresses and ports. `None` of very many."""
    flows = sent.flows or 1
    if flows > NAT_MOST_CONNECTIONS:
        return None
    source, destination = int(IPv4Address(sent.source_address)), int(IPv4Address(sent.destination_address))
    return [
        (
            (source + flow * sent.source_address_step) % 2**32,
            (sent.source_port + flow * sent.source_port_step) % 2**16,
            (destination + flow * sent.destination_address_step) % 2**32,
            (sent.destination_port + flow * sent.destination_port_step) % 2**16,
        )
        for flow in range(flows)
    ]
