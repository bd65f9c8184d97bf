"""Received segments of TCP that continue each other become one, which the driver cuts again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scapy.all import IP, TCP, UDP, Ether, IPv6, Packet, Raw, wrpcap  # type: ignore[attr-defined]

from spinach_nic import run
from spinach_nic.cards.hundredgig import driver
from spinach_nic.cards.hundredgig.segments import frames_of

HEADERS = Ether(dst="02:53:50:49:4e:41", src="02:00:00:00:00:01")
OPTIONS = [("NOP", None), ("NOP", None), ("Timestamp", (1, 2))]
MOST = 16
"""Frames that the firmware makes one."""


@pytest.fixture
def coalesced(monkeypatch: pytest.MonkeyPatch) -> list[list[bytes]]:
    """Frames that the card has made one, as the driver cuts them again."""
    found: list[list[bytes]] = []

    def noted(contents: bytes) -> Iterator[bytes]:
        frames = list(frames_of(contents))
        found.append(frames)
        yield from frames

    monkeypatch.setattr(driver, "frames_of", noted)
    return found


@pytest.mark.parametrize(
    "settings", [{"rings": "split"}, {"rings": "packed"}, {"rings": "packed", "ring_entries": 16}]
)
def test_streams_arrive_in_fewer_frames(coalesced: list[list[bytes]], settings: dict[str, Any]) -> None:
    result = run(
        "hundredgig",
        traffic="tcp:1460,push=44:rx@16Gbps",
        frames=300,
        set={"cores": 1, "coalescing": "firmware", **settings},
    )
    assert result.frames.delivered["rx"] >= 300
    assert result.frames.corrupted["rx"] == result.frames.reordered["rx"] == 0
    assert max(len(frames) for frames in coalesced) > 3
    assert all(1 < len(frames) <= MOST for frames in coalesced)


def test_nothing_is_coalesced_unless_both_sides_want_it(coalesced: list[list[bytes]]) -> None:
    for settings in ({"coalescing": "none"}, {"coalescing": "firmware", "large_receives": False}):
        run("hundredgig", traffic="tcp:1460,push=44:rx@8Gbps", frames=100, set={"cores": 1, **settings})
    assert not coalesced


def network(version: int, number: int = 0, tos: int = 0) -> Packet:
    """Return the header of IP of frame `number` of a stream."""
    identification = (0xFFF0 + number) % 65536
    made: Packet = IP(src="10.0.0.1", dst="10.0.0.2", id=identification, flags="DF", tos=tos)
    if version == 6:
        made = IPv6(src="2001:db8::1", dst="2001:db8::2", fl=0x12345, tc=tos)
    return made


def segment(version: int, number: int, payload: bytes, flags: str = "A", **fields: Any) -> Packet:
    """Return segment `number` of a stream with 100 bytes in each."""
    ip = network(version, number, fields.pop("tos", 0))
    tcp = TCP(
        sport=1, dport=2, seq=(0xFFFFFF00 + 100 * number) % (1 << 32), ack=7, flags=flags, options=OPTIONS
    )
    for name, value in fields.items():
        setattr(tcp, name, value)
    made: Packet = HEADERS / ip / tcp / Raw(payload)
    return made


def spoiled(packet: Packet, layer: type[Packet]) -> Packet:
    """Return a frame with a wrong checksum in one of its headers."""
    made: Packet = Ether(bytes(packet))
    made[layer].chksum ^= 0x0100
    return made


ODD: list[dict[str, Any]] = [
    {"flags": "PA"},
    {"flags": "FA"},
    {"flags": "UA"},
    {"window": 99},
    {"ack": 8},
    {"sport": 3},
    {"options": [("NOP", None), ("NOP", None), ("Timestamp", (1, 3))]},
    {"options": []},
    {"urgptr": 1},
    {"tos": 3},
]
"""Fields in which a segment may differ from those before."""


def odd(chance: random.Random, version: int, number: int, payload: bytes) -> Packet:
    """Return a frame that differs in one thing from the segment that continues a stream."""
    kind = chance.randrange(len(ODD) + 10)
    if kind < len(ODD):
        return segment(version, number, payload, **ODD[kind])
    lengths = [40, 1, 0]
    if kind < len(ODD) + len(lengths):
        return segment(version, number, payload[: lengths[kind - len(ODD)]])
    if kind == len(ODD) + 3:
        return segment(version, number, payload + b"more")
    if kind == len(ODD) + 4:
        return segment(version, number + 1, payload)
    if kind <= len(ODD) + 6:
        return spoiled(segment(version, number, payload), IP if kind % 2 and version == 4 else TCP)
    if kind == len(ODD) + 7:
        other: Packet = HEADERS / network(version) / UDP(sport=1, dport=2) / Raw(payload)
        return other
    if kind == len(ODD) + 8:
        return segment(10 - version, number, payload)
    padded: Packet = Ether(bytes(segment(version, number, payload)) + b"padding")
    return padded


def stream(chance: random.Random, version: int, count: int) -> Iterator[bytes]:
    """Return frames of which most continue those before, and the others differ in one thing."""
    for number in range(count):
        payload = chance.randbytes(100)
        is_odd = chance.random() < 0.3
        frame = odd(chance, version, number, payload) if is_odd else segment(version, number, payload)
        yield bytes(frame).ljust(60, b"\0")


@pytest.mark.parametrize("version", [4, 6])
def test_whatever_differs_reaches_the_driver_as_it_was(
    coalesced: list[list[bytes]], tmp_path: Path, version: int
) -> None:
    """The run compares each frame, cut again by the driver, with what was sent."""
    capture, frames = tmp_path / "frames.pcap", list(stream(random.Random(5), version, 200))
    wrpcap(str(capture), [Ether(frame) for frame in frames])
    settings = {"cores": 1, "coalescing": "firmware", "checksums": "hardware"}
    result = run("hundredgig", traffic=f"pcap:{capture}:rx@2Gbps", set=settings)
    assert result.frames.delivered["rx"] == len(frames)
    assert result.frames.corrupted["rx"] == 0
    assert len(coalesced) > 10
    sent = set(frames)
    assert all(frame in sent for cut in coalesced for frame in cut)
    assert {cut[0][12:14] for cut in coalesced} == {b"\x08\x00" if version == 4 else b"\x86\xdd"}
