"""Frames that come from the wire with a fault: each is dropped with its reason, the others arrive."""

import pytest
from tests.python.nics.trouble import NONE, assert_nothing_wrong

from spinach_nic import Result
from spinach_nic.running import execute

both_images = pytest.mark.parametrize("firmware", ["uni", "parallel"])


def assert_accounted(result: Result, dropped: dict[str, set[str]]) -> None:
    """Nothing is wrong, nothing is left inside; frames were dropped in these places for these reasons."""
    assert result.complete
    counts = result.frames
    assert_nothing_wrong(counts)
    assert counts.in_flight == NONE
    assert counts.dropped["tx"] == {}
    assert {place: set(reasons) for place, reasons in counts.dropped["rx"].items()} == dropped


@both_images
@pytest.mark.parametrize("traffic", ["udp:700:rx@1Gbps,bad_crc=2%", "udp:18,1472:rx@500Mbps,bad_crc=60%"])
def test_damaged_frames_are_dropped_by_the_firmware(firmware: str, traffic: str) -> None:
    finished = execute("tigon2", firmware=firmware, traffic=[traffic, "udp:700:tx"], frames=300)
    result = finished.check()
    assert_accounted(result, {"card.mac_receive": {"bad_check_sequence"}})
    dropped = result.frames.dropped["rx"]["card.mac_receive"]["bad_check_sequence"]
    assert dropped == finished.session.simulation.statistics()["network.faulty"]
    assert result.frames.delivered == {"tx": 300, "rx": 300 - dropped}
