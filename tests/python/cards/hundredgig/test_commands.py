"""Commands of the control queue: steering by the driver, filters, and what a hostile driver sends."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from scapy.all import IP, UDP, Ether, Raw, wrpcap  # type: ignore[attr-defined]

from spinach_nic import run, us
from spinach_nic.cards.drivers import Host, Program
from spinach_nic.cards.hundredgig import Hundredgig, driver
from spinach_nic.cards.hundredgig.driver import Steps, VirtioDriver
from spinach_nic.cards.hundredgig.model import VirtioDriverModel
from spinach_nic.cards.hundredgig.ring import Used
from spinach_nic.cards.hundredgig.settings import Settings

FEATURES = 1 << 18 | 1 << 23 | 1 << 60
"""Receive modes, the address, and steering by the driver."""
PROMISCUOUS, ALL_MULTICAST, TABLE, ADDRESS, RSS = b"\0\0", b"\0\1", b"\1\0", b"\1\1", b"\4\1"
OWN = bytes.fromhex("025350494e41")
ALL_TYPES = 0x3F


class Commanding(VirtioDriver):
    """Gives commands before it works, and notes the queue and the destination of each received frame."""

    def __init__(self, settings: Settings, commands: Sequence[tuple[bytes, bool]]) -> None:
        """Give `commands`, each with its expected answer."""
        super().__init__(settings)
        self._commands = commands
        self.received: list[tuple[int, bytes]] = []

    def _post_buffers(self) -> Steps:
        for contents, is_right in self._commands:
            assert (yield from self._command(contents)) == is_right, contents
        yield from super()._post_buffers()

    def _receive(self, queue: int, used: list[Used]) -> Steps:
        for one in used:
            frame = self._host.load(one.buffer + 12, 42)
            self.received.append((queue // 2, frame))
        yield from super()._receive(queue, used)


@pytest.fixture
def commanding(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Commanding]:
    """Return a function that makes a driver with commands."""
    monkeypatch.setattr(driver, "WANTED", driver.WANTED | FEATURES)

    def make(commands: Sequence[tuple[bytes, bool]], *, packed: bool = False) -> Commanding:
        return Commanding(Settings(4, 64, 1526, us(1), us(1), packed=packed), commands)

    return make


def card_of(made: Commanding) -> type[Hundredgig]:
    """Return the card with this driver."""

    class Model(VirtioDriverModel):
        def program(self, host: Host) -> Program:
            return made.program(host)

    class Commanded(Hundredgig):
        driver_model = Model

    return Commanded


def toeplitz(key: bytes, data: bytes) -> int:
    """Return the hash as the documentation of receive side scaling describes it, bit by bit."""
    bits, number = int.from_bytes(key, "big"), int.from_bytes(data, "big")
    hashed = 0
    for place in range(8 * len(data)):
        if number >> (8 * len(data) - 1 - place) & 1:
            hashed ^= bits >> (8 * len(key) - 32 - place) & 0xFFFF_FFFF
    return hashed


def rss(types: int, table: Sequence[int], unclassified: int, key: bytes, queues: int = 4) -> bytes:
    """Return the command."""
    head = struct.pack("<2sIHH", RSS, types, len(table) - 1, unclassified)
    return head + struct.pack(f"<{len(table)}HHB", *table, queues, len(key)) + key


@pytest.mark.parametrize("types", [ALL_TYPES, 0x01, 0x02])
def test_frames_go_where_the_table_of_the_driver_sends_their_hash(
    commanding: Callable[..., Commanding], types: int
) -> None:
    chance = random.Random(types)
    key, table = chance.randbytes(40), [chance.randrange(4) for _ in range(32)]
    # Bytes behind the key do not matter: DPDK's driver sends one.
    made = commanding([(rss(types, table, 3, key) + b"\0", True)], packed=types == 1)
    traffic = "udp:100,flows=60,source_address_step=3,source_port_step=7:rx@1Gbps"
    run(card_of(made), traffic=traffic, frames=120, set={"cores": 4})
    assert len(made.received) >= 120
    for queue, frame in made.received:
        hashed = toeplitz(key, frame[26:38] if types & 4 else frame[26:34])
        assert queue == (table[hashed % 32] if types != 0x02 else 3)


def table(*lists: Sequence[bytes]) -> bytes:
    """Return the command with a list of single and one of group addresses."""
    return TABLE + b"".join(struct.pack("<I", len(one)) + b"".join(one) for one in lists)


MANY = [bytes([2, 9, 9, 9, 9, number]) for number in range(20)]
DESTINATIONS = {
    "own": OWN,
    "other": bytes.fromhex("020000000099"),
    "listed": bytes.fromhex("020000000077"),
    "group": bytes.fromhex("333300000001"),
    "other group": bytes.fromhex("333300000002"),
    "broadcast": b"\xff" * 6,
}


CUT_TABLE = table([DESTINATIONS["other"]], [])[:-1]


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        ([], set(DESTINATIONS)),
        ([PROMISCUOUS + b"\0"], {"own", "broadcast"}),
        ([PROMISCUOUS + b"\0", ALL_MULTICAST + b"\1"], {"own", "broadcast", "group", "other group"}),
        (
            [table([DESTINATIONS["listed"]], [DESTINATIONS["group"]]), PROMISCUOUS + b"\0"],
            {"own", "broadcast", "listed", "group"},
        ),
        # Without room for all addresses too many pass, and never too few.
        ([PROMISCUOUS + b"\0", table(MANY, [])], {"own", "broadcast", "other", "listed"}),
        ([PROMISCUOUS + b"\0", table(5 * MANY, [])], set(DESTINATIONS)),
        ([ADDRESS + DESTINATIONS["other"], PROMISCUOUS + b"\0"], {"other", "broadcast"}),
        # A list behind which the other is missing replaces nothing.
        (
            [table([DESTINATIONS["listed"]], []), CUT_TABLE, PROMISCUOUS + b"\0"],
            {"own", "broadcast", "listed"},
        ),
    ],
)
def test_a_filter_passes_what_the_driver_names(
    tmp_path: Path, commanding: Callable[..., Commanding], commands: Sequence[bytes], expected: set[str]
) -> None:
    capture = tmp_path / "frames.pcap"
    frames = [
        Ether(dst=address.hex(":"), src="02:00:00:00:00:01") / IP() / UDP() / Raw(bytes(40))
        for address in DESTINATIONS.values()
    ]
    wrpcap(str(capture), frames)
    made = commanding([(command, command != CUT_TABLE) for command in commands])
    result = run(card_of(made), traffic=f"pcap:{capture}:rx@1Gbps", set={"cores": 4})
    names = {address: name for name, address in DESTINATIONS.items()}
    assert sorted(names[frame[:6]] for _, frame in made.received) == sorted(expected)
    filtered = result.frames.dropped["rx"].get("steering", {}).get("filtered", 0)
    assert filtered == len(DESTINATIONS) - len(expected)


@pytest.mark.parametrize("packed", [False, True])
def test_commands_that_are_wrong_are_refused_and_change_nothing(
    commanding: Callable[..., Commanding], *, packed: bool
) -> None:
    chance, key = random.Random(3), bytes(40)
    right = rss(ALL_TYPES, [0, 1], 0, key)
    wrong = [
        rss(ALL_TYPES, [0, 1, 2], 0, key),
        rss(0x40, [0, 1], 0, key),
        rss(ALL_TYPES, [0, 4], 0, key),
        rss(ALL_TYPES, [0, 1], 4, key),
        rss(ALL_TYPES, [0, 1], 0, key, queues=5),
        rss(ALL_TYPES, [0, 1], 0, bytes(41)),
        *(right[:end] for end in range(3, len(right), 5)),
        struct.pack("<2sIHH", RSS, 1, 0xFFFF, 0) + bytes(400),
        table([], [])[:-1],
        TABLE + b"\xff" * 8,
        PROMISCUOUS + b"\0\0",
        b"\4\0\0\0",
        b"\4\0\5\0",
        *(bytes([9]) + chance.randbytes(length) for length in (2, 60, 511, 3000)),
    ]
    made = commanding([(command, False) for command in wrong], packed=packed)
    result = run(card_of(made), traffic="udp:100,flows=40@1Gbps", frames=60, set={"cores": 4})
    assert result.frames.delivered["rx"] >= 60
    assert result.frames.dropped["rx"] == {}
    assert {queue for queue, _ in made.received} == {0, 1, 2, 3}
