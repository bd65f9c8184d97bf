"""Traffic is read as a person writes it, and mistakes are explained."""

import gzip
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spinach_nic import Gbps, SpinachError, _native
from spinach_nic.traffic import (
    DIRECTIONS,
    ENDLESS,
    IMIX_SIZES,
    IMIX_WEIGHTS,
    Capture,
    Faults,
    FramePlan,
    Mix,
    Plans,
    Raw,
    Tcp,
    Traffic,
    Udp,
    parse_traffic,
    plan_traffic,
)

CAPTURE = Path(__file__).parents[2] / "captures" / "web-ping-udp.pcap"


@pytest.mark.parametrize(
    ("text", "traffic"),
    [
        ("udp:1472", Traffic(sizes=(1472,))),
        ("udp:0", Traffic(sizes=(0,))),
        ("udp:18,1472:tx", Traffic(sizes=(18, 1472), directions=("tx",))),
        ("imix:rx", Traffic(sizes=IMIX_SIZES, weights=IMIX_WEIGHTS, directions=("rx",))),
        ("udp:18:rx@2Gbps", Traffic(sizes=(18,), directions=("rx",), rate=Gbps(2))),
        ("imix@2.5Gbps", Traffic(sizes=IMIX_SIZES, weights=IMIX_WEIGHTS, rate=Gbps(2.5))),
        ("udp:18@500kpps", Traffic(sizes=(18,), frame_rate=500_000)),
        ("udp:18@1.488095Mpps", Traffic(sizes=(18,), frame_rate=1_488_095)),
        ("udp:18@7pps", Traffic(sizes=(18,), frame_rate=7)),
        ("pcap:a/b.pcap", Traffic(capture=Path("a/b.pcap"))),
        ("pcap:a@b:c.pcap:tx", Traffic(capture=Path("a@b:c.pcap"), directions=("tx",))),
        ("pcap:a@b.pcap@1Gbps", Traffic(capture=Path("a@b.pcap"), rate=Gbps(1))),
        (
            "tcp:1448,flows=16:rx@2Gbps",
            Traffic(source=Tcp((1448,), flows=16), directions=("rx",), rate=Gbps(2)),
        ),
        (
            "raw:46,60,payload=zeros,ether_type=0x88b6",
            Traffic(source=Raw((46, 60), (), "zeros", ether_type=0x88B6)),
        ),
        (
            "mix:3*udp:18,flows=8+1*tcp:1448+2*pcap:a.pcap:tx",
            Traffic(
                source=Mix(((3, Udp((18,), flows=8)), (1, Tcp((1448,))), (2, Capture(Path("a.pcap"))))),
                directions=("tx",),
            ),
        ),
    ],
)
def test_what_is_written_is_read_and_shown_again(text: str, traffic: Traffic) -> None:
    assert parse_traffic(text) == traffic
    assert parse_traffic(str(traffic)) == traffic


@pytest.mark.parametrize(
    "text",
    [
        *("", "udp", "udp:", "udp:x", "udp:-1", "udp:1.5", "udp:18,", "udp:9999999", "udp:18:up", "udp:٣"),
        *(
            "imix:18",
            "imix:tx:rx",
            "pcap:",
            "sctp:18",
            "tcp:",
            "mix:",
            "mix:2*udp",
            "udp:18,flows=x",
            "udp:18,flow=2",
            "udp:18@",
            "udp:18@fast",
            "udp:18@2",
            "udp:18@2GHz",
        ),
        *("udp:18@0Gbps", "udp:18@0pps", "udp:18@0.5pps", "udp:18@1.2.3kpps", "udp:18@-1Gbps", "@1Gbps"),
    ],
)
def test_what_is_not_traffic_is_refused_in_two_lines(text: str) -> None:
    with pytest.raises(SpinachError) as caught:
        parse_traffic(text)
    assert repr(text) in caught.value.message
    assert "\n" not in caught.value.message + caught.value.help


def plan(*asked: Traffic | str, frames: int | None = 10, largest_frame: int = 1514) -> tuple[FramePlan, ...]:
    plans = plan_traffic(asked, frames=frames, seed=3, largest_frame=largest_frame)
    return plans.tx, plans.rx


def test_directions_get_their_own_traffic_and_different_seeds() -> None:
    tx, rx = plan("udp:18:tx@1Gbps", "imix:rx@5kpps")
    assert (json.loads(tx.traffic), tx.count, tx.rate) == ({"kind": "udp", "sizes": [18]}, 10, Gbps(1))
    imix = {"kind": "udp", "sizes": list(IMIX_SIZES), "weights": list(IMIX_WEIGHTS)}
    assert (json.loads(rx.traffic), rx.frame_rate) == (imix, 5000)
    assert tx.seed != rx.seed


def test_one_direction_alone_leaves_the_other_silent() -> None:
    tx, rx = plan("udp:18:rx", frames=None)
    assert tx.is_silent
    assert not rx.is_silent
    assert rx.count == ENDLESS


def test_names_of_parameters_get_their_prefix() -> None:
    tx, _ = plan("udp:18")
    assert set(tx.expected("send_")) == {f"send_{name}" for name in ("traffic", "frames", "count", "seed")}
    assert set(tx.source()) - set(tx.expected()) == {"rate", "frame_rate"}


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["udp:18", "imix:tx"], "tx has traffic already"),
        (["udp:1473"], "makes frames of 1515; the NIC passes at most 1514"),
        ([Traffic()], "sends nothing"),
        (["pcap:missing.pcap"], "cannot read missing.pcap"),
        ([f"pcap:{__file__}"], "after 0 frames"),
    ],
)
def test_impossible_traffic(asked: list[Traffic | str], message: str) -> None:
    with pytest.raises(SpinachError) as caught:
        plan(*asked)
    assert message in caught.value.message


def framed(frames: bytes) -> list[bytes]:
    found = []
    while frames:
        length = int.from_bytes(frames[:4], "big")
        found.append(frames[4 : 4 + length])
        frames = frames[4 + length :]
    return found


def test_a_capture_becomes_frames_with_their_lengths_and_padding_is_noted() -> None:
    plans = plan_traffic([f"pcap:{CAPTURE}"], frames=200, seed=1, largest_frame=1514)
    frames = framed(plans.tx.frames)
    assert frames == _native.read_capture(CAPTURE)[0]
    assert len(frames) == 88
    assert plans.rx.frames == plans.tx.frames
    assert plans.notes == (f"{CAPTURE}: 5 of 88 frames padded to 60 bytes",)


def test_frames_that_the_nic_does_not_pass_are_left_out_and_noted() -> None:
    plans = plan_traffic([f"pcap:{CAPTURE}:rx"], frames=1, seed=1, largest_frame=1442)
    assert max(map(len, framed(plans.rx.frames))) == 1442
    assert plans.tx.is_silent
    assert plans.notes[0] == (
        f"{CAPTURE}: 18 of 88 frames left out: longer than the 1442 bytes that the NIC passes"
    )


def pcap(link: int, *packets: tuple[bytes, int]) -> bytes:
    header = (
        b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00"
        + bytes(8)
        + (65535).to_bytes(4, "little")
        + bytes([link, 0, 0, 0])
    )
    records = [
        bytes(8) + len(data).to_bytes(4, "little") + original.to_bytes(4, "little") + data
        for data, original in packets
    ]
    return header + b"".join(records)


def test_frames_cut_off_and_interfaces_of_other_kinds_are_noted(tmp_path: Path) -> None:
    file = tmp_path / "cut.pcap"
    file.write_bytes(pcap(1, (bytes(60), 60), (bytes(60), 1514), (bytes(13), 13)))
    plans = plan_traffic([f"pcap:{file}"], frames=1, seed=1, largest_frame=1514)
    assert [note.partition(": ")[2] for note in plans.notes] == [
        "1 of 3 frames left out: the capture holds only their beginning",
        "1 of 3 frames left out: shorter than an Ethernet header",
    ]
    file.write_bytes(pcap(113, (bytes(60), 60)))
    with pytest.raises(SpinachError, match="not from an Ethernet interface"):
        plan(f"pcap:{file}")


@pytest.mark.parametrize("length", [0, 3, 10, 30, 45, 70])
def test_a_capture_without_a_whole_frame_is_an_error(tmp_path: Path, length: int) -> None:
    file = tmp_path / "damaged.pcap"
    file.write_bytes(pcap(1, (bytes(60), 60))[:length])
    with pytest.raises(SpinachError) as caught:
        plan(f"pcap:{file}")
    assert str(file) in caught.value.message


def plans_of(file: Path) -> Plans:
    return plan_traffic([f"pcap:{file}"], frames=1, seed=1, largest_frame=1514)


def pcapng() -> bytes:
    """Return two frames from the project's own writer, in the form of any other program."""

    def block(kind: int, body: bytes) -> bytes:
        body += bytes(-len(body) % 4)
        length = (len(body) + 12).to_bytes(4, "little")
        return kind.to_bytes(4, "little") + length + body + length

    section = block(0x0A0D0D0A, bytes.fromhex("4d3c2b1a 0100 0000") + b"\xff" * 8)
    interface = block(1, bytes.fromhex("0100 0000 00000000"))
    packet = bytes(12) + (60).to_bytes(4, "little") * 2
    return section + interface + block(6, packet + b"a" * 60) + block(6, packet + b"b" * 60)


@pytest.mark.parametrize(
    "whole", [pcap(1, (b"a" * 60, 60), (b"b" * 60, 60)), pcapng()], ids=["pcap", "pcapng"]
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_capture_is_read_as_far_as_it_goes(
    tmp_path: Path, whole: bytes, compress: Callable[[bytes], bytes]
) -> None:
    file = tmp_path / "capture.pcap"
    file.write_bytes(compress(whole))
    assert framed(plans_of(file).tx.frames) == [b"a" * 60, b"b" * 60]
    assert plans_of(file).notes == ()
    file.write_bytes(compress(whole[:-7]))
    plans = plans_of(file)
    assert framed(plans.tx.frames) == [b"a" * 60]
    assert plans.notes == (f"{file}: the capture breaks off after 1 frame",)


def test_a_compressed_capture_that_breaks_off_gives_what_came_before(tmp_path: Path) -> None:
    file = tmp_path / "capture.pcap.gz"
    file.write_bytes(gzip.compress(CAPTURE.read_bytes())[:-4000])
    plans = plans_of(file)
    frames = framed(plans.tx.frames)
    assert 0 < len(frames) < 88
    assert frames == _native.read_capture(CAPTURE)[0][: len(frames)]
    assert f"{file}: the capture breaks off after {len(frames)} frames" in plans.notes


def test_damage_inside_a_capture_is_an_error_that_says_where(tmp_path: Path) -> None:
    file = tmp_path / "capture.pcap.gz"
    content = bytearray(gzip.compress(CAPTURE.read_bytes()))
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)
    with pytest.raises(SpinachError, match=r"after \d+ frames: "):
        plan(f"pcap:{file}")


def test_both_directions_share_one_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(pcap(1, (bytes(60), 60)),))
    writer.start()
    plans = plan_traffic([f"pcap:{pipe}:tx", f"pcap:{pipe}:rx"], frames=1, seed=1, largest_frame=1514)
    writer.join()
    assert plans.tx.frames == plans.rx.frames
    assert framed(plans.rx.frames) == [bytes(60)]


def test_both_directions_have_names() -> None:
    assert DIRECTIONS == ("tx", "rx")


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("udp:1472:rx,bad_crc=1%", Faults(bad_crc=10_000)),
        ("udp:18,flows=4:rx@1Gbps,lost=1%", Faults(lost=10_000)),
        ("udp:18:rx,lost=1%", Faults(lost=10_000)),
        ("udp:18,1472:rx@2Gbps,runt=0.5%,oversize=0.0001%", Faults(runt=5000, oversize=1)),
        ("imix:rx,oversize=100%,bad_crc=12.3456%", Faults(oversize=1_000_000, bad_crc=123_456)),
        ("pcap:a,b=c.pcap:rx,runt=1%", Faults(runt=10_000)),
        ("pcap:a,b=c.pcap:rx", Faults()),
    ],
)
def test_faults_are_read_and_shown_again(text: str, faults: Faults) -> None:
    traffic = parse_traffic(text)
    assert traffic.faults == faults
    assert parse_traffic(str(traffic)) == traffic


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("udp:18:rx,bad_crx=1%", "'bad_crx' is not a fault"),
        ("udp:18:rx,bad_crc=1", "'1' is not a percentage"),
        ("udp:18:rx,bad_crc=0.00001%", "is not a percentage"),
        ("udp:18:rx,runt=1%,runt=2%", "runt is given twice"),
        ("udp:18:rx,runt=60%,bad_crc=60%", "the percentages add up to more than 100 %"),
        ("udp:18:tx,runt=1%", "only frames from the wire can have faults"),
        ("udp:18,runt=1%", "only frames from the wire can have faults"),
    ],
)
def test_impossible_faults_are_refused(asked: str | Traffic, message: str) -> None:
    with pytest.raises(SpinachError) as caught:
        plan(asked)
    assert message in caught.value.message


def test_frames_that_are_too_long_are_longer_than_the_nic_passes() -> None:
    _, rx = plan("udp:18:rx,oversize=1%", largest_frame=9014)
    assert rx.wire_faults()["lengthened_to"] == 9015
    with pytest.raises(SpinachError, match="accepts the longest frames"):
        plan("udp:18:rx,oversize=1%", largest_frame=65535)


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (Faults, {"runt": -1}, "Faults.runt: -1 is below the smallest, 0"),
        (Faults, {"runt": "1%"}, "Faults.runt = '1%' is not an integer from 0 to 1000000"),
        (Traffic, {"sizes": 1472}, "Traffic.sizes = 1472 is not a list"),
        (Traffic, {"sizes": "18"}, "Traffic.sizes = '18' is not a list"),
        (Traffic, {"sizes": (18, -1)}, "Traffic.sizes: -1 is below the smallest, 0"),
        (Traffic, {"sizes": (18,), "rate": 5}, "Traffic.rate = 5 is not a data rate"),
        (Traffic, {"sizes": (18,), "frame_rate": 0}, "Traffic.frame_rate: 0 is below the smallest, 1"),
        (Traffic, {"directions": ("up",)}, "Traffic.directions = ('up',) is not a list"),
        (parse_traffic, {"text": 18}, "text = 18 is not a text"),
    ],
)
def test_what_python_gives_is_checked_as_what_is_written(
    kind: Callable[..., object], given: dict[str, Any], message: str
) -> None:
    with pytest.raises(SpinachError) as caught:
        kind(**given)
    assert caught.value.message.startswith(message)
