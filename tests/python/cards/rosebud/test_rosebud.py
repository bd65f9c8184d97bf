"""Rosebud's cores forward and drop packets in the published cycles; every packet is accounted for."""

import os
from pathlib import Path

import pytest

from spinach_nic import run, us
from spinach_nic.experiments.rosebud_rpu import (
    AT_ONCE,
    BALANCED,
    CORE_CLOCK_HZ,
    FORWARDED,
    ONE_RECEIVES,
    UDP_HEADERS,
)

RELEASED = "SPINACH_ROSEBUD_FIRMWARE"
"""Environment variable with the path of the image `basic_fw` as the published build makes it."""


def cycles_per_packet(firmware: str, size: int) -> float:
    """Return the cycles of one core that its packets keep busy."""
    result = run(
        "rosebud", traffic=f"udp:{size - UDP_HEADERS}:tx", frames=600, firmware=firmware, set=AT_ONCE
    )
    return CORE_CLOCK_HZ / result.tx.rate("frames_per_s")


@pytest.mark.parametrize("size", [64, 65, 128, 256, 1500])
def test_a_core_forwards_a_packet_in_the_published_cycles(size: int) -> None:
    assert cycles_per_packet("forward", size) == pytest.approx(FORWARDED[size], abs=0.02)


@pytest.mark.parametrize("size", [65, 192, 256])
def test_a_core_of_a_whole_card_forwards_a_packet_in_the_cycles_of_the_rtl(size: int) -> None:
    result = run("rosebud", traffic=f"udp:{size - UDP_HEADERS}", frames=600, set=ONE_RECEIVES)
    rate = result.tx.rate("frames_per_s") + result.rx.rate("frames_per_s")
    assert CORE_CLOCK_HZ / rate == pytest.approx(BALANCED[size], rel=0.005)


def test_a_port_starves_at_one_core_as_on_the_rtl() -> None:
    result = run("rosebud", traffic="udp:22", time=us(100), set=ONE_RECEIVES)
    delivered = sorted(result.frames.delivered.values())
    assert delivered[0] < 100 < 1000 < delivered[1]


def dropped_until(time_us: int, size: int) -> int:
    """Return the packets of a size, back to back, that a dropping core has given back until then."""
    result = run(
        "rosebud", traffic=f"udp:{size - UDP_HEADERS}:tx", time=us(time_us), firmware="drop", set=AT_ONCE
    )
    return result.frames.dropped["tx"]["rpu[0].mover"]["discarded_by_core_0"]


@pytest.mark.parametrize(("size", "cycles"), [(64, 15), (240, 15), (256, 16), (300, 19), (1500, 94)])
def test_a_core_drops_a_packet_in_the_published_cycles(size: int, cycles: int) -> None:
    dropped = dropped_until(300, size) - dropped_until(100, size)
    assert 200 * 250 / dropped == pytest.approx(cycles, rel=0.002)


def test_dropped_packets_are_accounted_for() -> None:
    result = run("rosebud", traffic="udp:86:tx@5Gbps", time=us(40), firmware="drop", set=AT_ONCE)
    frames = result.frames
    assert frames.offered["tx"] > 100
    assert frames.delivered["tx"] == 0
    dropped = frames.dropped["tx"]["rpu[0].mover"]["discarded_by_core_0"]
    assert frames.offered["tx"] - dropped == frames.in_flight["tx"] <= 8


def test_a_port_drops_damaged_short_and_long_frames() -> None:
    traffic = ("udp:22:tx@2Gbps", "udp:22:rx@2Gbps,bad_crc=10%,runt=10%,oversize=10%")
    frames = run("rosebud", traffic=traffic, frames=300, set={"rpus": 4}).frames
    assert frames.dropped["tx"] == {}
    reasons = frames.dropped["rx"]["port_fifo_of[1]"]
    assert set(reasons) == {"bad_check_sequence", "runt", "oversize"}
    assert frames.offered["rx"] == frames.delivered["rx"] + sum(reasons.values())
    assert frames.corrupted == {"tx": 0, "rx": 0}


@pytest.mark.parametrize(("rpus", "size", "share"), [(8, 256, 0.81), (8, 1024, 1.0), (16, 256, 1.0)])
def test_several_cores_share_both_ports(rpus: int, size: int, share: float) -> None:
    result = run("rosebud", traffic=f"udp:{size - UDP_HEADERS}", frames=2000, set={"rpus": rpus})
    for way in (result.tx, result.rx):
        assert way.rate("line_rate_fraction") == pytest.approx(share, rel=0.02)


def test_unmodified_released_firmware_forwards_as_published() -> None:
    path = os.environ.get(RELEASED)
    if path is None:
        pytest.skip(f"{RELEASED} does not name an image of the published build")
    assert Path(path).is_file()
    assert cycles_per_packet(path, 64) == pytest.approx(FORWARDED[64], abs=0.02)
