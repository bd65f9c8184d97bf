"""Frames of sources are correct to the last checksum, by scapy, and mistakes are explained."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scapy.all import IP, TCP, UDP, Ether, atol  # type: ignore[attr-defined]
from tests.python.runs.systems import Wires

from spinach_nic import SpinachError, run
from spinach_nic.traffic import FramePlan, Traffic, plan_traffic
from spinach_nic.traffic.described import (
    AnyFrames,
    Choice,
    LiveFrames,
    Stretch,
    Stretches,
    read_described,
)
from spinach_nic.traffic.frame_sources import Capture, Mix, Payload, Raw, Source, Tcp, Udp, parse_source

CAPTURE = Path(__file__).parents[2] / "captures" / "web-ping-udp.pcap"

mac_addresses = st.binary(min_size=6, max_size=6).map(lambda address: address.hex(":"))
addresses = st.ip_addresses(v=4).map(str)
ports = st.integers(0, 65535)
steps = st.integers(0, 2**32 - 1)
payloads: st.SearchStrategy[Payload] = st.sampled_from(["random", "zeros", "counting"])
sizes = st.lists(st.integers(0, 1400), min_size=1, max_size=4).map(tuple)
common = {"payload": payloads, "source_mac": mac_addresses, "destination_mac": mac_addresses}
datagrams = {
    **common,
    "flows": st.none() | st.integers(1, 300),
    "source_address": addresses,
    "source_address_step": steps,
    "destination_address": addresses,
    "destination_address_step": steps,
    "source_port": ports,
    "source_port_step": ports,
    "destination_port": ports,
    "destination_port_step": ports,
}
raws = st.builds(Raw, st.just((8, 46, 1500)), ether_type=st.integers(0x600, 65535), **common)
sized = st.builds(Udp, sizes, **datagrams) | st.builds(Tcp, sizes, **datagrams) | raws
parts = st.tuples(st.integers(1, 9), sized | st.just(Capture(CAPTURE)))
mixes = st.lists(parts, min_size=1, max_size=3).map(lambda found: Mix(tuple(found)))


def plan_of(source: Source, seed: int = 1) -> FramePlan:
    return plan_traffic([Traffic(source=source)], frames=None, seed=seed, largest_frame=1514).tx


@given(sized | mixes)
def test_a_source_is_read_as_it_is_written(source: Source) -> None:
    assert parse_source(str(source)) == source


@given(sized | mixes, st.booleans())
def test_a_described_source_is_read_as_it_is_written(source: Source, apart: bool) -> None:
    content = plan_of(source).content
    if isinstance(content, Choice):
        content = replace(content, apart=apart)
    if content is None:
        return
    assert not isinstance(content, Stretches)
    longer = Stretches((Stretch(content, 3, 40), Stretch(LiveFrames(1514), 4), Stretch(AnyFrames(90), 5)))
    for one in (content, longer):
        assert read_described(json.loads(FramePlan(one).traffic)) == one


@settings(deadline=None, max_examples=60)
@given(sized, st.integers(0, 1000), st.integers(0, 2**40))
def test_headers_and_checksums_are_right(source: Udp | Tcp | Raw, seed: int, first: int) -> None:
    plan = plan_of(source, seed)
    built = plan.built(first, 20)
    assert built == plan.built(first, 20)
    for index, frame in enumerate(built, first):
        packet = Ether(frame)
        assert (packet.src, packet.dst) == (source.source_mac, source.destination_mac)
        assert len(frame) >= 60
        if isinstance(source, Raw):
            assert packet.type == source.ether_type
            assert int.from_bytes(frame[14:22], "big") == index
            assert len(frame) in {max(60, 14 + size) for size in source.sizes}
            continue
        layer = packet[UDP if isinstance(source, Udp) else TCP]
        header_bytes = source.header_bytes - 14
        body = bytes(layer.payload)[: packet[IP].len - header_bytes]  # without padding
        assert len(body) in source.sizes
        if source.payload != "random":
            assert body == bytes(i % 256 if source.payload == "counting" else 0 for i in range(len(body)))
        flow = 0 if source.flows is None else index % source.flows
        source_port = source.source_port + (
            index >> 16 if source.flows is None else flow * source.source_port_step
        )
        destination_port = source.destination_port + flow * source.destination_port_step
        assert (layer.sport, layer.dport) == (source_port % 65536, destination_port % 65536)
        for address, base, step in (
            (packet[IP].src, source.source_address, source.source_address_step),
            (packet[IP].dst, source.destination_address, source.destination_address_step),
        ):
            assert atol(address) == (atol(base) + flow * step) % 2**32
        # Scapy would read the payload at a well-known port, such as 139, and take part of it for padding.
        again = packet.copy()
        again[type(layer)].remove_payload()
        again /= body
        del again[IP].chksum, again[type(layer)].chksum
        assert bytes(again).ljust(60, b"\0") == frame, "scapy computes the same checksums"


def test_frames_go_over_all_flows_in_turn() -> None:
    source = Tcp((100,), flows=7, source_address_step=1, source_port_step=0)
    packets = [Ether(frame) for frame in plan_of(source).built(0, 70)]
    by_flow = Counter((packet[IP].src, packet[TCP].sport) for packet in packets)
    assert sorted(by_flow.values()) == [10] * 7
    first_flow = [packet[TCP].seq for packet in packets[::7]]
    assert first_flow == [100 * round for round in range(10)]


def test_parts_of_a_mix_come_as_often_as_their_weights_say() -> None:
    mix = Mix(((6, Udp((18,))), (3, Tcp((1000,), flows=3)), (1, Raw((500,)))))
    found = Counter(len(frame) for frame in plan_of(mix).built(0, 10_000))
    assert set(found) == {60, 1054, 514}
    assert 5700 < found[60] < 6300
    assert 2700 < found[1054] < 3300


@pytest.mark.parametrize(
    "source",
    [
        Udp((18, 1472), flows=1000, source_address_step=1),
        Tcp((0, 1448), payload="counting"),
        Raw((46, 1500), (3, 1)),
        Mix(((2, Udp((18,), flows=5)), (1, Tcp((700,), flows=9)), (1, Raw((46,))))),
        Mix(((1, Capture(CAPTURE)), (1, Tcp((300,))))),
    ],
    ids=str,
)
def test_every_frame_of_a_source_arrives_and_is_recognised(source: Source) -> None:
    result = run(Wires, traffic=[Traffic(source=source)], frames=300)
    assert result.frames.delivered == result.frames.offered
    assert min(result.frames.delivered.values()) >= 300


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tcp:1461", "makes frames of 1515; the NIC passes at most 1514"),
        ("raw:7", "8 to 65521"),
        ("udp:18,source_address=10.0.0", "is not an IPv4 address"),
        ("udp:18,source_mac=02:00", "is not a MAC address"),
        ("udp:18,payload=ones", "'ones' is not a kind of payload"),
        ("udp:18,flows=0", "': flows: 0 is below"),
        ("udp:18,flows=9999999999999", "flows: 9999999999999 is above the largest, 4294967295"),
        ("udp:18,flows=1.5", "flows = '1.5' is not an integer"),
        ("udp:18,weights=1/x", "weights = '1/x' is not an integer"),
        ("udp:18,flows=2,flows=3", "given twice"),
        ("udp:18,weights=1/2", "1 sizes but 2 weights"),
        ("mix:udp:18+mix:udp:18", "a mix cannot contain a mix"),
        ("raw:46,flows=2", "'flows' is not a setting of raw"),
    ],
)
def test_impossible_sources_are_refused(text: str, message: str) -> None:
    with pytest.raises(SpinachError) as caught:
        plan_traffic([text], frames=1, seed=1, largest_frame=1514)
    assert message in caught.value.message
    assert "\n" not in caught.value.message + caught.value.help


@pytest.mark.parametrize(
    ("kind", "name", "smallest", "largest"),
    [
        (Udp, "flows", 1, 2**32 - 1),
        (Udp, "payloads", 1, 65536),
        (Udp, "source_port", 0, 65535),
        (Udp, "destination_address_step", 0, 2**32 - 1),
        (Tcp, "push", 1, 2**32 - 1),
        (Raw, "ether_type", 0, 65535),
    ],
)
def test_settings_have_limits(kind: Any, name: str, smallest: int, largest: int) -> None:
    for value in (smallest, largest):
        assert getattr(kind((64,), **{name: value}), name) == value
    for value in (smallest - 1, largest + 1):
        with pytest.raises(SpinachError, match=f"{kind.__name__}.{name}"):
            kind((64,), **{name: value})


def test_a_number_may_have_leading_zeros() -> None:
    assert parse_source("udp:18,flows=0x00000000005") == Udp((18,), flows=5)


def test_a_plan_shows_its_changes() -> None:
    assert repr(FramePlan(count=3, frames=b"frame")) == "FramePlan(count=3)"
