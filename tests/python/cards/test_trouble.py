"""In trouble the 10 Gb/s NIC loses no frame silently, keeps the order, and continues afterwards."""

import re
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from tests.python.cards.places import changed
from tests.python.cards.trouble import (
    IMAGES,
    NO_ROOM,
    OneCoreHalts,
    OneCoreIsSlow,
    assert_accounted,
    assert_nothing_wrong,
    dropped,
    settings_for,
)

from spinach_nic import FrameError, SpinachError, Time, ms, us
from spinach_nic.benches import GeneratedTraffic
from spinach_nic.cards.tengig import Tengig
from spinach_nic.firmware import Executable, build
from spinach_nic.model.simulation import simulate
from spinach_nic.runs import execute, run
from spinach_nic.runs.accounting import DirectionCounts
from spinach_nic.runs.images import load_image
from spinach_nic.traffic import DIRECTIONS, plan_traffic

images = pytest.mark.parametrize("firmware", IMAGES)


@images
def test_more_arrives_than_the_cores_can_take(firmware: str) -> None:
    settings = {"cores": 2, "core_clock": "100MHz"}
    result = run(
        "tengig",
        firmware=firmware,
        set=settings_for(firmware, settings),
        traffic=["udp:18:rx", "udp:800:tx"],
        frames=1200,
    )
    assert_accounted(result, *NO_ROOM)
    assert dropped(result.frames) > 300
    assert result.frames.delivered["tx"] >= 1200


@pytest.fixture(scope="module")
def burst(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a capture of 4000 frames of 640 bytes, each with its number."""
    frames = [b"\x02" * 12 + b"\x88\xb5" + struct.pack(">I", number) + bytes(622) for number in range(4000)]
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    records = [struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame for frame in frames]
    capture = tmp_path_factory.mktemp("burst") / "burst.pcap"
    capture.write_bytes(header + b"".join(records))
    return capture


@images
def test_the_host_has_hardly_any_receive_buffers(firmware: str, burst: Path) -> None:
    # The burst overloads the NIC for two milliseconds, after which the frames that it holds arrive.
    settings = {"host.receive_entries": 4, "host_latency": "20us"}
    traffic = ["udp:600:tx", f"pcap:{burst}:rx"]
    result = run(
        "tengig",
        firmware=firmware,
        set=settings_for(firmware, settings),
        traffic=traffic,
        frames={"tx": 500, "rx": 100},
    )
    assert_accounted(result, *NO_ROOM)
    assert dropped(result.frames) > 0
    # The MAC's ring holds 256 frames that wait for buffers; all others came with a buffer given back.
    assert result.frames.delivered["rx"] > 256
    assert result.frames.delivered["tx"] >= 500


@images
@pytest.mark.parametrize("entries", [2, 4, 1024])
def test_rings_of_any_size_are_full_all_the_time(firmware: str, entries: int) -> None:
    settings = {"host.send_entries": entries, "host.receive_entries": entries}
    result = run(
        "tengig", firmware=firmware, set=settings_for(firmware, settings), traffic="udp:1000@2Gbps", frames=60
    )
    assert_accounted(result, *NO_ROOM)
    assert result.frames.delivered["tx"] == 60


@images
def test_a_host_that_stalls_for_milliseconds_again_and_again(firmware: str) -> None:
    settings = {"host.pauses_us": "50,1000,1200,2000"}
    traffic = ["udp:1472:tx@1Gbps", "udp:1472:rx@6Gbps"]
    result = run(
        "tengig",
        firmware=firmware,
        set=settings_for(firmware, settings),
        traffic=traffic,
        frames={"tx": 300, "rx": 600},
    )
    assert_accounted(result, *NO_ROOM)
    assert result.simulated_ns > 3_200_000
    assert result.frames.delivered["tx"] >= 300
    assert result.frames.delivered["rx"] > 512
    assert dropped(result.frames) > 0


@images
def test_a_storm_of_mailbox_writes_changes_nothing_but_the_pace(firmware: str) -> None:
    settings = {"host.mailbox_storm": 5}
    finished = execute(
        "tengig", firmware=firmware, set=settings_for(firmware, settings), traffic="udp:300@1Gbps", frames=200
    )
    result = finished.check()
    assert_accounted(result)
    doorbells = finished.session.simulation.statistics()["host.doorbells"]
    # Two descriptors for each frame sent, one for each buffer, at the start and again after most frames.
    assert doorbells > 6 * (2 * 200 + 512 + 150)


@images
def test_every_fault_of_the_wire_is_dropped_with_its_reason(firmware: str) -> None:
    traffic = ["udp:700:rx@4Gbps,bad_crc=7%,runt=5%,oversize=3%", "udp:700:tx"]
    finished = execute("tengig", firmware=firmware, set=settings_for(firmware), traffic=traffic, frames=600)
    result = finished.check()
    assert_accounted(result, "bad_check_sequence", "runt", "oversize")
    reasons = result.frames.dropped["rx"]["mac_receive"]
    hundredths = {reason: 100 * number / result.frames.offered["rx"] for reason, number in reasons.items()}
    assert 3 < hundredths["bad_check_sequence"] < 12
    assert 2 < hundredths["runt"] < 9
    assert 1 < hundredths["oversize"] < 6
    assert sum(reasons.values()) == finished.session.simulation.statistics()["wire_faults.faulty"]


@pytest.mark.parametrize("nic", ["tengig", "tigon2"])
def test_what_the_wire_doubles_reorders_and_delays_arrives_so(nic: str) -> None:
    traffic = "udp:700:rx@500Mbps,duplicated=5%,reordered=5%,delayed=5%,lost=2%,bad_crc=2%"
    finished = execute(nic, traffic=traffic, frames=400)
    result, counters = finished.check(), finished.session.simulation.statistics()
    frames = result.frames
    assert frames.in_flight["rx"] == 0
    assert frames.duplicated["rx"] == counters["wire_faults.duplicated"] > 8
    # Fewer than were held back: what overtakes one may be damaged and dropped.
    assert 8 < frames.reordered["rx"] <= counters["wire_faults.reordered"]
    assert frames.dropped["rx"]["wire_faults"] == {"lost": counters["wire_faults.dropped_lost"]}
    assert counters["wire_faults.delayed"] > 8
    dropped = sum(number for reasons in frames.dropped["rx"].values() for number in reasons.values())
    assert frames.delivered["rx"] + dropped == frames.offered["rx"]


@pytest.mark.parametrize("nic", ["tigon2", "dp83820"])
def test_rates_include_frames_that_the_wire_reorders(nic: str) -> None:
    result = run(nic, traffic="udp:1472:rx,reordered=5%", frames=400)
    frames = result.frames
    assert frames.reordered["rx"] > 8
    assert frames.delivered["rx"] == frames.offered["rx"]
    assert result.rx.line_rate_fraction == pytest.approx(1, abs=0.01)


def test_reordered_frames_count_where_the_card_keeps_their_order() -> None:
    def counted(nic: str, traffic: str, **settings: str | int) -> tuple[int, int]:
        finished = execute(nic, traffic=f"{traffic}:rx,reordered=5%", frames=400, set=settings)
        counters = finished.session.simulation.statistics()
        return finished.check().frames.reordered["rx"], counters["wire_faults.reordered"]

    counts, of_wire = counted("rosebud", "udp:1472", balancer="round_robin")
    assert counts == 0 < of_wire
    counts, of_wire = counted("rosebud", "udp:1472", balancer="hash")
    assert 0 < counts <= of_wire
    # Of 64 flows at random, two frames behind each other are rarely of one.
    counts, of_wire = counted("hundredgig", "udp:1472")
    assert counts < of_wire / 4


@pytest.mark.parametrize(
    ("nic", "moment"),
    [
        ("hundredgig", us(200)),
        ("ricenic", us(900)),
        ("rosebud", us(50)),
        ("sinic", us(300)),
        ("tengig", us(300)),
        ("tigon2", ms(3)),
    ],
)
@pytest.mark.parametrize("faults", ["duplicated=10%,bad_crc=10%", "duplicated=20%,lost=5%,delayed=1%"])
def test_copies_of_the_wire_are_part_of_the_account(nic: str, moment: Time, faults: str) -> None:
    """At the end of the run, and while frames are in flight."""
    for frames_wanted, end in ((300, None), (None, moment)):
        finished = execute(nic, traffic=f"udp:18:rx,{faults}", frames=frames_wanted, time=end)
        frames, counters = finished.check().frames, finished.session.simulation.statistics()
        copied = sum(counters[name] for name in counters if name.endswith("wire_faults.duplicated"))
        assert frames.copied == {"tx": 0, "rx": copied}
        assert copied > 20
        arrived = frames.delivered["rx"] + frames.corrupted["rx"]
        arrived += frames.duplicated["rx"] + frames.in_flight["rx"]
        assert frames.offered["rx"] + copied == arrived + dropped(frames)


@pytest.mark.parametrize("rate", ["5Mpps", "3Gbps"])
def test_a_delay_that_holds_back_the_source_is_noted(rate: str) -> None:
    for delay, is_noted in (("100us", True), ("10us", False)):
        settings = {"wire_faults.delay": delay}
        notes = run("tengig", traffic=f"udp:18:rx@{rate},delayed=10%", frames=3, set=settings).notes
        assert any("holds back the source" in note for note in notes) == is_noted


@pytest.mark.parametrize(
    ("traffic", "settings", "noted"),
    [
        (
            "udp:1472:rx,delayed=1%",
            {"wire_faults.delay": "2ms"},
            ["delayed by 2 ms.*than the link can carry"],
        ),
        ("udp:1472:rx,delayed=1%", {}, []),
        ("udp:18:rx,delayed=1%", {}, ["delayed by 10 us"]),
        ("udp:1472:rx,reordered=100%", {}, ["held back to be overtaken", "in which no frame can overtake"]),
        ("udp:1472:rx,reordered=1%", {"wire_faults.reordered_by": 100}, ["about 80 frames can overtake it"]),
        ("udp:1472:rx,reordered=1%", {"wire_faults.reordered_by": 70}, []),
        ("udp:1472:rx@1kpps,reordered=1%", {}, ["in which no frame can overtake"]),
    ],
)
def test_what_faults_hold_back_at_any_rate_is_noted(
    traffic: str, settings: dict[str, object], noted: list[str]
) -> None:
    notes = run("tengig", traffic=traffic, frames=300, set=settings).notes
    assert len(notes) == len(noted)
    for note, words in zip(notes, noted, strict=True):
        assert re.search(words, note)


@pytest.mark.parametrize("is_slow", [False, True])
def test_a_card_that_is_slower_than_the_wire_holds_back_the_source_itself(is_slow: bool) -> None:
    settings = {"cores": 1, "pause_frames": True} if is_slow else {}
    notes = run("hundredgig", traffic="udp:1472:rx,delayed=1%", frames=300, set=settings).notes
    assert any("holds back the source" in note for note in notes) != is_slow


def test_a_frame_that_the_card_doubles_or_overtakes_is_still_refused() -> None:
    counts = DirectionCounts(
        offered=10,
        delivered=8,
        bytes=0,
        payload_bytes=0,
        corrupted=0,
        reordered=2,
        duplicated=3,
        skipped=2,
        last_delivery_fs=0,
        doubled_on_wire=1,
        reordered_on_wire=1,
        dropped={},
    )
    assert counts.wrong == {"corrupted": 0, "reordered": 1, "duplicated": 2, "lost": 0}


def test_frames_that_firmware_makes_are_counted_as_added() -> None:
    finished = execute("rosebud", firmware="generate", frames=100)
    frames = finished.result.frames
    assert finished.result.failure is not None
    for way in DIRECTIONS:
        dropped = sum(number for reasons in frames.dropped[way].values() for number in reasons.values())
        arrived = frames.delivered[way] + frames.corrupted[way] + frames.duplicated[way]
        assert frames.added[way] > frames.offered[way]
        assert frames.in_flight[way] == 0
        assert frames.offered[way] + frames.added[way] == arrived + dropped


def test_frames_that_the_wire_doubles_are_inside_until_they_arrive_as_duplicates() -> None:
    def inside_and_added(delivered: int, doubled: int, duplicated: int) -> tuple[int, int]:
        counts = DirectionCounts(
            offered=10,
            delivered=delivered,
            bytes=0,
            payload_bytes=0,
            corrupted=1,
            reordered=0,
            duplicated=duplicated,
            skipped=0,
            last_delivery_fs=0,
            doubled_on_wire=doubled,
            reordered_on_wire=0,
            dropped={"mac_receive": {"runt": 2}},
        )
        return counts.in_flight, counts.added

    assert inside_and_added(delivered=7, doubled=0, duplicated=0) == (0, 0)
    assert inside_and_added(delivered=7, doubled=3, duplicated=0) == (3, 0)
    assert inside_and_added(delivered=7, doubled=3, duplicated=3) == (0, 0)
    # The wire's count excludes duplicates that the card made.
    assert inside_and_added(delivered=5, doubled=3, duplicated=4) == (2, 1)
    assert inside_and_added(delivered=9, doubled=0, duplicated=4) == (-2, 6)


@images
@pytest.mark.parametrize(("frames", "fetched"), [(265, 265), (266, 256)])
def test_no_more_descriptors_are_fetched_than_the_ring_of_the_card_holds(
    firmware: str, frames: int, fetched: int
) -> None:
    # A frame takes one descriptor, and half a millisecond on the wire. Nine frames enter the FIFO before the
    # link, which frees their descriptors: there is room for 265. The card fetches all, up to 32, or none.
    image = Executable.load(build(f"tengig/{firmware}").path)
    plan = plan_traffic(["udp:18:tx"], frames=None, seed=1, largest_frame=1514).tx
    card = Tengig(image=image, **settings_for(firmware))
    bench = GeneratedTraffic(tx=replace(plan, count=frames)).insert(card)
    for path, value in {
        "transmit_link.gap": 65536,
        "transmit_link.bytes_per_cycle": 1,
        "host.header_bytes": 0,
        "host.send_entries": 1024,
    }.items():
        bench.set(path, value)
    simulation = simulate(bench)
    load_image(simulation, image, card)
    simulation.run(us(400))
    counted = simulation.statistics()
    assert (counted["host.offered"], counted["mac_transmit.frames"]) == (frames, 9)
    receive_descriptors = 256
    assert counted["dma_read.control_memory_bytes"] == 16 * (fetched + receive_descriptors)


@images
@pytest.mark.parametrize(("first_index", "fetched"), [(0, 256), (255, 241)])
def test_no_more_receive_descriptors_are_fetched_than_the_ring_of_the_card_holds(
    firmware: str, first_index: int, fetched: int
) -> None:
    # A fetch ends where the ring wraps. After the first, of one descriptor, those of 16 leave room for 15.
    image = Executable.load(build(f"tengig/{firmware}").path)
    card = Tengig(image=image, first_index=first_index, **settings_for(firmware))
    plan = plan_traffic(["udp:18:tx"], frames=None, seed=1, largest_frame=1514).tx
    bench = GeneratedTraffic(tx=replace(plan, count=0)).insert(card)
    simulation = simulate(bench)
    load_image(simulation, image, card)
    simulation.run(us(400))
    assert simulation.statistics()["dma_read.control_memory_bytes"] == 16 * fetched


def test_when_every_frame_has_a_fault_none_arrives_and_sending_goes_on() -> None:
    result = run("tengig", traffic=["udp:700:rx,runt=40%,bad_crc=60%", "udp:700:tx"], frames=99)
    assert_accounted(result, "bad_check_sequence", "runt")
    assert result.frames.delivered == {"tx": 99, "rx": 0}


def test_faults_of_captured_frames() -> None:
    traffic = "pcap:captures/web-ping-udp.pcap:loop:rx@1Gbps,bad_crc=20%"
    result = run("tengig", traffic=traffic, frames=150)
    assert_accounted(result, "bad_check_sequence")
    assert dropped(result.frames) > 15


@pytest.mark.parametrize(
    ("nic", "settings"), [("hundredgig", {}), ("rosebud", {}), ("rosebud", {"balancer": "hash"})]
)
def test_conversations_of_a_capture_may_overtake_each_other(nic: str, settings: dict[str, str]) -> None:
    # Frames of IPv4, IPv6 and ARP, some of them equal.
    result = run(nic, traffic="pcap:captures/web-ping-udp.pcap", set=settings)
    assert result.frames.delivered == result.frames.offered == {"tx": 88, "rx": 88}


def test_a_frame_that_the_host_has_no_room_for_is_said_to_be_damaged() -> None:
    # The NIC cuts it off and marks it, as the descriptor allows; the host then finds less than was sent.
    with pytest.raises(FrameError, match=r"rx: of .* frames offered, .* corrupted"):
        run("tengig", traffic="udp:1472:rx", frames=20, set={"host.receive_buffer": "1024B"})


@images
def test_one_slow_core_does_not_hold_up_the_others(firmware: str) -> None:
    # In `base` the last core alone gives frames to the MAC, so it is another that is slow.
    slow, all_well = (
        run(nic, firmware=firmware, traffic="udp:1472@2Gbps", frames=99, set=settings_for(firmware, settings))
        for nic, settings in ((OneCoreIsSlow, {"victim": 2}), (OneCoreHalts, {"after": 10_000}))
    )
    for result in (slow, all_well):
        assert_accounted(result)
    assert slow.cores[2].cycles["halted"] > 0.8
    assert slow.simulated_ns < 1.5 * all_well.simulated_ns


@images
@pytest.mark.parametrize("after", [8, 21, 34])
def test_a_core_that_halts_for_a_time_delays_and_loses_nothing(firmware: str, after: int) -> None:
    # The core may hold claimed frames or a lock. Work that waits for it is done when it continues.
    settings = {"victim": 3, "after": after, "steps": 100}
    result = run(
        OneCoreHalts,
        firmware=firmware,
        traffic="udp:900@3Gbps",
        frames=250,
        set=settings_for(firmware, settings),
    )
    assert_accounted(result, *NO_ROOM)
    assert result.frames.delivered["tx"] >= 250


@images
def test_a_core_that_halts_for_good_stops_the_run_in_order_or_not_at_all(firmware: str) -> None:
    # Frames that the core has claimed stay where they are, and what must follow them waits: in order or not
    # at all. If it holds nothing, the others carry on without it. Either way the run says what is inside.
    carried_on = 0
    for after in range(15, 45, 5):
        settings = {"victim": 1, "after": after}
        finished = execute(
            OneCoreHalts,
            firmware=firmware,
            traffic="udp:900@1Gbps",
            frames=60,
            set=settings_for(firmware, settings),
            stall_after=us(200),
        )
        counts = finished.result.frames
        assert_nothing_wrong(counts)
        if finished.ending.kind == "complete":
            assert_accounted(finished.result)
            carried_on += 1
        else:
            with pytest.raises(FrameError, match=r"no frame.* has made progress"):
                finished.check()
            assert max(counts.in_flight.values()) > 0
    # An event queue gives an event to a core that halts while it waits for one.
    assert (carried_on > 0) == (firmware != "event-queue")


@pytest.mark.parametrize(
    ("length", "place"),
    [
        ("length + 600", r"beyond receive buffer \d+, which has 1536 bytes"),
        ("65535", "beyond receive buffer"),
    ],
)
def test_a_write_beyond_a_receive_buffer_ends_the_run(tmp_path: Path, length: str, place: str) -> None:
    before = "write_request(slot, high, low, address, length, TAG_RECEIVED"
    firmware = changed(
        tmp_path, "tengig/base", "include/tengig/receive.h", before, before.replace("length", length)
    )
    with pytest.raises(SpinachError, match=f"the NIC wrote .* bytes at 0x.* in host memory, {place}"):
        run("tengig", firmware=firmware, traffic="udp:1472", frames=100)
