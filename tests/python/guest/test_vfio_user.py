"""`spinach attach --vfio-user`: a client has the card, and a driver in it sends and receives frames."""

import errno
import json
import socket
import struct
import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.python.conftest import Started
from tests.python.guest.driving import BYTES, PATIENCE_S
from tests.python.guest.vfio_client import (
    CONFIGURATION,
    INFO,
    IRQ_INFO,
    LINE,
    MAP,
    MESSAGES,
    READ,
    REGION_INFO,
    RESET,
    UNMAP,
    Client,
    ClientHost,
    Memory,
    RefusedError,
)

from spinach_nic import us
from spinach_nic.cards.hundredgig.driver import VirtioDriver
from spinach_nic.cards.hundredgig.settings import Settings

BASE, SIZE = 1 << 32, 1 << 22
WINDOW = 32 * 1024
FRAMES_AT_ONCE = 40
FRAMES = max(FRAMES_AT_ONCE, BYTES // 1000)
"""Frames each way; a soak asks for more."""


def connected(path: Path) -> Client:
    """Return a client, when the card listens."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return Client(path)
        except (FileNotFoundError, ConnectionRefusedError):
            assert time.monotonic() < deadline
            time.sleep(0.02)


class Far:
    """The other end of the wire: a socket with frames behind their lengths."""

    def __init__(self, path: Path) -> None:
        """Wait for the card."""
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen()

    def accept(self) -> None:
        self._peer, _ = self._listener.accept()
        self._peer.settimeout(PATIENCE_S)

    def send(self, frame: bytes) -> None:
        self._peer.sendall(struct.pack(">I", len(frame)) + frame)

    def close(self) -> None:
        self._listener.close()
        if hasattr(self, "_peer"):
            self._peer.close()

    def take(self) -> bytes:
        (length,) = struct.unpack(">I", self._peer.recv(4, socket.MSG_WAITALL))
        return self._peer.recv(int(length), socket.MSG_WAITALL)


def frame(number: int, way: int) -> bytes:
    contents = struct.pack(">BI", way, number) * (10 + number * 7 % 290)
    return bytes.fromhex("025350494e41 0200000000aa 88b5") + contents


@pytest.mark.timeout(PATIENCE_S + FRAMES // 10)
@pytest.mark.parametrize("messages", [True, False])
def test_a_client_drives_the_card(started: Started, tmp_path: Path, *, messages: bool) -> None:
    door = tmp_path / "card"
    # One has a window with an address of 64 bits.
    card = ("--set", "cores=2", "--set", f"is_64_bit={messages}")
    wire = ("--wire", f"stream:{tmp_path / 'wire'}", *card, "--json", "-")
    # The wire stays until the card has ended: a card that loses it first ends with an error.
    with closing(Far(tmp_path / "wire")) as far:
        process = started.spinach("attach", "hundredgig", "--vfio-user", str(door), *wire)
        far.accept()
        with closing(connected(door)) as client, closing(Memory(client, BASE, SIZE)) as memory:
            client.write(CONFIGURATION, 0x10, b"\xff" * 8)
            upper = 0xFFFF_FFFF_0000_0004 if messages else 0
            found = int.from_bytes(client.read(CONFIGURATION, 0x10, 8), "little")
            assert found == upper | -WINDOW & 0xFFFF_FFFF
            driver = VirtioDriver(Settings(1, 64, 2048, us(1), us(1), messages=messages, event_index=True))
            with closing(ClientHost(client, memory, driver.program(memory))) as host:
                for first in range(0, FRAMES, FRAMES_AT_ONCE):
                    numbers = range(first, min(first + FRAMES_AT_ONCE, FRAMES))
                    host.to_send.extend(frame(number, 0) for number in numbers)
                    host.perform(until=0)
                    assert [far.take() for _ in numbers] == [frame(number, 0) for number in numbers]
                    for number in numbers:
                        far.send(frame(number, 1))
                    host.perform(until=len(numbers))
                    assert host.received == [frame(number, 1) for number in numbers]
                    host.received.clear()
                assert host.interrupts > 0
        document, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, complaints
    result = json.loads(document)
    assert result["complete"]
    assert (result["frames_sent"], result["frames_received"]) == (FRAMES, FRAMES)


def test_a_client_finds_the_card_and_errors_are_answered(started: Started, tmp_path: Path) -> None:
    door = tmp_path / "card"
    process = started.spinach("attach", "hundredgig", "--vfio-user", str(door), "--set", "cores=1")
    client = connected(door)
    assert not door.exists()
    assert struct.unpack("<4I", client.command(INFO, struct.pack("<4I", 16, 0, 0, 0)))[1:] == (3, 9, 5)

    def size(region: int) -> int:
        asked = struct.pack("<4IQQ", 32, 0, region, 0, 0, 0)
        answer = struct.unpack("<4IQQ", client.command(REGION_INFO, asked))
        assert answer[1] == (3 if answer[4] else 0)
        return int(answer[4])

    assert [size(region) for region in range(9)] == [WINDOW, 0, 0, 0, 0, 0, 0, 256, 0]

    def vectors(kind: int) -> int:
        return int(struct.unpack("<4I", client.command(IRQ_INFO, struct.pack("<4I", 16, 0, kind, 0)))[3])

    # Two queues, a control queue that one core does not have, and the configuration.
    assert [vectors(kind) for kind in (LINE, 1, MESSAGES)] == [1, 0, 4]
    space = client.read(CONFIGURATION, 0, 256)
    assert space[:4] == bytes.fromhex("f41a4110")
    # A base address is sized and kept as on a real bus, and survives a reset.
    client.write(CONFIGURATION, 0x10, b"\xff" * 4)
    assert client.read(CONFIGURATION, 0x10, 4) == (-WINDOW & 0xFFFF_FFFF).to_bytes(4, "little")
    client.write(CONFIGURATION, 0x10, (0xFEB0_0000).to_bytes(4, "little"))
    client.write(CONFIGURATION, 4, b"\x06\x00")
    assert client.read(0, 0x2000, 6) == bytes.fromhex("025350494e41")
    client.command(RESET)
    assert client.read(CONFIGURATION, 0x04, 1) == b"\0"
    assert client.read(CONFIGURATION, 0x10, 4) == (0xFEB0_0000).to_bytes(4, "little")
    # So it does a reset of the function, which the capability of PCI Express has first in the list.
    client.write(CONFIGURATION, 4, b"\x06\x00")
    control = client.read(CONFIGURATION, 0x34, 1)[0] + 8
    client.write(CONFIGURATION, control + 1, bytes([client.read(CONFIGURATION, control + 1, 1)[0] | 0x80]))
    assert client.read(CONFIGURATION, 0x04, 1) == b"\0"
    client.write(CONFIGURATION, 4, b"\x06\x00")
    assert client.read(0, 0x2000, 6) == bytes.fromhex("025350494e41")
    client.write(CONFIGURATION, 4, b"\x00\x00")
    # Without memory space nothing answers.
    assert client.read(0, 0x2000, 6) == b"\xff" * 6
    with pytest.raises(RefusedError, match=str(errno.EINVAL)):
        client.read(0, WINDOW - 2, 4)
    with pytest.raises(RefusedError, match=str(errno.EINVAL)):
        client.read(2, 0, 4)
    with pytest.raises(RefusedError, match=str(errno.EINVAL)):
        client.command(IRQ_INFO, b"\0" * 8)
    with pytest.raises(RefusedError, match=str(errno.EINVAL)):
        client.set_interrupts(MESSAGES, 0x24, count=5)
    with pytest.raises(RefusedError, match=str(errno.ENOTSUP)):
        client.command(99)
    memory = Memory(client, BASE, SIZE)
    with pytest.raises(RefusedError, match=str(errno.EEXIST)):
        Memory(client, BASE + SIZE - 4096, SIZE)
    client.command(UNMAP, struct.pack("<IIQQ", 24, 0, BASE, SIZE))
    client.command(MAP, struct.pack("<IIQQQ", 32, 3, 0, BASE, SIZE))
    memory.close()
    client.close()
    _, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, complaints


@pytest.mark.parametrize("how", ["rest of a message", "answer", "unread answer"])
def test_a_client_that_is_killed_ends_the_run(started: Started, tmp_path: Path, how: str) -> None:
    door = tmp_path / "card"
    process = started.spinach("attach", "hundredgig", "--vfio-user", str(door), "--set", "cores=1")
    client = connected(door)
    client.begin(
        READ, struct.pack("<QII", 0, CONFIGURATION, 4), left_out=4 if how == "rest of a message" else 0
    )
    if how == "unread answer":
        client.wait()
    client.close()
    said, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, complaints
    assert "of the guest" in said
    assert complaints.splitlines() == [f"waiting for a vfio-user client at {door}"]


def test_what_belongs_to_a_guest_of_ours_is_refused(started: Started, tmp_path: Path) -> None:
    door = tmp_path / "card"
    process = started.spinach("attach", "hundredgig", "--vfio-user", str(door), "--script", "true")
    _, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert "leave out --script" in complaints
    door.touch()
    process = started.spinach("attach", "hundredgig", "--vfio-user", str(door))
    _, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert "give a name that does not exist yet" in complaints
