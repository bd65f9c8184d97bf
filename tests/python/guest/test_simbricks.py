"""Cards in simulations by SimBricks: peers written from its headers, and two cards at one cable."""

import json
import struct
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from tests.python.conftest import Started
from tests.python.guest.simbricks_peer import (
    DEVICE_READ,
    DEVICE_WRITE,
    ETHERNET,
    HOST_READ,
    LEGACY_HIGH,
    LEGACY_LOW,
    PATIENCE_S,
    PCIE,
    READ_DONE,
    SYNC,
    Driving,
    Link,
    Message,
    World,
)

from spinach_nic import SpinachError, us
from spinach_nic.cards.hundredgig.driver import VirtioDriver
from spinach_nic.cards.hundredgig.settings import Settings
from spinach_nic.runs.simbricks import Peer, networks

LATENCY, INTERVAL = 700_000, 350_000
"""Latency and interval of the card, in picoseconds."""
PEER = (500_000, 500_000)
"""Latency and interval of the peers."""
TERMS = "latency=700ns:sync_interval=350ns"
FRAMES = 6
LONGEST = 14 + 2 * (23 + 90 * (FRAMES - 1))
"""Bytes of the longest frame."""
SMALL = 128
"""Bytes behind the header of a slot that splits frames."""
HAS_64_BITS = 2


def frame(number: int, way: int) -> bytes:
    return bytes.fromhex("025350494e41 0200000000aa 88b5") + bytes([way, number]) * (23 + 90 * number)


def drive(
    started: Started, folder: Path, *changes: str, payload: int = 0, messages: bool = True
) -> tuple[list[Message], World, dict[str, object]]:
    """Send and receive frames by a driver at the host; return what network and host got, and the result.

    With `payload` the host listens, and its slots have that number of bytes behind the header.
    """
    host, network = folder / "pcie", folder / "eth"
    role = "connect" if payload else "listen"
    words = ("--simbricks-pcie", f"{role}:{host}:{TERMS}", "--wire", f"simbricks:listen:{network}:{TERMS}")
    settings = [word for change in ("cores=2", *changes) for word in ("--set", change)]
    process = started.spinach("attach", "hundredgig", *words, *settings, "--json", "-")
    links = Link(host, PCIE, *PEER, payload=payload), Link(network, ETHERNET, *PEER)
    world = World(*links)
    driver = VirtioDriver(Settings(1, 64, 2048, us(1), us(1), messages=messages, event_index=True))
    driving = Driving(world, driver.program(world.memory))
    driving.to_send.extend(frame(number, 0) for number in range(FRAMES))
    driving.perform(frames_out=FRAMES, frames_in=0)
    for number in range(FRAMES):
        world.send_frame(frame(number, 1))
    driving.perform(frames_out=FRAMES, frames_in=FRAMES)
    assert world.frames == [frame(number, 0) for number in range(FRAMES)]
    assert driving.received == [frame(number, 1) for number in range(FRAMES)]
    assert driving.interrupts > 0
    world.end()
    document, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, complaints
    result = json.loads(document)
    return links[1].log, world, {name: result[name] for name in result if name != "wall_s"}


@pytest.mark.timeout(2 * PATIENCE_S)
def test_a_driver_and_a_network_exchange_frames_at_the_same_times_twice(
    started: Started, tmp_path: Path
) -> None:
    logs = []
    for _ in range(2):
        log, world, result = drive(started, tmp_path)
        logs.append((world.log, log, result))
    assert logs[0] == logs[1]
    assert world.line == []
    assert result["complete"]
    assert (result["frames_sent"], result["frames_received"]) == (FRAMES, FRAMES)
    for log in logs[0][:2]:
        # The first message says that the card is at time 0.
        assert log[0] == (LATENCY, SYNC, b"", b"")
        gaps = [after.arrival - before.arrival for before, after in pairwise(log)]
        assert min(gaps) >= 0
        assert max(gaps) == INTERVAL


@pytest.mark.timeout(2 * PATIENCE_S)
def test_a_card_connects_to_small_slots_and_has_a_window_of_64_bits_and_an_interrupt_line(
    started: Started, tmp_path: Path
) -> None:
    _, world, _ = drive(started, tmp_path, "is_64_bit=true", payload=SMALL, messages=False)
    assert world.windows == [(32 * 1024, HAS_64_BITS), *5 * [(0, 0)]]
    assert world.vectors == []
    # The line changes at each message, and ends at rest.
    assert world.line == [LEGACY_HIGH, LEGACY_LOW] * (len(world.line) // 2)
    for kind in (DEVICE_READ, DEVICE_WRITE):
        assert max(transferred(world.log, kind)) >= LONGEST


def transferred(log: list[Message], kind: int) -> list[int]:
    """Return the sizes of transfers, whose pieces follow each other and fill their slots."""
    sizes: list[int] = []
    end = None
    for _, address, size in (struct.unpack_from("<QQH", one.fields) for one in log if one.kind == kind):
        assert size <= SMALL
        if address == end:
            sizes[-1] += size
        else:
            sizes.append(size)
        end = address + size if size == SMALL else None
    return sizes


def joined(started: Started, cable: Path) -> list[dict[str, object]]:
    """Join two cards by a cable; return their results."""
    results = []
    ends = (("listen", "udp:1472:tx@2Gbps"), ("connect", "udp:200:tx@1Gbps"))
    processes = [
        started.spinach(
            *("run", "tengig", "--set", "cores=2", "--traffic", traffic, "--time", "150us", "--json", "-"),
            *("--wire", f"simbricks:{role}:{cable}:latency=1us"),
        )
        for role, traffic in ends
    ]
    for process in processes:
        document, complaints = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, complaints
        result = json.loads(document)
        results.append({name: result[name] for name in result if "wall" not in name})
    return results


@pytest.mark.timeout(2 * PATIENCE_S)
def test_two_cards_at_one_cable_exchange_the_same_frames_twice(started: Started, tmp_path: Path) -> None:
    first = joined(started, tmp_path / "cable")
    assert first == joined(started, tmp_path / "cable")
    near, far = (result["live"]["wire"] for result in first)  # type: ignore[index]
    # Frames that left one card in the last microsecond have not arrived.
    assert 0 <= near["sent"] - far["received"] <= 1
    assert 0 <= far["sent"] - near["received"] <= 1
    assert min(near["received"], far["received"]) > 10


def test_accesses_are_answered_until_the_host_dies(started: Started, tmp_path: Path) -> None:
    door = tmp_path / "pcie"
    words = ("--simbricks-pcie", f"listen:{door}", "--set", "cores=1", "--json", "-")
    process = started.spinach("attach", "hundredgig", *words)
    with closing(Link(door, PCIE, *PEER)) as link:
        world = World(link)
        assert world.windows == [(32 * 1024, 0), *5 * [(0, 0)]]
        # Vendor, device, class and subclass of a network card, revision, interface.
        assert world.identity == (0x1AF4, 0x1041, 2, 0, 1, 0)
        assert (world.vector_count, world.table_window) == (4, 0)
        assert world.read(0, 0x2000, 6) == bytes.fromhex("025350494e41")
        world.write(0, 0x16, b"\1\0", is_posted=False)
        assert world.read(0, 0x16, 2) == b"\1\0"
        # The table belongs to the host: what reaches the card has no effect.
        world.write(0, world.table, bytes(range(16)))
        assert world.read(0, world.table + 4, 8) == bytes(range(4, 12))
    printed, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3
    assert f"the SimBricks peer at {door} is gone without a message" in complaints
    document = json.loads(printed)
    assert document["complete"] is False
    assert document["accesses"] > 0
    assert f"error: {document['failure']['message']}\n" in complaints


def test_a_host_without_synchronisation_is_answered_and_a_wrong_access_refused(
    started: Started, tmp_path: Path
) -> None:
    door = tmp_path / "pcie"
    process = started.spinach(
        "attach", "hundredgig", "--simbricks-pcie", f"listen:{door}", "--set", "cores=1"
    )
    with closing(Link(door, PCIE, *PEER, sync=False)) as link:
        assert link.flags == 1
        for request, offset in enumerate((0x2000, 0x2004)):
            link.send(0, HOST_READ, struct.pack("<QQHB", request, offset, 2, 0))
        answers: list[Message] = []
        deadline = time.monotonic() + PATIENCE_S
        while len(answers) < 2:
            assert time.monotonic() < deadline
            if link.head() is not None:
                answers.append(link.take())
        assert [answer.kind for answer in answers] == [READ_DONE] * 2
        assert [answer.payload[:2] for answer in answers] == [b"\x02\x53", b"\x4e\x41"]
        link.send(0, HOST_READ, struct.pack("<QQHB", 2, 0x8000, 2, 0))
        _, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3
    assert "an access to 2 bytes at 0x8000 of base address register 0, which does not exist" in complaints


@pytest.mark.parametrize(
    ("connection", "reason"),
    [
        ("meet:/tmp/x", "is not a SimBricks connection"),
        ("listen:", "is not a SimBricks connection"),
        ("listen:/tmp/x:latency=500", "500 has no unit"),
        ("listen:/tmp/x:latency=1us:sync_interval=2us", "invalid sync_interval 2 us"),
        ("listen:/tmp/x:latency=0ns", "invalid sync_interval 0 fs"),
        ("listen:/tmp/x:sync=maybe", "invalid sync 'maybe'"),
        ("listen:/tmp/x:latncy=1us", "no option 'latncy'"),
    ],
)
def test_connections_that_say_nothing_are_refused(connection: str, reason: str) -> None:
    with pytest.raises(SpinachError, match=reason):
        Peer.parse(connection)


def test_wall_time_and_simulated_peers_do_not_mix() -> None:
    with pytest.raises(SpinachError, match="tap:x follows wall time"):
        networks({"wire": "simbricks:listen:/tmp/x", "host": "tap:x"})
