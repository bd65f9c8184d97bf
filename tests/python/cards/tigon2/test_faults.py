"""Frames that come from the wire with a fault: each is dropped with its reason, the others arrive."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from scapy.all import IP, UDP, Dot1Q, Ether, Raw  # type: ignore[attr-defined]
from tests.python.cards.tigon2.asking import nic_that_says
from tests.python.cards.tigon2.soak import soak
from tests.python.cards.tigon2.test_frames import ELSEWHERE, MAC_ADDRESS, captured
from tests.python.cards.tigon2.test_protocol import nothing
from tests.python.cards.trouble import NO_ROOM, NONE, assert_nothing_wrong

from spinach_nic.benches import GeneratedTraffic, Runnable, make_bench
from spinach_nic.cards.tigon2 import Tigon2
from spinach_nic.cards.tigon2.driver_model import Tigon2DriverModel
from spinach_nic.cards.tigon2.protocol import RECEIVE_DESCRIPTOR_BYTES, Statistic
from spinach_nic.model import parameter
from spinach_nic.runs import execute
from spinach_nic.support.units import us

both_images = pytest.mark.parametrize("firmware", ["uni", "parallel"])
all_images = pytest.mark.parametrize("firmware", ["uni", "parallel", "released-style"])
MAC, HOST = "card.mac_receive", "host"
ALL = "bad_crc=10%,runt=10%,oversize=10%"
BY_WHOM = {MAC: {"bad_check_sequence"}, HOST: {"runt", "oversize"}}
OTHERS = (*NO_ROOM, "address")
CAPTURES = Path(__file__).parents[4] / "captures"


class LongFrames(GeneratedTraffic):
    """Frames that are too long are longer than any buffer of the host."""

    card_class = Tigon2
    long_bytes: int = parameter(default=4000, doc="Length of the frames that are too long.")

    def build(self) -> None:
        """Lengthen them."""
        super().build()
        if self.rx.faults:
            self.wire_faults.set("lengthened_to", self.long_bytes)


def outcome(nic: Runnable, traffic: str, *, frames: int = 300, **given: Any) -> dict[str, Mapping[str, int]]:
    """Run frames with faults next to frames to send; return the drops by place and reason."""
    finished = execute(nic, traffic=[traffic, "udp:400:tx"], frames={"rx": frames, "tx": 20}, **given)
    result = finished.check()
    counts = result.frames
    assert_nothing_wrong(counts)
    assert counts.in_flight == NONE
    assert counts.delivered["tx"] == 20
    dropped = dict(counts.dropped["rx"])
    numbers = [item for numbers in dropped.values() for item in numbers.items()]
    for_faults = sum(number for reason, number in numbers if reason not in OTHERS)
    # A frame with a fault may also be one that there is no room for.
    for_others = sum(number for reason, number in numbers if reason in OTHERS)
    faulty = finished.session.simulation.statistics()["wire_faults.faulty"]
    assert for_faults <= faulty <= for_faults + for_others
    return dropped


def reasons(dropped: Mapping[str, Mapping[str, int]]) -> dict[str, set[str]]:
    return {place: set(numbers) for place, numbers in dropped.items()}


@all_images
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("bad_crc", {MAC: {"bad_check_sequence": 300}}),
        ("runt", {HOST: {"runt": 300}}),
        ("oversize", {HOST: {"oversize": 300}}),
    ],
)
def test_when_every_frame_has_a_fault_none_arrives(
    firmware: str, fault: str, expected: dict[str, dict[str, int]]
) -> None:
    assert outcome("tigon2", f"udp:700:rx,{fault}=100%", firmware=firmware) == expected


@all_images
@pytest.mark.parametrize("traffic", ["udp:18,60,700,1472:rx@500Mbps", "udp:1472:rx", "imix:rx@300Mbps"])
def test_all_faults_together(firmware: str, traffic: str) -> None:
    dropped = outcome("tigon2", f"{traffic},{ALL}", firmware=firmware)
    assert reasons(dropped) == BY_WHOM
    assert all(10 < number < 50 for numbers in dropped.values() for number in numbers.values())


MODES: dict[str, dict[str, str]] = {
    "mini ring": {"mini_buffers": "64"},
    "one buffer of each kind": {
        "mini_buffers": "1",
        "standard_buffers": "1",
        "largest_frame": "1600",
        "jumbo_buffers": "1",
    },
    "two buffers": {"standard_buffers": "2"},
    "a jumbo ring": {"largest_frame": "9018"},
    "short frames only": {"largest_frame": "600"},
    "frames of 1518 bytes": {"largest_frame": "1518"},
    "checksums": {"receive_checksums": "true"},
    "tags": {"vlan": "true", "receive_checksums": "true"},
    "odd offsets": {"receive_offset": "5"},
    "interrupts at once": {"receive_coalescing": "1"},
    "little memory": {"sram_size": "512KiB"},
    "descriptor memory": {"descriptor_memory": "true", "sram_size": "2MiB"},
}


@both_images
@pytest.mark.parametrize("mode", list(MODES))
def test_all_faults_in_every_mode(firmware: str, mode: str) -> None:
    sizes = {"9018": "18,1472,8900", "600": "18,333,558"}.get(
        MODES[mode].get("largest_frame", ""), "18,86,333,1472"
    )
    dropped = outcome(
        "tigon2", f"udp:{sizes}:rx@200Mbps,{ALL}", firmware=firmware, set=MODES[mode], frames=150
    )
    found = reasons(dropped)
    assert found[HOST] == BY_WHOM[HOST]
    assert BY_WHOM[MAC] <= found[MAC] <= {*BY_WHOM[MAC], *NO_ROOM, "address"}


@both_images
def test_damaged_frames_are_handed_to_a_host_that_wants_them(firmware: str) -> None:
    dropped = outcome(
        "tigon2", f"udp:700:rx@500Mbps,{ALL}", firmware=firmware, set={"keeps_bad_frames": True}
    )
    assert reasons(dropped) == {HOST: {"damaged", "runt", "oversize"}}


@both_images
@pytest.mark.parametrize(
    ("largest", "long_bytes"), [(1514, 1519), (1514, 9000), (1518, 1523), (9018, 9023), (9018, 20_000)]
)
@pytest.mark.parametrize("keeps_bad_frames", [False, True])
def test_what_no_buffer_has_room_for_is_dropped_by_the_firmware(
    firmware: str, largest: int, long_bytes: int, keeps_bad_frames: bool
) -> None:
    nic = LongFrames()
    nic.set("largest_frame", largest)
    nic.set("long_bytes", long_bytes)
    nic.set("keeps_bad_frames", keeps_bad_frames)
    dropped = outcome(nic, f"udp:700:rx@200Mbps,{ALL}", firmware=firmware, frames=100)
    damaged = {HOST: {"runt", "damaged"}, MAC: {"oversize"}}
    assert reasons(dropped) == (
        damaged if keeps_bad_frames else {HOST: {"runt"}, MAC: {"oversize", "bad_check_sequence"}}
    )


@both_images
def test_tagged_frames_break_off_anywhere(firmware: str, tmp_path: Path) -> None:
    tagged = [
        Ether(dst=MAC_ADDRESS, src=ELSEWHERE) / Dot1Q(vlan=vlan) / IP() / UDP() / Raw(bytes(size))
        for vlan, size in ((1, 14), (77, 501))
    ]
    capture = captured(tmp_path / "tagged.pcap", tagged)
    settings = {"vlan": True, "receive_checksums": True, "largest_frame": 1518}
    traffic = f"pcap:{capture}:rx@100Mbps,runt=60%"
    bench = make_bench(Tigon2())
    finished = execute(bench, firmware=firmware, traffic=traffic, frames=300, set=settings)
    assert isinstance(bench.driver_model, Tigon2DriverModel)
    counts = finished.check().frames
    assert_nothing_wrong(counts)
    assert reasons(counts.dropped["rx"]) == {HOST: {"runt"}}
    assert bench.driver_model.running.tags_taken_out == counts.delivered["rx"]
    # Frames, descriptors and indices: nothing is written beyond the end of a frame.
    counters = finished.session.simulation.statistics()
    assert counters["host.written_bytes"] < counters["network.bytes"] + 300 * 2 * RECEIVE_DESCRIPTOR_BYTES


@both_images
def test_a_fault_may_be_in_the_address(firmware: str, tmp_path: Path) -> None:
    own = Ether(dst=MAC_ADDRESS, src=ELSEWHERE) / IP() / UDP() / Raw(bytes(18))
    traffic = f"pcap:{captured(tmp_path / 'own.pcap', [own])}:loop:rx@100Mbps,bad_crc=40%,runt=40%"
    dropped = outcome("tigon2", traffic, firmware=firmware, set={"promiscuous": False})
    assert reasons(dropped) == {MAC: {"bad_check_sequence", "address"}, HOST: {"runt"}}


@both_images
def test_faults_of_captured_frames(firmware: str) -> None:
    traffic = f"pcap:{CAPTURES / 'web-ping-udp.pcap'}:rx@200Mbps,{ALL}"
    assert reasons(outcome("tigon2", traffic, firmware=firmware)) == BY_WHOM


@pytest.mark.parametrize("seed", range(1, 13))
def test_random_configurations_under_random_traffic(seed: int) -> None:
    soak(seed)


@all_images
@pytest.mark.parametrize("keeps_bad_frames", [False, True])
def test_statistics_tell_of_damaged_and_long_frames(firmware: str, keeps_bad_frames: bool) -> None:
    nic, drivers = nic_that_says(nothing, statistics_ticks=100, standard_bytes=1514)
    settings = {"keeps_bad_frames": keeps_bad_frames, "card.largest_frame": 1514}
    traffic = [f"udp:1472:rx@500Mbps,{ALL}"]
    finished = execute(nic, firmware=firmware, traffic=traffic, frames=300, set=settings)
    dropped = finished.check().frames.dropped["rx"]
    finished.session.simulation.run(us(300))
    long = dropped[MAC]["oversize"]
    damaged = dropped[HOST]["damaged"] if keeps_bad_frames else dropped[MAC]["bad_check_sequence"]
    statistic = drivers[0].statistic
    assert (statistic(Statistic.FRAMES_TOO_LONG), statistic(Statistic.FCS_ERRORS)) == (long, damaged)
    assert statistic(Statistic.IN_ERRORS) == (long if keeps_bad_frames else long + damaged)
    assert statistic(Statistic.IN_DISCARDED) == 0
