"""Cards without firmware, driven by the models of their drivers."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from scapy.utils import PcapNgReader
from tests.python.cards.trouble import NONE, assert_nothing_wrong, dropped, timeless

from spinach_nic import run, us
from spinach_nic.benches import BackToBack
from spinach_nic.cards import shipped_card
from spinach_nic.cards.base.drivers import ProgramDriver
from spinach_nic.cards.drivers import enable_pci_function, wait, write
from spinach_nic.cards.fixed_function.card import Sinic
from spinach_nic.cards.fixed_function.sinic import CONFIG, REGION, TX_DATA, TX_WAIT, post, read_wide
from spinach_nic.runs import execute
from spinach_nic.support.errors import SpinachError

LINE_RATE = 10e9 / (8 * 1538)
"""Frames of 1518 bytes per second, with preamble and gap."""


class SinicAndTengig(BackToBack):
    """SINIC at one end of a cable, the programmable NIC at the other."""

    card_class = shipped_card("sinic")
    far_class = shipped_card("tengig")


class Deaf(Sinic):
    """A card that switches reception off again, and sends."""

    class driver_model(ProgramDriver):  # noqa: N801
        """Its driver."""

        def program(self, host: Any) -> Generator[Any, Any, None]:
            """Send eight frames."""
            buffer = host.allocate(2048)
            yield [*enable_pci_function(REGION), write(REGION + CONFIG, 7)]
            yield wait(until=host.now + us(20))
            yield write(REGION + CONFIG, 6)
            for _ in range(8):
                yield [*post(TX_DATA, buffer, 1000), *read_wide(TX_WAIT)]
            while True:
                yield wait(until=host.now + us(10))


class Full(Sinic):
    """A card whose driver takes nothing."""

    class driver_model(ProgramDriver):  # noqa: N801
        """Its driver."""

        def program(self, host: Any) -> Generator[Any, Any, None]:
            """Receive into the card's queue."""
            yield [*enable_pci_function(REGION), write(REGION + CONFIG, 7)]
            while True:
                yield wait(until=host.now + us(10))


class DeafAndFull(BackToBack):
    """Each at one end of a cable."""

    card_class, far_class = Deaf, Full


def test_a_pause_frame_that_a_card_does_not_take_is_not_a_loss() -> None:
    settings = {"far.receive_fifo": "4KiB"}
    finished = execute(DeafAndFull, time=us(100), traffic="udp:60:tx", set=settings)
    counters = finished.session.simulation.statistics()
    assert counters["far.chip.dropped_no_room"] == 4
    assert counters["chip.dropped_not_enabled"] == 0


@pytest.mark.parametrize("name", ["sinic", "v-sinic", "dp83820"])
def test_the_network_waits_until_the_driver_has_switched_reception_on(name: str) -> None:
    result = run(name, frames=1)
    assert result.frames.delivered == {"tx": 1, "rx": 1}


@pytest.mark.parametrize("name", ["sinic", "v-sinic", "dp83820"])
def test_a_card_carries_line_rate_both_ways(name: str) -> None:
    result = run(name, traffic="udp:1472", frames=300)
    assert_nothing_wrong(result.frames)
    assert result.frames.in_flight == NONE
    for way in (result.tx, result.rx):
        assert way.frames_per_s == pytest.approx(LINE_RATE, rel=0.002)
    assert result.frames.dropped["rx"] == {}


@pytest.mark.parametrize("name", ["sinic", "v-sinic", "dp83820"])
def test_every_fault_of_the_wire_is_dropped_with_its_reason(name: str) -> None:
    traffic = ["udp:18,700,1472:rx@2Gbps,bad_crc=7%,runt=5%,oversize=3%", "udp:700:tx@2Gbps"]
    finished = execute(name, traffic=traffic, frames=300)
    frames = finished.check().frames
    assert_nothing_wrong(frames)
    assert "bad_check_sequence" in frames.dropped["rx"]["chip"]
    assert "runt" in frames.dropped["rx"]["host"]
    # Frames too long are dropped by SINIC, and by the driver of the DP83820. The DP83820 drops frames without
    # an Ethernet header as those to other addresses.
    assert dropped(frames) == finished.session.simulation.statistics()["wire_faults.faulty"] > 40
    assert frames.in_flight == NONE


@pytest.mark.parametrize(
    ("longest", "traffic"),
    [
        (9000, ["udp:8000"]),
        (9000, ["udp:8958:tx", "udp:18,8958:rx@5Gbps,oversize=10%"]),
        (2048, ["udp:2006:rx@5Gbps,oversize=10%"]),
        (65_000, ["udp:64958"]),
    ],
)
def test_long_frames_fit_into_the_buffers_of_the_dp83820(longest: int, traffic: list[str]) -> None:
    result = run("dp83820", traffic=traffic, frames=100, set={"largest_frame": longest})
    assert_nothing_wrong(result.frames)
    assert result.frames.in_flight == NONE
    dropped = {"host": {"oversize"}} if "oversize" in traffic[-1] else {}
    assert {where: set(reasons) for where, reasons in result.frames.dropped["rx"].items()} == dropped


def test_buffers_of_the_dp83820_larger_than_the_host_memory_are_refused() -> None:
    refused = "host_memory = 8 MiB is too small for two rings of 64 buffers of 65535 bytes"
    with pytest.raises(SpinachError, match=refused) as raised:
        run("dp83820", traffic="udp:1000", frames=10, set={"largest_frame": 65535})
    assert raised.value.help == "set host_memory to at least 9 MiB, or reduce ring_entries or largest_frame"
    settings = {"largest_frame": 65535, "host_memory": "9MiB"}
    assert_nothing_wrong(run("dp83820", traffic="udp:65493", frames=10, set=settings).frames)


@pytest.mark.parametrize("name", ["sinic", "v-sinic", "dp83820"])
def test_frames_that_wait_for_the_wire_are_not_counted_as_sent(name: str) -> None:
    result = run(name, traffic="udp:1472:tx", time="1ms", set={"link_rate": "1Gbps"})
    delivered = result.frames.delivered["tx"]
    assert result.frames.offered["tx"] > 2 * delivered > 0
    # One frame is on the wire.
    assert result.counters["sent"].value == delivered + 1


@pytest.mark.parametrize(
    ("name", "settings", "error", "help"),
    [
        (
            "sinic",
            {"transmit_fifo": "31KiB"},
            "transmit_fifo: 31 KiB is below the smallest",
            "give 32 KiB to",
        ),
        ("v-sinic", {"receive_fifo": "2KiB"}, "receive_fifo: 2 KiB is below the smallest", "give 4 KiB to"),
        ("dp83820", {"receive_fifo": "2GiB"}, "receive_fifo: 2 GiB is above the largest, 1 GiB", "to 1 GiB"),
        ("dp83820", {"link_rate": "0bps"}, "link_rate: 0 bps is below the smallest", "give 1 bps to"),
        (
            "dp83820",
            {"transmit_fifo": "32KiB", "largest_frame": 40_000},
            "transmit_fifo = 32 KiB is too small for frames of 40000 bytes",
            "set transmit_fifo to at least 40 KiB",
        ),
        (
            "sinic",
            {"link_rate": "162.5Gbps"},
            "link_rate = 162.5 Gbps is too high for pause frames: a wire at 312.5 MHz has at most 160 Gbps",
            "set link_rate to at most 160 Gbps",
        ),
    ],
)
def test_limits_of_queues_and_wire_are_named(
    name: str, settings: dict[str, object], error: str, help: str
) -> None:
    with pytest.raises(SpinachError) as raised:
        run(name, traffic="udp:1000", frames=10, set=settings)
    assert error in str(raised.value)
    assert help in raised.value.help
    assert "FixedFunctionCard" not in str(raised.value)


def test_the_fastest_wire_with_pause_frames_and_a_faster_one_without_carry_frames() -> None:
    for settings in ({"link_rate": "160Gbps"}, {"link_rate": "100000Gbps", "flow_control": False}):
        assert run("sinic", traffic="udp:1472", frames=10, set=settings).frames.in_flight == NONE


def test_the_bus_limits_the_dp83820_with_small_frames() -> None:
    rates = [
        run("dp83820", traffic="udp:18:tx", frames=500, set={"bus_clock": clock, "ring_entries": 256}).tx
        for clock in ("33MHz", "66MHz")
    ]
    slow, fast = (way.frames_per_s for way in rates)
    assert slow is not None
    assert fast is not None
    assert fast / slow == pytest.approx(2, rel=0.02)


def test_an_overloaded_sinic_pauses_the_network_or_drops() -> None:
    settings = {"receive_fifo": "16KiB", "bus_clock": "31.25MHz"}
    paused = run("sinic", traffic="udp:18:rx", frames=300, set={**settings, "flow_control": True})
    assert paused.frames.dropped["rx"] == {}
    dropping = run("sinic", traffic="udp:18:rx", frames=300, set={**settings, "flow_control": False})
    assert dropping.frames.dropped["rx"]["chip"]["no_room"] > 0


def test_a_cable_joins_a_card_without_firmware_and_one_with() -> None:
    result = run(SinicAndTengig, traffic="udp:1000@2Gbps", frames=200)
    assert_nothing_wrong(result.frames)
    assert result.frames.delivered["tx"] >= 200
    assert result.frames.delivered["rx"] >= 200


@pytest.mark.parametrize("nic", ["sinic", "v-sinic", "dp83820", SinicAndTengig])
def test_a_capture_has_every_frame_and_changes_no_result(nic: str | type[BackToBack], tmp_path: Path) -> None:
    traffic, out = ["udp:18,1472:tx@2Gbps", "udp:700:rx@2Gbps"], tmp_path / "frames.pcapng"
    captured = run(nic, traffic=traffic, frames=50, pcap_out=out)
    assert timeless(captured) == timeless(run(nic, traffic=traffic, frames=50))
    with PcapNgReader(str(out)) as packets:
        read = [(packet.sniffed_on, len(packet)) for packet in packets]
    delivered = captured.frames.delivered
    refused = [number for reasons in captured.frames.dropped["tx"].values() for number in reasons.values()]
    assert [size for name, size in read if name == "host"] == [742] * delivered["rx"]
    sent = [size for name, size in read if name == "wire"]
    assert set(sent) == {60, 1514}
    assert len(sent) == delivered["tx"] + sum(refused)
