"""Large sends of TCP leave as the frames that scapy makes of them."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from scapy.all import (  # type: ignore[attr-defined]
    IP,
    TCP,
    Dot1Q,
    Ether,
    IPOption_EOL,
    IPOption_NOP,
    IPv6,
    Packet,
    Raw,
    in4_chksum,
    in6_chksum,
    wrpcap,
)

from spinach_nic import run, us
from spinach_nic.cards.drivers import Host, Program, send, wait
from spinach_nic.cards.hundredgig import Hundredgig
from spinach_nic.cards.hundredgig.driver import SEND, Steps, VirtioDriver
from spinach_nic.cards.hundredgig.model import VirtioDriverModel
from spinach_nic.cards.hundredgig.settings import Settings

HEADERS = Ether(dst="02:53:50:49:4e:41", src="02:00:00:00:00:01")
IPV4 = IP(src="10.0.0.1", dst="10.9.0.2", id=0xFFFE, flags="DF")
IPV6 = IPv6(src="fe80::1", dst="2001:db8::2")
OPTIONS = [("NOP", None), ("NOP", None), ("Timestamp", (1, 2))]
FILLED = [IPOption_NOP(), IPOption_NOP(), IPOption_NOP(), IPOption_EOL()]
SETTINGS = Settings(1, 64, 2048, us(1), us(1), checksums=True, segmentation=True)
PLACES = [("hardware", "hardware"), ("firmware", "hardware"), ("firmware", "firmware")]
"""Places in which large sends are cut, and in which checksums are computed."""


class LargeSend:
    """A segment of TCP that is too long for a frame."""

    def __init__(self, network: Packet, transport: Packet, payload: bytes, size: int) -> None:
        """Describe it by headers, payload, and payload of a frame."""
        self.packet: Packet = network / transport / Raw(payload)
        self.size = size

    @property
    def start(self) -> int:
        """Offset of the header of TCP."""
        return len(self.packet) - len(self.packet[TCP])

    def frames(self) -> list[bytes]:
        """Return the frames that a card is to send, whose lengths and checksums scapy computes."""
        made = []
        payload = bytes(self.packet[Raw])
        for offset in range(0, len(payload), self.size):
            frame = self.packet.copy()
            flags, is_last = frame[TCP].flags, offset + self.size >= len(payload)
            frame[Raw].load = payload[offset : offset + self.size]
            frame[TCP].seq = (frame[TCP].seq + offset) % (1 << 32)
            if IP in frame:
                frame[IP].id = (frame[IP].id + offset // self.size) % (1 << 16)
            kept = str(flags) if is_last else str(flags).replace("F", "").replace("P", "")
            frame[TCP].flags = kept if offset == 0 else kept.replace("C", "")
            made.append(bytes(frame).ljust(60, b"\0"))
        return made

    def given(self) -> bytes:
        """Return the header of virtio and the segment as a driver gives them."""
        packet = self.packet
        segment = bytes(packet[TCP])
        # The checksum over a header of zeros is the complement of the sum of the pseudo header.
        blank = bytes(len(segment))
        of = in4_chksum(6, packet[IP], blank) if IP in packet else in6_chksum(6, packet[IPv6], blank)
        contents = bytearray(bytes(packet))
        contents[self.start + 16 : self.start + 18] = struct.pack(">H", of ^ 0xFFFF)
        kind = (1 if IP in packet else 4) | (0x80 if "C" in str(packet[TCP].flags) else 0)
        return struct.pack("<BB5H", 1, kind, 0, self.size, self.start, 16, 0) + contents


class Giving(VirtioDriver):
    """Gives the card each large send in pieces, for the frames that it is to become."""

    def __init__(self, settings: Settings, sends: Sequence[LargeSend], invalid: Sequence[bytes] = ()) -> None:
        """Give `sends`, after chains with `invalid` contents."""
        super().__init__(settings)
        self._sends, self._invalid = sends, invalid
        self._chance = random.Random(7)

    def _work(self) -> Steps:
        host = self._host
        frame, buffer = host.allocate(2048, 64), host.allocate(1 << 17, 64)
        chains = [(contents, 1) for contents in self._invalid]
        chains += [(large.given(), len(large.frames())) for large in self._sends]
        for contents, frames in chains:
            # The frames that leave, or are dropped, must be due.
            for _ in range(frames):
                while not (yield send(frame, frame, 0)):
                    yield wait(until=host.now + us(1))
            yield from self._give(buffer, contents)
        yield from super()._work()

    def _give(self, buffer: int, contents: bytes) -> Steps:
        ring, host = self._rings[SEND], self._host
        count = self._chance.choice([1, 2, 3, 17, 40])
        cuts = sorted(self._chance.sample(range(1, len(contents)), min(count, len(contents)) - 1))
        places = [0, *cuts, len(contents)]
        pieces: list[tuple[int, int, int]] = []
        for first, end in pairwise(places):
            # Pieces lie apart, at any address.
            address = buffer + first + 3 * len(pieces)
            host.store(address, contents[first:end])
            pieces.append((address, end - first, 0))
        ring.add_chain(pieces)
        yield self._ring_doorbell(SEND)
        while not ring.take_used():
            yield wait(until=host.now + us(1))


def giving(driver: Giving) -> type[Hundredgig]:
    """Return the card with such a driver."""

    class Model(VirtioDriverModel):
        def program(self, host: Host) -> Program:
            return driver.program(host)

    class Given(Hundredgig):
        driver_model = Model

    return Given


def large_sends() -> list[LargeSend]:
    """Return sends of both versions of IP, with options, tags and flags, of any length."""
    chance = random.Random(5)
    made = []
    for network in (IPV4, IPV6, IP(src="1.2.3.4", dst="255.0.0.1", options=FILLED)):
        for link in (HEADERS, HEADERS / Dot1Q(vlan=5)):
            for flags, length in (("A", 1), ("CPA", 2000), ("FPA", 9999)):
                transport = TCP(
                    sport=1, dport=2, seq=0xFFFF_F000, flags=flags, options=chance.choice([[], OPTIONS])
                )
                payload, size = chance.randbytes(length), chance.choice([536, 1001, 1400])
                made.append(LargeSend(link / network, transport, payload, size))
    # As long as an untagged frame may be, and a tag more.
    made.append(LargeSend(HEADERS / Dot1Q(vlan=5) / IPV4, TCP(flags="PA"), chance.randbytes(5000), 1460))
    # The longest packet of IPv4.
    made.append(LargeSend(HEADERS / IPV4, TCP(flags="PA"), chance.randbytes(65_535 - 40), 1448))
    return made


@pytest.mark.parametrize(("segmentation", "checksums"), PLACES)
@pytest.mark.parametrize("packed", [False, True])
def test_a_large_send_leaves_as_the_frames_that_scapy_makes(
    tmp_path: Path, segmentation: str, checksums: str, *, packed: bool
) -> None:
    sends, capture = large_sends(), tmp_path / "frames.pcap"
    expected = [Ether(frame) for large in sends for frame in large.frames()]
    wrpcap(str(capture), expected)
    driver = Giving(replace(SETTINGS, packed=packed, event_index=packed), sends)
    places = {"cores": 1, "segmentation": segmentation, "checksums": checksums}
    result = run(giving(driver), traffic=f"pcap:{capture}:tx", set=places)
    assert result.frames.delivered["tx"] == len(expected)
    assert result.frames.corrupted["tx"] == result.frames.reordered["tx"] == 0


def invalid_sends() -> list[bytes]:
    """Return chains whose headers lie, one in each way."""
    right = LargeSend(HEADERS / IPV4, TCP(flags="PA"), bytes(5000), 1400).given()
    changes = [
        (0, b"\0"),  # no checksum
        (1, b"\x03"),  # UDP
        (1, b"\x04"),  # not IPv6
        (4, b"\0\0"),  # no payload in a frame
        (4, b"\xff\xff"),  # too much
        (6, b"\xff\xff"),  # TCP beyond the end
        (6, b"\x21\0"),  # not behind IP
        (6, b"\x04\0"),
        (8, b"\x0f\0"),  # its checksum elsewhere
        (24, b"\x08\x06"),  # ARP
        (26, b"\x46"),  # options of IP that are not there
        (58, b"\x40"),  # a header of TCP that is too short
    ]
    made = [right[:at] + part + right[at + len(part) :] for at, part in changes]
    for link, size in ((HEADERS, 1461), (HEADERS / Dot1Q(vlan=5), 1461)):
        made.append(LargeSend(link / IPV4, TCP(flags="PA"), bytes(5000), size).given())
    return [*made, right[:10], right[:13], right[:26], right[:65], bytes(60_000)]


@pytest.mark.parametrize("segmentation", ["hardware", "firmware"])
@pytest.mark.parametrize("packed", [False, True])
def test_large_sends_that_lie_are_dropped_and_nothing_else(segmentation: str, *, packed: bool) -> None:
    invalid = invalid_sends()
    driver = Giving(replace(SETTINGS, packed=packed), [], invalid)
    settings = {"cores": 1, "segmentation": segmentation}
    result = run(giving(driver), traffic="tcp:1000,push=4:tx@1Gbps", frames=60, set=settings)
    assert result.frames.corrupted["tx"] == 0
    assert result.frames.delivered["tx"] + len(invalid) == result.frames.offered["tx"]
    assert result.frames.dropped["tx"]["engine[0].tally"] == {"invalid_frame_0": len(invalid)}


@pytest.mark.parametrize(("segmentation", "checksums"), PLACES)
def test_the_driver_gives_segments_that_continue_each_other_at_once(
    segmentation: str, checksums: str
) -> None:
    def reads(*, large_sends: bool) -> float:
        places = {"cores": 1, "segmentation": segmentation, "checksums": checksums}
        traffic = "tcp:1447,push=20:tx"
        result = run("hundredgig", traffic=traffic, frames=300, set={**places, "large_sends": large_sends})
        assert result.frames.delivered["tx"] >= 300
        assert result.frames.corrupted["tx"] == result.frames.reordered["tx"] == 0
        return result.counters["host_reads"].value / result.frames.delivered["tx"]

    assert reads(large_sends=True) < 0.5 * reads(large_sends=False)
