"""hundredgig passes frames both ways through the rings of virtio; every frame is accounted for."""

from collections.abc import Sequence
from typing import Any

import pytest

from spinach_nic import SpinachError, run
from spinach_nic.cards.drivers import read
from spinach_nic.cards.hundredgig import driver
from spinach_nic.cards.hundredgig.function import DEVICE_CONFIGURATION
from spinach_nic.cards.hundredgig.ring import PackedRing
from spinach_nic.runs.result import Latency


@pytest.mark.parametrize("payload", [18, 214, 1472])
def test_frames_pass_whole_and_in_order(payload: int) -> None:
    result = run("hundredgig", traffic=f"udp:{payload}", frames=300, set={"cores": 2})
    for way in ("tx", "rx"):
        assert result.frames.delivered[way] >= 300
        assert (
            result.frames.corrupted[way] == result.frames.reordered[way] == result.frames.duplicated[way] == 0
        )
    assert result.tx.rate("frames_per_s") > 0


@pytest.mark.parametrize(("largest_frame", "mtu"), [(1514, 1500), (82, 68), (81, None), (60, None)])
def test_the_card_offers_no_mtu_that_virtio_forbids(
    monkeypatch: pytest.MonkeyPatch, largest_frame: int, mtu: int | None
) -> None:
    offered: list[int | None] = []

    class Looking(driver.VirtioDriver):
        def _negotiate(self) -> driver.Steps:
            yield from super()._negotiate()
            yield self._put(0, 0, 4)
            has_mtu = (yield self._get(4, 4)) & 1 << 3
            offered.append((yield read(self._places[DEVICE_CONFIGURATION] + 10, 2)) if has_mtu else None)

    monkeypatch.setattr("spinach_nic.cards.hundredgig.model.VirtioDriver", Looking)
    run("hundredgig", traffic="udp:18", frames=10, set={"cores": 1, "largest_frame": largest_frame})
    assert offered == [mtu]


def test_flows_of_the_user_may_overtake_each_other_and_not_themselves() -> None:
    traffic = "udp:18,flows=5,source_address_step=3,source_port_step=7"
    result = run("hundredgig", traffic=traffic, frames=300, set={"cores": 4})
    for way in ("tx", "rx"):
        assert result.frames.delivered[way] >= 300
        assert result.frames.reordered[way] == result.frames.duplicated[way] == 0


def test_eight_cores_hold_the_line_rate_both_ways() -> None:
    result = run("hundredgig", traffic="udp:1472", frames=500)
    for way in (result.tx, result.rx):
        assert way.rate("line_rate_fraction") > 0.9


# With rare frames each one to send needs a doorbell. A packed ring is read again only after a doorbell.
@pytest.mark.parametrize(
    ("rate", "rings", "fraction"),
    [
        ("50Mbps", "split", 0.8),
        ("1Gbps", "split", 0.4),
        ("100Gbps", "split", 0.4),
        ("1Gbps", "packed", 1.01),
        ("100Gbps", "packed", 0.95),
    ],
)
def test_with_event_indices_doorbells_are_fewer_and_none_is_missed(
    rate: str, rings: str, fraction: float
) -> None:
    def per_frame(*, event_index: bool) -> float:
        settings = {"cores": 1, "event_index": event_index, "rings": rings}
        result = run("hundredgig", traffic=f"udp:100@{rate}", frames=200, set=settings)
        assert result.frames.in_flight["rx"] == result.frames.in_flight["tx"] == 0
        assert result.frames.corrupted["rx"] == result.frames.reordered["rx"] == 0
        return result.counters["doorbells"].value / sum(result.frames.delivered.values())

    assert per_frame(event_index=True) < fraction * per_frame(event_index=False)


@pytest.mark.parametrize(
    ("entries", "rings"), [(2, "split"), (16, "split"), (1024, "split"), (2, "packed"), (256, "packed")]
)
def test_rings_of_any_size_wrap(entries: int, rings: str) -> None:
    settings = {"ring_entries": entries, "queue_size": 1024, "cores": 1, "rings": rings}
    result = run("hundredgig", traffic="udp:100@2Gbps", frames=300, set=settings)
    for way in ("tx", "rx"):
        assert result.frames.delivered[way] >= 300
        assert result.frames.corrupted[way] == result.frames.reordered[way] == 0


class InPieces(PackedRing):
    """Packed ring whose frames to send are chains of three descriptors."""

    def room(self) -> int:
        return super().room() // 3

    def add(self, buffers: Sequence[tuple[int, int]]) -> None:
        if self._flags:
            super().add(buffers)
            return
        for address, length in buffers:
            self._buffers[(self._added + 2) % self.entries] = address, length
            self.add_chain([(address, 12, 0), (address + 12, 20, 0), (address + 32, length - 32, 0)])


@pytest.mark.parametrize("entries", [16, 256])
def test_frames_in_pieces_pass_packed_rings(monkeypatch: pytest.MonkeyPatch, entries: int) -> None:
    monkeypatch.setattr(driver, "PackedRing", InPieces)
    settings = {"cores": 1, "rings": "packed", "ring_entries": entries}
    result = run("hundredgig", traffic="udp:300@5Gbps", frames=200, set=settings)
    for way in ("tx", "rx"):
        assert result.frames.delivered[way] >= 200
        assert result.frames.corrupted[way] == result.frames.reordered[way] == 0


def test_long_frames_pass() -> None:
    result = run("hundredgig", traffic="udp:8958", frames=100, set={"largest_frame": 9014, "cores": 2})
    assert result.frames.corrupted["rx"] == result.frames.corrupted["tx"] == 0


@pytest.mark.parametrize(
    ("name", "value"), [("ring_entries", 100), ("queue_size", 7), ("pcie_payload", "300B")]
)
def test_a_size_that_is_no_power_of_two_is_refused(name: str, value: Any) -> None:
    with pytest.raises(SpinachError, match=f"{name}: .* is not a power of two"):
        run("hundredgig", traffic="udp:100", frames=10, set={name: value})


def test_flows_stay_in_order_in_overload() -> None:
    # More frames than fit into the 16 bits by which a header numbers those of a flow.
    result = run("hundredgig", traffic="udp:18", frames=1500, set={"cores": 4})
    assert result.frames.offered["rx"] > 1 << 16
    assert result.frames.reordered["rx"] == 0


def test_interrupts_are_messages_or_the_line_and_none_is_missed() -> None:
    # Frames are rarer than the driver's polls, so that each needs an interrupt.
    def messages(**settings: object) -> int:
        result = run("hundredgig", traffic="udp:100@50Mbps", frames=60, set={"cores": 2, **settings})
        assert result.frames.in_flight["rx"] == result.frames.in_flight["tx"] == 0
        assert result.frames.corrupted["rx"] == result.frames.reordered["rx"] == 0
        return result.counters["messages"].value

    each = messages()
    assert messages(messages=False) == 0
    # With an interval several frames share a message.
    assert each > 60 > messages(interrupt_interval="200us")


def test_error_correction_delays_received_frames() -> None:
    def latency(
        way: str, fec: str, traffic: str = "udp:18", rate: str = "@97kpps", cores: int = 1
    ) -> Latency:
        settings = {"cores": cores, "fec_latency": fec}
        result = run("hundredgig", traffic=f"{traffic}:{way}{rate}", frames=200, set=settings)
        found = (result.tx if way == "tx" else result.rx).latency_ns
        assert found is not None
        return found

    # A bucket of the histogram is 3 % wide.
    assert latency("rx", "1us").p50 - latency("rx", "0ns").p50 == pytest.approx(1000, abs=200)
    assert latency("tx", "1us") == latency("tx", "0ns")
    # On a full link, too: the decoder holds as many bytes as the link carries in that time.
    full = [latency("rx", fec, "udp:1472", "", 8).p50 for fec in ("1us", "0ns")]
    assert full[0] - full[1] == pytest.approx(1000, abs=200)


@pytest.mark.parametrize("rings", ["split", "packed"])
def test_a_control_queue_without_room_for_a_command_is_refused(rings: str) -> None:
    given = {"cores": 2, "queue_size": 2, "rings": rings}
    with pytest.raises(SpinachError, match="the control queue has 2 entries; a command"):
        run("hundredgig", frames=10, set=given)
    assert run("hundredgig", traffic="udp:18", frames=10, set=given | {"pairs": 1}).complete
    assert run("hundredgig", traffic="udp:18", frames=10, set=given | {"queue_size": 4}).complete


def test_joining_segments_without_verified_checksums_is_refused() -> None:
    with pytest.raises(SpinachError, match="coalescing=firmware needs checksums=hardware"):
        run("hundredgig", frames=10, set={"coalescing": "firmware", "checksums": "firmware"})
