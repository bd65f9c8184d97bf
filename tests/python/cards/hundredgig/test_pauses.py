"""Pause frames: the other end of the link waits while a core has no buffers, and no frame is lost."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from spinach_nic import Result, run
from spinach_nic.benches import BackToBack
from spinach_nic.cards import shipped_card
from spinach_nic.traffic import Direction


def lost(result: Result, way: Direction) -> int:
    """Return the number of frames for which a core had no buffer."""
    return sum(reasons.get("no_buffer", 0) for reasons in result.frames.dropped[way].values())


@pytest.mark.parametrize("traffic", ["udp:18:rx", "udp:1472:rx"])
def test_an_overload_waits_at_the_other_end_instead_of_being_dropped(traffic: str) -> None:
    settings = {"cores": 1, "link_rate": "40Gbps"}
    without = run("hundredgig", traffic=traffic, frames=300, set=settings)
    paused = run("hundredgig", traffic=traffic, frames=300, set={**settings, "pause_frames": True})
    assert lost(without, "rx") > 100
    assert lost(paused, "rx") == 0
    assert paused.frames.delivered["rx"] >= 300
    assert paused.frames.corrupted["rx"] == paused.frames.reordered["rx"] == 0


def with_a_pause(path: Path) -> Path:
    """Write a capture of four frames around a pause frame of the standard."""
    addresses = bytes.fromhex("025350494e41025350494e42")
    data = [addresses + b"\x88\xb5" + bytes([number]) * 46 for number in range(4)]
    pause = bytes.fromhex("0180c2000001025350494e42880800010001") + bytes(42)
    frames = [*data[:2], pause, *data[2:]]
    records = (struct.pack("<4I", 0, at, len(frame), len(frame)) + frame for at, frame in enumerate(frames))
    path.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + b"".join(records))
    return path


@pytest.mark.parametrize(
    ("nic", "settings", "places"),
    [
        ("hundredgig", {"pause_frames": True}, {"rx": "port[0].flow_control", "tx": "far_control"}),
        (
            "hundredgig",
            {"pause_frames": True, "network_ports": 2},
            {"rx": "port[0].flow_control", "tx": "aggregation.control[0]"},
        ),
        ("sinic", {}, {"rx": "chip", "tx": "far_control"}),
        ("tigon2", {"flow_control": True}, {"rx": "card.mac_receive"}),
    ],
)
def test_pause_frames_in_the_traffic_are_dropped_where_they_are_obeyed(
    nic: str, settings: dict[str, Any], places: dict[Direction, str], tmp_path: Path
) -> None:
    capture = with_a_pause(tmp_path / "pause.pcap")
    for way, place in places.items():
        frames = run(nic, traffic=f"pcap:{capture}:{way}@1Gbps", set=settings).frames
        assert (frames.offered[way], frames.delivered[way]) == (5, 4)
        assert frames.dropped[way] == {place: {"pause": 1}}


class Pair(BackToBack):
    """A card, and one at the other end of the cable."""

    card_class = far_class = shipped_card("hundredgig")


def test_a_card_obeys_the_pauses_of_another_card() -> None:
    """A core at 1 GHz sends more than one at 200 MHz receives."""
    settings = {"cores": 1, "far.cores": 1, "far.core_clock": "200MHz"}
    results = {}
    for pauses in (False, True):
        given = {**settings, "pause_frames": pauses, "far.pause_frames": pauses}
        results[pauses] = run(Pair, traffic="udp:1000:tx", frames=200, set=given)
        assert results[pauses].frames.delivered["tx"] >= 200
        assert results[pauses].frames.corrupted["tx"] == 0
    assert lost(results[False], "tx") > 50
    assert lost(results[True], "tx") == 0


@pytest.mark.parametrize(
    ("sent", "settings", "is_kept"),
    [
        ("udp:1472", {}, True),
        ("udp:4302", {"largest_frame": 4344}, True),
        ("udp:5958", {"largest_frame": 6000}, False),
        ("udp:8972", {"largest_frame": 9014}, False),
        ("udp:1472", {"fec_latency": "226ns"}, True),
        ("", {"largest_frame": 600, "fec_latency": "295ns"}, True),
        ("udp:1472", {"fec_latency": "400ns"}, False),
        ("udp:1472", {"fec_latency": "400ns", "link_rate": "40Gbps"}, True),
    ],
)
def test_no_frame_is_lost_if_the_buffers_suffice_until_the_pause(
    sent: str, settings: dict[str, Any], is_kept: bool
) -> None:
    traffic = ["udp:18,flows=1:rx", *([f"{sent}:tx"] if sent else [])]
    given = {"cores": 1, "pause_frames": True, **settings}
    result = run("hundredgig", traffic=traffic, frames=600, set=given)
    assert (lost(result, "rx") == 0) == is_kept
    assert (not [note for note in result.notes if "pauses may come too late" in note]) == is_kept
