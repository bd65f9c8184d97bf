"""Frames through the whole card, with all images: byte-exact, in order and accounted for in every mode."""

import struct
from pathlib import Path
from typing import Any

import pytest
from scapy.all import IP, UDP, Dot1Q, Ether, Raw, rdpcap  # type: ignore[attr-defined]
from tests.python.cards.trouble import timeless

from spinach_nic import Result, _native, run
from spinach_nic.benches import Bench, make_bench
from spinach_nic.cards.tigon2 import Tigon2
from spinach_nic.cards.tigon2.driver_model import Tigon2DriverModel

IMAGES = ("uni", "parallel", "released-style")
all_images = pytest.mark.parametrize("firmware", IMAGES)

MAC_ADDRESS = "00:60:cf:20:00:c5"
ELSEWHERE = "00:60:cf:00:00:01"
GROUP = "01:00:5e:00:00:05"
OTHER_GROUP = "01:00:5e:00:00:07"


def check(result: Result, frames: int) -> None:
    assert result.complete
    for direction in ("tx", "rx"):
        assert result.frames.delivered[direction] == frames
        for wrong in (result.frames.corrupted, result.frames.reordered, result.frames.duplicated):
            assert wrong[direction] == 0


def captured(path: Path, frames: list[Ether]) -> Path:
    """A capture of some frames, in the plain format."""
    records = [bytes(frame).ljust(60, b"\0") for frame in frames]
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    path.write_bytes(header + b"".join(struct.pack("<IIII", 0, 0, len(it), len(it)) + it for it in records))
    return path


MODES = {
    "whole frames in line": {"header_bytes": "0", "payload_offset": "0", "receive_offset": "0"},
    "odd offsets": {"header_offset": "3", "payload_offset": "7", "receive_offset": "5"},
    "odd header": {"header_bytes": "17", "header_offset": "1"},
    "mini ring": {"mini_buffers": "128"},
    "ring on the card": {"send_ring_in_host": "false", "send_entries": "128"},
    "small ring": {"send_entries": "128", "standard_buffers": "16"},
    "interrupts at once": {"send_coalescing": "1", "receive_coalescing": "1"},
    "little memory": {"sram_size": "512KiB"},
    "much memory": {"sram_size": "2MiB"},
    "descriptor memory": {"descriptor_memory": "true"},
    "descriptor memory beside little": {"descriptor_memory": "true", "sram_size": "512KiB"},
}


def with_driver(**settings: Any) -> tuple[Bench, Tigon2DriverModel]:
    """Return the card in its bench, and its driver."""
    bench = make_bench(Tigon2())
    for name, value in settings.items():
        bench.set(name, value)
    assert isinstance(bench.driver_model, Tigon2DriverModel)
    return bench, bench.driver_model


@pytest.mark.slow
@all_images
@pytest.mark.parametrize("mode", list(MODES))
def test_every_mode_passes_frames_of_all_sizes(firmware: str, mode: str) -> None:
    sizes = "udp:18,19,60,86,87,333,1471,1472@30kpps"
    check(run("tigon2", firmware=firmware, traffic=sizes, frames=99, set=MODES[mode]), 99)


@pytest.mark.slow
@all_images
def test_jumbo_frames_come_in_buffers_of_their_own(firmware: str) -> None:
    bench, driver = with_driver(largest_frame=9018, mini_buffers=32)
    check(run(bench, firmware=firmware, traffic="udp:18,1472,3000,8900@6kpps", frames=60), 60)
    taken = driver.running.frames_by_ring
    assert sum(taken.values()) == 60
    assert all(taken.values()), taken


@pytest.mark.slow
@all_images
def test_the_card_makes_and_checks_checksums(firmware: str, tmp_path: Path) -> None:
    bench, driver = with_driver(send_checksums=True, receive_checksums=True)
    out = tmp_path / "sent.pcapng"
    # Odd payloads end in the middle of a word; short ones are followed by padding.
    result = run(
        bench, firmware=firmware, traffic="udp:5,18,19,86,87,333,1471,1472@30kpps", frames=80, pcap_out=out
    )
    check(result, 80)
    assert driver.running.verified_checksums == 80
    # Frames without a checksum left the host; scapy computes it anew for those that left the card.
    for frame in _native.read_capture(out)[0]:
        sent = Ether(frame)
        wanted = Ether(frame)
        del wanted[IP].chksum, wanted[UDP].chksum
        again = Ether(bytes(wanted))
        assert (sent[IP].chksum, sent[UDP].chksum) == (again[IP].chksum, again[UDP].chksum)
        assert sent[UDP].chksum != 0


@pytest.mark.slow
@all_images
def test_tags_are_put_in_and_taken_out(firmware: str, tmp_path: Path) -> None:
    tagged = [
        Ether(dst=MAC_ADDRESS, src=ELSEWHERE)
        / Dot1Q(vlan=vlan, prio=3)
        / IP()
        / UDP()
        / Raw(bytes([vlan]) * size)
        for vlan, size in ((1, 30), (77, 501), (255, 1400))
    ]
    plain = [Ether(dst=MAC_ADDRESS, src=ELSEWHERE) / IP() / UDP() / Raw(b"plain" * 20)]
    capture = captured(tmp_path / "tagged.pcap", [*tagged, *plain])
    bench, driver = with_driver(vlan=True, receive_checksums=True, largest_frame=1518)
    check(run(bench, firmware=firmware, traffic=f"pcap:{capture}:loop@20kpps", frames=40), 40)
    assert driver.running.tags_taken_out == 30


@pytest.mark.slow
@all_images
def test_only_frames_that_are_wanted_are_received(firmware: str, tmp_path: Path) -> None:
    addresses = (MAC_ADDRESS, ELSEWHERE, GROUP, OTHER_GROUP, "ff:ff:ff:ff:ff:ff")
    frames = [Ether(dst=address) / IP() / UDP() / Raw(address.encode()) for address in addresses]
    capture = captured(tmp_path / "addresses.pcap", frames)
    settings = {"promiscuous": False, "multicast": bytes.fromhex(GROUP.replace(":", ""))}
    result = run(
        "tigon2", firmware=firmware, traffic=f"pcap:{capture}:loop:rx@20kpps", frames=50, set=settings
    )
    assert result.complete
    assert result.frames.delivered["rx"] == 30
    assert result.frames.dropped["rx"] == {"card.mac_receive": {"address": 20}}


@all_images
def test_a_host_that_is_told_all_the_time_is_told_everything(firmware: str) -> None:
    # The indices alone fill the ring of DMA writes, whose event then comes after those that need room in it.
    ticks = {"send_ticks": "1", "receive_ticks": "1", "send_coalescing": "8"}
    settings = {"largest_frame": "9014", "sram_clock": "50MHz", "host_clock": "33MHz", **ticks}
    check(run("tigon2", firmware=firmware, traffic="udp:1193,5355,8570", frames=60, set=settings), 60)


def test_a_capture_holds_what_left_and_what_came(tmp_path: Path) -> None:
    out = tmp_path / "both.pcapng"
    result = run("tigon2", traffic="udp:100@50kpps", frames=20, pcap_out=out)
    check(result, 20)
    assert len(rdpcap(str(out))) == 40


def test_sleeping_changes_nothing() -> None:
    def outcome(sleeping: bool) -> dict[str, Any]:
        result = run("tigon2", traffic="udp:18,1472@40kpps", frames=20, sleeping=sleeping)
        return timeless(result)

    assert outcome(sleeping=True) == outcome(sleeping=False)
