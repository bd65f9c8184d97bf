"""Random commands of the control queue, right and damaged, against a model of the specification.

The model is written from virtio 1.2, section 5.1.6.5.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from scapy.all import IP, UDP, Dot1Q, Ether, Raw, wrpcap  # type: ignore[attr-defined]
from tests.python.cards.hundredgig.test_commands import (
    ADDRESS,
    ALL_MULTICAST,
    ALL_TYPES,
    OWN,
    PROMISCUOUS,
    TABLE,
    Commanding,
    card_of,
    commanding,
    rss,
    table,
    toeplitz,
)

from spinach_nic import run
from spinach_nic.cards.hundredgig import driver

__all__ = ["commanding"]

COMMANDS = 120
CORES = 4
ENTRIES, KEY_BYTES = 128, 40
"""Largest table and key that the card offers."""
ADD_VLAN, DELETE_VLAN, VLANS, CONTROL_VLAN = b"\2\0", b"\2\1", 4096, 19
SOME_VLANS = (0, 5, 37, 4095, 4096)
FILTER_ADDRESSES = 15
"""Addresses that the card holds besides its own."""


def damaged(chance: random.Random, command: bytes) -> bytes:
    """Return the command, cut, extended or with another byte, or as it is."""
    place = chance.randrange(2, len(command) + 1)
    return chance.choice(
        [
            command,
            command,
            command[: max(place, 3)],
            command + chance.randbytes(1),
            command[:place] + chance.randbytes(1) + command[place + 1 :],
        ]
    )


def steering_of(command: bytes) -> tuple[int, list[int], int, bytes] | None:
    """Return hash types, table, queue of frames without a hash and key; `None` if the command is invalid."""
    try:
        types, mask, unclassified = struct.unpack_from("<IHH", command, 2)
        lanes = struct.unpack_from(f"<{mask + 1}H", command, 10)
        senders, key_bytes = struct.unpack_from("<HB", command, 10 + 2 * (mask + 1))
    except struct.error:
        return None
    key = command[13 + 2 * (mask + 1) :]
    is_right = (
        (mask + 1).bit_count() == 1
        and mask < ENTRIES
        and types <= ALL_TYPES
        and unclassified < CORES
        and max(lanes) < CORES
        and 0 < senders <= CORES
        and key_bytes <= min(len(key), KEY_BYTES)
    )
    return (types, list(lanes), unclassified, key[:key_bytes]) if is_right else None


@pytest.mark.parametrize("seed", [1, 2])
def test_steering_is_that_of_the_last_right_command(commanding: Callable[..., Commanding], seed: int) -> None:
    chance = random.Random(seed)
    commands: list[tuple[bytes, bool]] = []
    last = None
    while len(commands) < COMMANDS or last is None:
        lanes = [chance.randrange(CORES) for _ in range(chance.choice([1, 2, 8, 64, 128]))]
        key = chance.randbytes(chance.choice([0, 8, 39, 40]))
        command = damaged(chance, rss(chance.randrange(64), lanes, chance.randrange(CORES), key))
        found = steering_of(command)
        commands.append((command, found is not None))
        last = found or last
    types, lanes, unclassified, key = last
    made = commanding(commands, packed=seed == 2)
    traffic = "udp:100,flows=60,source_address_step=3,source_port_step=7:rx@1Gbps"
    run(card_of(made), traffic=traffic, frames=100, set={"cores": CORES})
    assert len(made.received) >= 100
    assert 0 < sum(is_right for _, is_right in commands) < len(commands)
    for queue, frame in made.received:
        fields = 38 if types & 4 else 34 if types & 1 else 0
        hashed = toeplitz(key.ljust(KEY_BYTES, b"\0"), frame[26:fields])
        assert queue == (lanes[hashed % len(lanes)] if fields else unclassified)


class Filter:
    """Receive filter of a device, with VLANs if it has the feature."""

    def __init__(self, *, has_vlans: bool) -> None:
        """Pass everything, as after a reset."""
        self.own = OWN
        self.vlans: set[int] | None = set() if has_vlans else None
        self.modes = {PROMISCUOUS: True, ALL_MULTICAST: False}
        self.lists: list[list[bytes]] = [[], []]

    def take(self, command: bytes) -> bool:
        """Execute a command; return false if it is invalid."""
        kind, rest = command[:2], command[2:]
        if kind in self.modes and len(rest) == 1:
            self.modes[kind] = rest != b"\0"
        elif kind == ADDRESS and len(rest) == 6:
            self.own = rest
        elif kind in (ADD_VLAN, DELETE_VLAN) and len(rest) == 2 and self.vlans is not None:
            vlan = int.from_bytes(rest, "little")
            if vlan >= VLANS:
                return False
            self.vlans = self.vlans | {vlan} if kind == ADD_VLAN else self.vlans - {vlan}
        elif kind == TABLE:
            return self._take_lists(rest)
        else:
            return False
        return True

    def _take_lists(self, rest: bytes) -> bool:
        lists = []
        for _ in range(2):
            if len(rest) < 4:
                return False
            count = int.from_bytes(rest[:4], "little")
            if count > (len(rest) - 4) // 6:
                return False
            lists.append([rest[4 + 6 * number : 10 + 6 * number] for number in range(count)])
            rest = rest[4 + 6 * count :]
        if rest:
            return False
        self.lists = lists
        return True

    def passes_vlan(self, vlan: int | None) -> bool:
        """Return true if frames with the tag of a VLAN, or with none, are wanted."""
        return vlan is None or self.vlans is None or self.modes[PROMISCUOUS] or vlan in self.vlans

    def must_pass(self, address: bytes) -> bool:
        """Return true if frames to an address have to pass."""
        is_group = address[0] & 1 == 1
        return (
            self.modes[PROMISCUOUS]
            or address == b"\xff" * 6
            or (self.modes[ALL_MULTICAST] and is_group)
            or address == self.own
            or any(address in one for one in self.lists)
        )

    def may_pass(self, address: bytes) -> bool:
        """Return true if the card may pass them: also those of a list for which it has no room."""
        room, is_group = FILTER_ADDRESSES, address[0] & 1 == 1
        for number, one in enumerate(self.lists):
            if len(one) > room:
                if is_group == (number == 1):
                    return True
            else:
                room -= len(one)
        return self.must_pass(address)


def frame_to(address: bytes, vlan: int | None) -> Ether:
    """Return a frame, with the tag of a VLAN if there is one."""
    head = Ether(dst=address.hex(":"), src="02:00:00:00:00:01")
    return (head if vlan is None else head / Dot1Q(vlan=vlan, prio=3)) / IP() / UDP() / Raw(bytes(40))


def vlan_of(frame: bytes) -> int | None:
    """Return the VLAN of a frame."""
    return int.from_bytes(frame[14:16], "big") & 0xFFF if frame[12:14] == b"\x81\0" else None


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_filter_passes_what_the_driver_wants_and_nothing_that_it_has_room_to_drop(
    tmp_path: Path,
    commanding: Callable[..., Commanding],
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    chance = random.Random(seed)
    if has_vlans := seed > 1:
        monkeypatch.setattr(driver, "WANTED", driver.WANTED | 1 << CONTROL_VLAN)
    singles = [bytes([2, 0, 0, 0, 7, number]) for number in range(10)]
    groups = [bytes([3, 0, 0, 0, 7, number]) for number in range(10)]
    filtered, commands = Filter(has_vlans=has_vlans), []
    for _ in range(COMMANDS):
        some = [chance.sample(pool, chance.randrange(10)) for pool in (singles, groups)]
        choices = [
            PROMISCUOUS + b"\0",
            chance.choice([PROMISCUOUS, ALL_MULTICAST]) + chance.choice([b"\0", b"\1"]),
            chance.choice([ADD_VLAN, DELETE_VLAN]) + struct.pack("<H", chance.choice(SOME_VLANS)),
            ADDRESS + chance.choice(singles),
            table(*some),
        ]
        command = damaged(chance, chance.choice(choices))
        commands.append((command, filtered.take(command)))
    for command in (PROMISCUOUS + b"\0", ALL_MULTICAST + bytes([seed == 1])):
        commands.append((command, filtered.take(command)))
    sent: list[tuple[bytes, int | None]] = [
        (one, vlan)
        for one in (*singles, *groups, b"\xff" * 6, OWN)
        for vlan in (None, chance.choice(SOME_VLANS[:-1]))
    ]
    capture = tmp_path / "frames.pcap"
    wrpcap(str(capture), [frame_to(*one) for one in sent])
    made = commanding(commands, packed=seed == 2)
    run(card_of(made), traffic=f"pcap:{capture}:rx@1Gbps", set={"cores": CORES})
    passed = {(frame[:6], vlan_of(frame)) for _, frame in made.received}
    for address, vlan in sent:
        by_vlan = filtered.passes_vlan(vlan)
        assert (address, vlan) in passed or not (by_vlan and filtered.must_pass(address))
        assert (address, vlan) not in passed or (by_vlan and filtered.may_pass(address))
