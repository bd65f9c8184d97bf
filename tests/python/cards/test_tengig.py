"""The 10 Gb/s NIC delivers every frame it accepts, whole and in order, whatever the configuration."""

from pathlib import Path
from typing import Any

import pytest
from scapy.all import Dot1Q, Ether, Raw, wrpcap  # type: ignore[attr-defined]
from tests.python.cards import trouble
from tests.python.cards.soak import soak
from tests.python.cards.trouble import IMAGES, NO_ROOM, settings_for, timeless

from spinach_nic import SpinachError
from spinach_nic.runs import run
from spinach_nic.runs.result import Result

CAPTURE = Path(__file__).parents[3] / "captures"


def assert_accounted(result: Result) -> None:
    """Every frame was delivered, or dropped by the MAC for lack of room."""
    trouble.assert_accounted(result, *NO_ROOM)


@pytest.mark.parametrize("firmware", IMAGES)
@pytest.mark.parametrize("payload", [18, 19, 301, 1472])
def test_every_size_passes_whole_and_in_order(firmware: str, payload: int) -> None:
    settings = settings_for(firmware)
    assert_accounted(run("tengig", firmware=firmware, set=settings, traffic=f"udp:{payload}", frames=99))


@pytest.mark.parametrize("seed", [2, 3])
def test_a_frame_whose_request_was_cut_short_keeps_its_place(seed: int) -> None:
    # Cores that ask one by one for a ring of 32 entries find it full between the two buffers of a frame.
    settings = {"cores": 8, "core_clock": "200MHz", "store_buffer": 0}
    request: dict[str, Any] = {"traffic": "udp:18", "frames": 600, "seed": seed}
    assert_accounted(run("tengig", firmware="base", set=settings, **request))


# With locks on flags the published organisation needs a faster clock.
@pytest.mark.parametrize("firmware", [image for image in IMAGES if image != "published-locked"])
def test_six_cores_sustain_the_line_with_full_frames(firmware: str) -> None:
    settings = settings_for(firmware, {"core_clock": "200MHz"})
    result = run("tengig", firmware=firmware, set=settings, frames=1200)
    assert min(result.tx.measured_frames, result.rx.measured_frames) >= 1200
    for way in (result.tx, result.rx):
        fraction = way.measured("line_rate_fraction")
        assert fraction is not None
        # The host is notified of 32 frames at a time: in so short a window that is a percent more or less.
        assert fraction.high > 0.98
        assert fraction.value <= 1


@pytest.mark.parametrize("event_queue", [False, True])
@pytest.mark.parametrize("cores", [1, 2, 8, 16])
@pytest.mark.parametrize("banks", [1, 3, 16])
def test_any_number_of_cores_and_banks(cores: int, banks: int, event_queue: bool) -> None:
    settings = {"cores": cores, "banks": banks, "event_queue": event_queue}
    assert_accounted(run("tengig", set=settings, frames=60, traffic="imix"))


@pytest.mark.parametrize("event_queue", [False, True])
def test_functional_cores_do_the_same_work(event_queue: bool) -> None:
    settings = {"core": "functional", "event_queue": event_queue}
    assert_accounted(run("tengig", set=settings, frames=99, traffic="imix"))


def test_an_image_and_a_card_with_an_event_queue_need_each_other() -> None:
    with pytest.raises(SpinachError, match=r"event-queue.* needs the parameter event_queue") as caught:
        run("tengig", firmware="event-queue", frames=1)
    assert "event_queue" in caught.value.help
    with pytest.raises(SpinachError, match=r"rmw.* does not work on a card with event_queue") as caught:
        run("tengig", firmware="rmw", set={"event_queue": True}, frames=1)
    assert "event-queue" in caught.value.help
    with pytest.raises(SpinachError, match="a vliw core has no port to an event queue"):
        run("tengig", set={"event_queue": True, "core": "vliw"}, frames=1)


def test_cores_wired_from_modules_and_fused_ones_give_the_same_result_to_the_cycle() -> None:
    request: dict[str, Any] = {"nic": "tengig", "traffic": "imix", "frames": 60}
    fused, wired = (
        timeless(run(**request, set={"cores": 2, "core": core})) for core in ("pipelined", "composed")
    )
    for document in (fused, wired):
        document["config"] = document["request"] = {}
    assert wired == fused


def test_more_arrives_than_one_slow_core_can_take() -> None:
    result = run("tengig", set={"cores": 1, "core_clock": "100MHz"}, traffic="udp:18:rx", frames=500)
    assert_accounted(result)
    assert result.frames.dropped["rx"]["mac_receive"]["ring_full"] > 100


@pytest.mark.parametrize("largest_frame", [1514, 9216])
@pytest.mark.parametrize("firmware", IMAGES)
def test_a_tagged_frame_may_have_the_payload_of_the_longest_frame(
    tmp_path: Path, firmware: str, largest_frame: int
) -> None:
    capture, payload = tmp_path / "frames.pcap", bytes(largest_frame - 14)
    heads = [Ether(type=0x1234), Ether() / Dot1Q(vlan=5, type=0x1234)]
    too_long = [head / Raw(payload + b"1") for head in heads]
    wrpcap(str(capture), [head / Raw(payload) for head in heads] * 20 + too_long)
    settings = {**settings_for(firmware), "largest_frame": largest_frame}
    result = run("tengig", firmware=firmware, traffic=f"pcap:{capture}", set=settings)
    assert result.frames.delivered == {"tx": 40, "rx": 40}
    assert any("2 of 42 frames left out: longer than" in note for note in result.notes), result.notes


def test_rings_and_indices_wrap() -> None:
    # More descriptors than any ring has entries, several times over.
    assert_accounted(run("tengig", traffic="udp:400", frames=1500))


def test_captures_are_replayed_both_ways() -> None:
    files = sorted(CAPTURE.glob("*.pcap*"))
    assert files
    for file in files:
        assert_accounted(run("tengig", traffic=f"pcap:{file}"))


@pytest.mark.parametrize("seed", range(1, 13))
def test_random_configurations_under_random_traffic(seed: int) -> None:
    soak(seed)
