"""Checksums of TCP and UDP are inserted and verified by the card, as the driver negotiates."""

from __future__ import annotations

from pathlib import Path

import pytest
from scapy.all import (  # type: ignore[attr-defined]
    IP,
    TCP,
    UDP,
    Ether,
    IPv6,
    IPv6ExtHdrDestOpt,
    Packet,
    Raw,
    wrpcap,
)

from spinach_nic import run, us
from spinach_nic.cards.drivers import Host, Program
from spinach_nic.cards.hundredgig import Hundredgig
from spinach_nic.cards.hundredgig.driver import Steps, VirtioDriver
from spinach_nic.cards.hundredgig.model import VirtioDriverModel
from spinach_nic.cards.hundredgig.ring import Used
from spinach_nic.cards.hundredgig.settings import Settings

DATA_VALID = 2


@pytest.mark.parametrize("checksums", ["hardware", "firmware"])
@pytest.mark.parametrize("traffic", ["udp:18", "udp:1471", "tcp:333"])
def test_frames_leave_with_the_checksum_that_the_driver_left_out(traffic: str, checksums: str) -> None:
    settings = {"cores": 1, "checksums": checksums}
    result = run("hundredgig", traffic=f"{traffic}:tx@1Gbps", frames=60, set=settings)
    assert result.frames.delivered["tx"] >= 60
    assert result.frames.corrupted["tx"] == 0
    assert result.config["checksums"] == checksums


class Listening(VirtioDriver):
    """Driver that notes the flags in the header of each received frame, by the frame's last byte."""

    flags: dict[int, int]

    def _receive(self, queue: int, used: list[Used]) -> Steps:
        for one in used:
            buffer = one.buffer
            last = self._host.load(buffer + one.length - 1, 1)[0]
            self.flags[last] = self._host.load(buffer, 1)[0]
        yield from super()._receive(queue, used)


def with_wrong_checksum(packet: Packet) -> Packet:
    """Return a frame whose checksum of TCP or UDP differs from the right one by one."""
    made: Packet = Ether(bytes(packet))
    layer = made[TCP] if TCP in made else made[UDP]
    layer.chksum ^= 1
    return made


@pytest.mark.parametrize("offload", [True, False])
def test_the_driver_is_told_which_checksums_are_right(tmp_path: Path, *, offload: bool) -> None:
    to_the_card = Ether(dst="02:53:50:49:4e:41", src="02:00:00:00:00:01") / IP(src="10.0.0.1", dst="10.0.0.2")
    udp, tcp = to_the_card / UDP(sport=1, dport=2), to_the_card / TCP(sport=1, dport=2)
    ipv6 = Ether(dst="02:53:50:49:4e:41") / IPv6()
    last_bytes = [bytes(99) + bytes([number]) for number in range(8)]
    frames = [
        udp / Raw(last_bytes[0]),
        tcp / Raw(last_bytes[1]),
        with_wrong_checksum(udp / Raw(last_bytes[2])),
        with_wrong_checksum(tcp / Raw(last_bytes[3])),
        ipv6 / UDP() / Raw(last_bytes[4]),
        ipv6 / TCP() / Raw(last_bytes[5]),
        with_wrong_checksum(ipv6 / TCP() / Raw(last_bytes[6])),
        # Not looked at: behind an extension header.
        ipv6 / IPv6ExtHdrDestOpt() / UDP() / Raw(last_bytes[7]),
    ]
    capture = tmp_path / "frames.pcap"
    wrpcap(str(capture), frames)
    flags: dict[int, int] = {}

    class Model(VirtioDriverModel):
        def program(self, host: Host) -> Program:
            driver = Listening(Settings(1, 16, 2048, us(1), us(1), checksums=offload))
            driver.flags = flags
            return driver.program(host)

    class Heard(Hundredgig):
        driver_model = Model

    run(Heard, traffic=f"pcap:{capture}:rx", set={"cores": 1})
    right = DATA_VALID if offload else 0
    assert flags == {0: right, 1: right, 2: 0, 3: 0, 4: right, 5: right, 6: 0, 7: 0}
