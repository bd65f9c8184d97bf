"""A host resets RiceNIC while it works, as `spinach_rings` does, and uses it again with other rings."""

import struct
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from scapy.all import IP, UDP, Ether  # type: ignore[attr-defined]
from tests.python.cards.ricenic.nat_reference import ETHERNET, address, moved
from tests.python.conftest import Started
from tests.python.guest.driving import PATIENCE_S
from tests.python.guest.test_vfio_user import Far, connected, frame
from tests.python.guest.vfio_client import CONFIGURATION, Client, Memory

from spinach_nic import _native
from spinach_nic.benches.pci import DESCRIPTION_OFFSET, DESCRIPTION_WORDS

TIMES, FRAMES, POLL_S, AGAIN_S = 10, 5, 0.01, 0.1
BASE, AREA, WINDOW = 1 << 32, 1 << 17, 1 << 22
"""Memory of the host, of which each time uses another area, and size of the card's window."""
ENTRIES, BUFFER = 16, 2048
SEND, RECEIVE, RETURNED, STATUS, BUFFERS = 0, 0x1000, 0x2000, 0x3000, 0x4000
OWN, INSIDE, REMOTE, PORT = "198.51.100.1", "192.168.0.3", "203.0.113.5", 53
"""Address of a card that translates, and a connection through a port that it forwards."""
HEADERS = 28
"""Bytes of the headers of IP and UDP, so that frames are not too long."""
READY_WORD = 11
"""Place of `ready` in the configuration block."""
READY = dict(dict(_native.numbers())["ready_word"])["HOST_RINGS_READY"]
LAST = dict(dict(_native.numbers())["buffer_flag"])["END"] << 16


def words(contents: bytes) -> tuple[int, ...]:
    return struct.unpack(f">{len(contents) // 4}I", contents)


class Rings:
    """Rings in an area of the host's memory, whose buffers stay in place."""

    def __init__(self, client: Client, memory: Memory, area: int) -> None:
        """Tell the card where the rings are, and give it buffers."""
        self._client, self._memory, self.area = client, memory, area
        described = client.read(0, WINDOW // 2 + DESCRIPTION_OFFSET, 4 * len(DESCRIPTION_WORDS))
        self.card = dict(zip(DESCRIPTION_WORDS, words(described), strict=True))
        self.sent = self.taken = 0
        rings = [struct.pack(">QI", area + part, ENTRIES) for part in (SEND, RECEIVE, RETURNED)]
        block = words(b"".join(rings) + struct.pack(">Q", area + STATUS))
        for number, word in enumerate(block):
            self._write(self.card["configuration"] + 4 * number, word)
        self._write(self.card["configuration"] + 4 * (READY_WORD + 1), self.card["first_index"])
        self._write(self.card["configuration"] + 4 * READY_WORD, READY)
        for place in range(ENTRIES):
            self._describe(RECEIVE, place, ENTRIES + place, BUFFER)
        self._write(self.card["receive_mailbox"], ENTRIES)

    def send(self, frames: list[bytes]) -> None:
        for contents in frames:
            place = self.sent % ENTRIES
            self._memory.store(self._buffer(place), contents)
            self._describe(SEND, place, place, len(contents))
            self.sent += 1
        self._write(self.card["send_mailbox"], self.sent)

    def take(self) -> list[bytes]:
        """Take what has come."""
        consumed, returned = words(self._memory.load(self.area + STATUS, 8))
        assert consumed <= self.sent
        taken = []
        for _ in range(returned - self.taken):
            entry = self._memory.load(self.area + RETURNED + self.taken % ENTRIES * 16, 16)
            _, _, flags_length, place = words(entry)
            taken.append(self._memory.load(self._buffer(ENTRIES + place), flags_length & 0xFFFF))
            self._describe(RECEIVE, (self.taken + ENTRIES) % ENTRIES, ENTRIES + place, BUFFER)
            self.taken += 1
        if taken:
            self._write(self.card["receive_mailbox"], self.taken + ENTRIES)
        return taken

    def reset(self) -> None:
        """Reset the card, and wait until it uses no host memory."""
        self._write(self.card["reset"], 1)
        deadline = time.monotonic() + PATIENCE_S
        while words(self._client.read(0, self.card["configuration"] + 4 * READY_WORD, 4)) == (READY,):
            assert time.monotonic() < deadline
            time.sleep(POLL_S)

    def _write(self, offset: int, word: int) -> None:
        self._client.write(0, offset, struct.pack(">I", word))

    def _buffer(self, place: int) -> int:
        return self.area + BUFFERS + place * BUFFER

    def _describe(self, ring: int, place: int, buffer: int, length: int) -> None:
        entry = struct.pack(">QII", self._buffer(buffer), LAST | length, buffer - ENTRIES if ring else 0)
        self._memory.store(self.area + ring + place * 16, entry)


@dataclass(frozen=True)
class Frames:
    """Frames that a card passes: as they are, or with their addresses translated."""

    is_translated: bool

    def at_host(self, number: int, way: int) -> bytes:
        """Return a frame as the host sends (`way` 0) or receives it (1)."""
        return _at_host(number, way) if self.is_translated else frame(number, way)

    def at_wire(self, number: int, way: int) -> bytes:
        """Return the same frame as the network has it."""
        return _at_wire(number, way) if self.is_translated else frame(number, way)


@cache
def _at_host(number: int, way: int) -> bytes:
    ends = [(INSIDE, PORT), (REMOTE, 1000)]
    (source, source_port), (destination, destination_port) = ends if way == 0 else reversed(ends)
    packet = IP(src=source, dst=destination) / UDP(sport=source_port, dport=destination_port)
    ethernet = Ether(src="02:00:00:00:00:aa", dst="02:53:50:49:4e:41")
    return bytes(ethernet / packet / frame(number, way)[ETHERNET:-HEADERS])


@cache
def _at_wire(number: int, way: int) -> bytes:
    return moved(_at_host(number, way), (address(OWN), PORT), outward=way == 0)


def await_frames(
    rings: Rings, far: Far, passes: Frames, expected: Sequence[int], earlier: Sequence[int], *, again: bool
) -> None:
    """Wait for frames at the host; `again` sends them until they come, as the link may not be up."""
    ignored = {passes.at_host(number, way) for number in earlier for way in (0, 1)}
    come: list[bytes] = []
    deadline, next_at = time.monotonic() + PATIENCE_S, 0.0
    while len(come) < len(expected):
        assert time.monotonic() < deadline, come
        if again and time.monotonic() >= next_at:
            next_at = time.monotonic() + AGAIN_S
            for number in expected:
                far.send(passes.at_wire(number, 1))
        come += [contents for contents in rings.take() if contents not in ignored]
        time.sleep(POLL_S)
    assert come[: len(expected)] == [passes.at_host(number, 1) for number in expected]


def exchange(rings: Rings, far: Far, passes: Frames, first: int) -> None:
    """Exchange frames; those from before a reset may come first, whole."""
    numbers = range(first, first + FRAMES)
    await_frames(rings, far, passes, numbers[:1], range(first), again=True)
    rings.send([passes.at_host(number, 0) for number in numbers])
    for number in numbers[1:]:
        far.send(passes.at_wire(number, 1))
    await_frames(rings, far, passes, numbers[1:], range(first + 1), again=False)
    earlier = {passes.at_wire(number, way) for number in range(first) for way in (0, 1)}
    left: list[bytes] = []
    while len(left) < FRAMES:
        left += [contents for contents in [far.take()] if contents not in earlier]
    assert left == [passes.at_wire(number, 0) for number in numbers]


@pytest.mark.timeout(2 * PATIENCE_S)
@pytest.mark.parametrize("image", ["base", "split", "cache", "nat", "nat-split"])
def test_a_card_is_reset_ten_times_while_it_works(started: Started, tmp_path: Path, image: str) -> None:
    door = tmp_path / "card"
    options = ["--wire", f"stream:{tmp_path / 'wire'}", "--set", "core=functional", "--firmware", image]
    passes = Frames(is_translated=image.startswith("nat"))
    if passes.is_translated:
        options += ["--set", f"nat_address={OWN}", "--set", f"nat_forwards=udp:{PORT}:{INSIDE}:{PORT}"]
    with closing(Far(tmp_path / "wire")) as far:
        process = started.spinach("attach", "ricenic", "--vfio-user", str(door), *options)
        far.accept()
        with (
            closing(connected(door)) as client,
            closing(Memory(client, BASE, (TIMES + 1) * AREA)) as memory,
        ):
            client.write(CONFIGURATION, 0x04, struct.pack("<H", 6))
            before: list[tuple[int, bytes]] = []
            for time_of_reset in range(TIMES + 1):
                number = 100 * time_of_reset
                rings = Rings(client, memory, BASE + time_of_reset * AREA)
                exchange(rings, far, passes, number)
                # The card has work both ways when it is reset.
                rings.send([passes.at_host(number + FRAMES + one, 0) for one in range(ENTRIES)])
                for one in range(ENTRIES):
                    far.send(passes.at_wire(number + FRAMES + one, 1))
                rings.reset()
                before.append((rings.area, memory.load(rings.area, AREA)))
            # Since each reset the card has left that area alone.
            assert [memory.load(area, AREA) for area, _ in before] == [contents for _, contents in before]
        _, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, complaints
