"""Address translation by the firmware, frame by frame against a table-driven reference."""

import random
import re
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address
from typing import Any

import pytest
from scapy.all import ARP, GRE, ICMP, IP, TCP, UDP, Ether, IPv6, Raw  # type: ignore[attr-defined]
from tests.python.cards.ricenic import nat_reference as reference
from tests.python.cards.ricenic.nat_reference import Translator, address, half, put, with_ip_checksum
from tests.python.cards.ricenic.soak import assert_accounted
from tests.python.cards.ricenic.test_console import console, script
from tests.python.cards.trouble import NONE, assert_nothing_wrong

from spinach_nic import SpinachError, Time, run, us
from spinach_nic.benches import GeneratedTraffic
from spinach_nic.cards.ricenic.nat import Forward
from spinach_nic.cards.ricenic.nic import Ricenic
from spinach_nic.cards.ricenic.registers import NAT_DROPS, NAT_TICK_CYCLES
from spinach_nic.firmware import Executable, build
from spinach_nic.model.simulation import simulate
from spinach_nic.model.simulation.conditions import Counted
from spinach_nic.runs.images import load_image
from spinach_nic.traffic import live_frames

OWN = "198.51.100.1"
FORWARDS = "tcp:80:192.168.0.2:8080 udp:53:192.168.0.3:53"
INSIDE = ("192.168.0.2", "192.168.0.3", "192.168.0.9", OWN)
REMOTE = ("203.0.113.5", "203.0.113.6")
PORTS = (53, 80, 1000, 1001, 8080, 65535)
CONNECTIONS = 8
FIRST_PORT = 40000
TIMEOUTS_MS = {"udp": 4, "open": 6, "brief": 3, "icmp": 3}
TICK_S = NAT_TICK_CYCLES / 300e6
OUTSIDE = replace(live_frames(1514), exports=True)
ETHER = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
SHORT, LONG = us(400), us(1500)


@dataclass
class Card:
    """The card with its firmware, given one frame at a time."""

    checksums: bool = True
    host: dict[str, object] = field(default_factory=dict)
    firmware: str = "nat"

    def __post_init__(self) -> None:
        """Load it, and let it start."""
        image = Executable.load(build(f"ricenic/{self.firmware}").path)
        self.nic = Ricenic(
            image=image,
            nat_address=OWN,
            nat_forwards=FORWARDS,
            nat_first_port=FIRST_PORT,
            nat_connections=CONNECTIONS,
            nat_udp_timeout=us(1000 * TIMEOUTS_MS["udp"]),
            nat_tcp_timeout=us(1000 * TIMEOUTS_MS["open"]),
            nat_closing_timeout=us(1000 * TIMEOUTS_MS["brief"]),
            nat_icmp_timeout=us(1000 * TIMEOUTS_MS["icmp"]),
            coalescing_time=us(1),
        )
        self.bench = GeneratedTraffic(tx=OUTSIDE, rx=OUTSIDE)
        self.bench.insert(self.nic)
        for path, value in {"host_latency": us(0), "checksums": self.checksums, **self.host}.items():
            self.bench.set(path, value)
        self.simulation = simulate(self.bench)
        load_image(self.simulation, image, self.nic)
        self.simulation.run(us(300))

    @property
    def now(self) -> float:
        """In seconds."""
        return self.simulation.now.femtoseconds / 1e15

    def pass_frame(self, frame: bytes, *, outward: bool) -> tuple[bytes | None, str]:
        """Return the output at the other side, or the reason of the drop."""
        host, network, end = self.bench.host, self.bench.network, self.bench.sink
        source, sink = (host, end) if outward else (network, host)
        base = 0 if outward else len(NAT_DROPS)
        tally = self.nic.card.tally
        counts = {reason: f"count_{base + place}" for place, reason in enumerate(NAT_DROPS)}
        before = self.simulation.statistics()
        self.simulation.inject(source, frame)
        ways = [Counted(sink, "delivered", before.of(sink, "delivered") + 1)]
        ways += [Counted(tally, name, before.of(tally, name) + 1) for name in counts.values()]
        assert self.simulation.run(us(200), until=ways).reason == "condition", "the frame is stuck"
        self.simulation.run(us(3))  # until the driver knows that its descriptors are done
        after = self.simulation.statistics()
        reasons = [
            reason for reason, name in counts.items() if after.of(tally, name) > before.of(tally, name)
        ]
        assert after.of(sink, "corrupted") == 0
        return self.simulation.export(sink) or None, "".join(reasons)

    def wait(self, span: Time) -> None:
        self.simulation.run(span)


def transport(chance: random.Random, source: int, destination: int) -> Any:
    """A random segment, datagram or echo request."""
    payload = Raw(chance.randbytes(chance.choice([0, 1, 17, 40, 333])))
    kind = chance.randrange(3)
    if kind == 0:
        flags = chance.choice(["S", "A", "PA", "FA", "R", "SA"])
        return TCP(sport=source, dport=destination, flags=flags, seq=chance.randrange(2**32)) / payload
    if kind == 1:
        return UDP(sport=source, dport=destination) / payload
    return ICMP(type=8, id=source, seq=chance.randrange(2**16)) / payload


def spoiled(chance: random.Random, frame: bytes) -> bytes:
    """A frame with something wrong in it, or something rare."""
    at = 14
    kind = chance.randrange(13)
    total, header = half(frame, at + 2), 4 * (frame[at] & 15)
    if kind == 0:
        return put(frame, at + 10, chance.randrange(2**16), 2)
    if kind == 1:
        return with_ip_checksum(put(frame, at + 2, chance.randrange(2**16), 2))
    if kind == 2:
        return with_ip_checksum(put(frame, at + 2, chance.randrange(total + 1), 2))
    if kind == 3:
        return put(frame, at, chance.randrange(256), 1)
    if kind == 4:
        return with_ip_checksum(put(frame, at + 6, chance.choice([0x2000, 1, 0x4001, 0x1FFF, 0x8000]), 2))
    if kind == 5:
        return with_ip_checksum(put(frame, at + 9, chance.choice([1, 2, 6, 17, 47, 50, 132]), 1))
    if kind == 6:
        return put(frame, at + header + chance.choice([2, 6, 16]), chance.choice([0, 1, 0xFFFF, 0xFFFE]), 2)
    if kind == 7:
        return put(frame, at + header + 12, chance.randrange(256), 1)
    if kind == 8:
        return put(frame, 12, chance.choice([0x86DD, 0x8100, 0x0800, 0x0806, 0x88B5, 0x05DC]), 2)
    if kind == 9:
        return with_ip_checksum(put(frame, at + 8, 0, 1))
    if kind == 10:
        return put(frame, at + header + chance.randrange(20), chance.randrange(256), 1)
    if kind == 11:
        return frame[: chance.randrange(14, len(frame) + 1)].ljust(60, b"\0")
    return put(frame, at + chance.randrange(40), chance.randrange(256), 1)


def with_options(chance: random.Random, frame: bytes) -> bytes:
    """The same packet with options in its IP header."""
    words = chance.choice([1, 4, 10])
    changed = frame[:34] + bytes([1] * (4 * words)) + frame[34:]
    changed = put(changed, 14, 0x45 + words, 1)
    changed = put(changed, 16, half(frame, 16) + 4 * words, 2)
    return with_ip_checksum(changed)


class Traffic:
    """Random flows, many of them hostile."""

    def __init__(self, chance: random.Random, translator: Translator) -> None:
        """For a reference that knows the connections."""
        self.chance, self.translator = chance, translator
        self.sent: list[bytes] = []
        self.received: list[bytes] = []

    def frame(self, *, outward: bool) -> bytes:
        chance = self.chance
        if chance.random() < 0.15 and (self.received if outward else self.sent):
            frame = self.error(chance.choice(self.received if outward else self.sent), outward=outward)
        else:
            frame = self.datagram(outward=outward)
        if chance.random() < 0.1 and half(frame, 12) == 0x0800:
            frame = with_options(chance, frame)
        return (spoiled(chance, frame) if chance.random() < 0.2 else frame).ljust(60, b"\0")

    def datagram(self, *, outward: bool) -> bytes:
        chance = self.chance
        if chance.random() < 0.03:
            rare = [ARP(), IPv6() / UDP(), IP(src=REMOTE[0], dst=OWN) / GRE(), Raw(b"\0" * 50)]
            return bytes(ETHER / chance.choice(rare))
        if outward:
            packet = transport(chance, chance.choice(PORTS), chance.choice(PORTS))
            return bytes(ETHER / IP(src=chance.choice(INSIDE), dst=chance.choice(REMOTE)) / packet)
        known = self.translator.connections
        if known and chance.random() < 0.7:
            one = chance.choice(known)
            remote = chance.choice([one.remote[0], one.remote[0], address(chance.choice(REMOTE))])
            port = chance.choice([one.remote[1], one.remote[1], chance.choice(PORTS)])
            packet = self.answer(one.protocol, port, one.port)
        else:
            remote = address(chance.choice(REMOTE))
            packet = transport(
                chance, chance.choice(PORTS), chance.choice([*PORTS, FIRST_PORT, FIRST_PORT + 8])
            )
        to = chance.choice([OWN, OWN, OWN, OWN, OWN, "198.51.100.2"])
        return bytes(ETHER / IP(src=str(IPv4Address(remote)), dst=to) / packet)

    def answer(self, protocol: int, source: int, destination: int) -> Any:
        payload = Raw(self.chance.randbytes(self.chance.randrange(60)))
        if protocol == reference.TCP:
            return (
                TCP(sport=source, dport=destination, flags=self.chance.choice(["A", "SA", "FA", "R"]))
                / payload
            )
        if protocol == reference.UDP:
            return UDP(sport=source, dport=destination) / payload
        return ICMP(type=0, id=destination, seq=1) / payload

    def error(self, quoted: bytes, *, outward: bool) -> bytes:
        """An ICMP error about a frame that came the other way, of which it quotes more or less."""
        chance = self.chance
        quote = quoted[14 : 14 + chance.choice([20, 27, 28, 28, 28, 40, 200])]
        kind, code = chance.choice([(3, 3), (3, 1), (11, 0), (12, 0), (4, 0), (5, 1)])
        ends = (chance.choice(INSIDE), REMOTE[0]) if outward else (chance.choice(REMOTE), OWN)
        error = ICMP(type=kind, code=code) / Raw(quote)
        return bytes(ETHER / IP(src=ends[0], dst=ends[1]) / error)


def translator() -> Translator:
    forwards = [Forward(6, 80, address(INSIDE[0]), 8080), Forward(17, 53, address(INSIDE[1]), 53)]
    timeouts = {kind: time / 1000 for kind, time in TIMEOUTS_MS.items()}
    return Translator(address(OWN), range(FIRST_PORT, FIRST_PORT + CONNECTIONS), forwards, timeouts)


@pytest.mark.parametrize(
    ("seed", "checksums", "host", "firmware"),
    [
        (1, True, {}, "nat"),
        (2, False, {"host.header_bytes": 14, "host.payload_offset": 3}, "nat"),
        (3, True, {"host.header_bytes": 59, "host.header_offset": 1}, "nat"),
        (4, True, {"host.header_bytes": 0, "host.receive_offset": 7}, "nat"),
        (5, True, {}, "nat-split"),
    ],
)
def test_random_flows_are_translated_as_the_reference_says(
    seed: int, checksums: bool, host: dict[str, object], firmware: str
) -> None:
    card, table, chance = Card(checksums, host, firmware), translator(), random.Random(seed)
    traffic = Traffic(chance, table)
    reasons: dict[str, int] = {}
    for number in range(300):
        if chance.random() < 0.03:
            card.wait(chance.choice([SHORT, LONG, us(4500)]))
        while table.is_doubtful(card.now, TICK_S):
            card.wait(us(100))
        outward = chance.random() < 0.55
        frame = traffic.frame(outward=outward)
        now = card.now
        found, reason = card.pass_frame(frame, outward=outward)
        expected, why = table.outward(frame, found, now) if outward else table.inward(frame, now)
        told = f"frame {number}: {frame.hex()}"
        assert reason == why, told
        assert reference.same(found, expected), (
            f"{told}\n{found and found.hex()}\n{expected and expected.hex()}"
        )
        reasons[reason] = reasons.get(reason, 0) + 1
        if found:
            (traffic.sent if outward else traffic.received).append(found)
    # The frames were of all sorts.
    assert {"", "malformed", "no_port", "no_connection", "icmp"} <= set(reasons), reasons


def udp(source: str, sport: int, destination: str, dport: int) -> bytes:
    return bytes(ETHER / IP(src=source, dst=destination) / UDP(sport=sport, dport=dport) / Raw(b"x" * 20))


@pytest.mark.parametrize("outward", [True, False])
def test_a_translated_udp_checksum_of_0_is_sent_as_ffff(outward: bool) -> None:
    card = Card(checksums=False)
    assert card.pass_frame(udp(INSIDE[0], 1000, REMOTE[0], 7), outward=True)[0] is not None

    def frame(payload: bytes, *, translated: bool) -> bytes:
        own, port = (OWN, FIRST_PORT) if translated == outward else (INSIDE[0], 1000)
        ends = IP(src=own, dst=REMOTE[0]) / UDP(sport=port, dport=7)
        if not outward:
            ends = IP(src=REMOTE[0], dst=own) / UDP(sport=7, dport=port)
        return bytes(ETHER / ends / Raw(payload + bytes(18)))

    # The checksum without these two bytes makes it 0 with them.
    checksum_at = 14 + 20 + 6
    payload = frame(b"\0\0", translated=True)[checksum_at : checksum_at + 2]
    expected = frame(payload, translated=True)
    assert half(expected, checksum_at) == 0xFFFF
    found, _ = card.pass_frame(frame(payload, translated=False), outward=outward)
    assert found == expected


def test_ports_run_out_and_come_back_when_connections_end() -> None:
    card = Card()
    for port in range(CONNECTIONS):
        left, _ = card.pass_frame(udp(INSIDE[0], 1000 + port, REMOTE[0], 7), outward=True)
        assert left is not None
    late = udp(INSIDE[0], 2000, REMOTE[0], 7)
    assert card.pass_frame(late, outward=True) == (None, "no_port")
    answer = udp(REMOTE[0], 7, OWN, FIRST_PORT + 3)
    assert card.pass_frame(answer, outward=False)[0] is not None
    assert card.pass_frame(udp(REMOTE[1], 7, OWN, FIRST_PORT + 3), outward=False) == (None, "no_connection")
    card.wait(us(1000 * TIMEOUTS_MS["udp"] + 600))
    assert card.pass_frame(answer, outward=False) == (None, "no_connection")
    left, _ = card.pass_frame(late, outward=True)
    assert left is not None


def test_sessions_pass_and_every_frame_is_accounted_for() -> None:
    traffic = ["tcp:1,333,1448,flows=20,source_address=192.168.0.7:tx@20kpps", "tcp:1448,flows=3:rx@20kpps"]
    result = run("ricenic", firmware="nat", traffic=traffic, frames=99)
    assert_accounted(result)
    assert result.frames.delivered == {"tx": 99, "rx": 99}


def test_what_firmware_drops_is_counted_by_its_reason() -> None:
    traffic = ["udp:18,flows=20:tx@20kpps", "mix:1*udp:18+1*tcp:18,destination_port=99+1*raw:46:rx@20kpps"]
    settings = {"nat_connections": 16}
    result = run("ricenic", firmware="nat", traffic=traffic, frames=80, set=settings)
    assert_nothing_wrong(result.frames)
    assert result.frames.in_flight == NONE
    assert result.frames.dropped["tx"] == {"card.tally": {"no_port": 16}}
    assert set(result.frames.dropped["rx"]["card.tally"]) == {"not_ip", "no_connection"}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"nat_address": "10.0.0"}, "is not an IPv4 address"),
        ({"nat_forwards": "tcp:80"}, "is not a list of forwarded ports"),
        ({"nat_forwards": "tcp:0:10.0.0.1:80"}, "an invalid port number"),
        ({"nat_forwards": "tcp:80:10.0.0.1:80 tcp:81:10.0.0.1:80"}, "twice"),
        ({"nat_forwards": "tcp:32768:10.0.0.1:80"}, "ports reserved for connections"),
        ({"nat_first_port": 65000}, "there are only 536"),
    ],
)
def test_settings_that_cannot_be_are_one_line(settings: dict[str, object], said: str) -> None:
    with pytest.raises(SpinachError, match=said) as raised:
        run("ricenic", firmware="nat", frames=1, set=settings)
    assert "\n" not in raised.value.message


@pytest.mark.parametrize("firmware", ["nat", "nat-split"])
def test_ports_are_forwarded_from_the_console(firmware: str) -> None:
    traffic = ["--traffic", "udp:18,destination_port=77:rx@20kpps", "--time", "8ms"]
    lines = [
        "forward udp 77 192.168.0.5 7777",
        "forward udp 78 192.168.0.5 7777",
        "forward udp 32770 192.168.0.5 1",
        "forward tcp 80 192.168.0.300 1",
        "nat",
        "unforward udp 77",
        "unforward udp 77",
        "rings",
        "rings",
        "nat",
    ]
    code, said, complaint = console("ricenic", "--firmware", firmware, *traffic, *script(*lines))
    assert code == 0, complaint
    answers = said.split("\r\n> ")
    assert "forwarded already" in answers[1]
    assert "connections have this port" in answers[2]
    assert "forward: not understood" in answers[3]
    assert "udp 77 to 192.168.0.5:7777" in answers[4]
    assert "not forwarded" in answers[6]
    assert "udp 77" not in answers[9]
    assert re.search(r"dropped inward, no connection [1-9]", answers[9])


def test_a_core_for_translation_carries_acknowledged_streams_at_the_capacity_of_the_link() -> None:
    # One acknowledgement for two segments, both ways: one core alone drops a tenth of the received frames.
    inner = "flows=8,source_address=192.168.0.7,destination_address=203.0.113.9"
    sent = f"mix:2*tcp:1448,{inner}+1*tcp:0,{inner}:tx"
    traffic = [sent, "mix:2*tcp:1448,flows=8+1*tcp:0,flows=8:rx@980Mbps"]
    result = run("ricenic", firmware="nat-split", traffic=traffic, time=us(4000))
    assert_nothing_wrong(result.frames)
    assert result.frames.dropped == {"tx": {}, "rx": {}}
    assert min(result.frames.delivered.values()) > 400
    # The core that translates polls without work part of the time.
    assert 0.05 < result.tasks["idle"].share_of_cycles < 0.5


def test_receiving_leaves_sending_its_part_when_small_frames_go_both_ways() -> None:
    # More come from the wire than the processor translates.
    traffic = ["udp:18,flows=8,source_address=192.168.0.7:tx", "udp:18,flows=8:rx"]
    result = run("ricenic", firmware="nat", traffic=traffic, time=us(1500))
    assert_nothing_wrong(result.frames)
    sent, received = result.frames.delivered["tx"], result.frames.delivered["rx"]
    assert min(sent, received) > 100
    assert 0.5 < sent / received < 2
