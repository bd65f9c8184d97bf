"""The driver of virtio's network device misses no interrupt."""

import struct
from collections.abc import Iterable
from typing import Any

import pytest

from spinach_nic import Time, us
from spinach_nic.cards.drivers import Host
from spinach_nic.cards.hundredgig.driver import VirtioDriver
from spinach_nic.cards.hundredgig.ring import SplitRing
from spinach_nic.cards.hundredgig.settings import Settings

ENTRIES = 8
AT_ONCE = 3
"""Chains that the card uses just before interrupts are enabled again."""


class Memory(Host):
    """Memory of a host whose card uses a chain of `ring` just before the driver enables interrupts."""

    def __init__(self) -> None:
        """Make memory, without a simulation."""
        self._base = self._free = 4096
        self._end = self._base + 65536
        self._bytes = bytearray(65536)
        self.ring: SplitRing
        self.used = 0

    @property
    def now(self) -> Time:
        return us(0)

    def allow_writes(self, ranges: Iterable[tuple[int, int]]) -> None:
        """No NIC writes."""

    def load(self, address: int, size: int) -> bytes:
        return bytes(self._bytes[address - self._base :][:size])

    def store(self, address: int, contents: bytes) -> None:
        place = address - self._base
        if address == self._event() and contents == struct.pack("<H", self.used) and self.used < AT_ONCE:
            chain = struct.pack("<II", self.used, 12)
            at = self.ring.used + 4 + 8 * self.used - self._base
            self._bytes[at : at + 8] = chain
            self.used += 1
            at = self.ring.used + 2 - self._base
            self._bytes[at : at + 2] = struct.pack("<H", self.used)
        self._bytes[place : place + len(contents)] = contents

    def _event(self) -> int:
        return self.ring.available + 4 + 2 * ENTRIES if hasattr(self, "ring") else 0


def test_what_comes_before_interrupts_are_enabled_again_is_followed_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = Memory()
    rings = [SplitRing(memory, ENTRIES, device_writes=bool(way), event_index=True) for way in (1, 0)]
    driver = VirtioDriver(Settings(1, ENTRIES, 2048, us(1), us(1), event_index=True))
    monkeypatch.setattr(driver, "_host", memory, raising=False)
    monkeypatch.setattr(driver, "_rings", rings)
    monkeypatch.setattr(driver, "_doorbells", [0, 0])
    rings[0].add([(memory.allocate(64), 64) for _ in range(ENTRIES)])
    for buffer, _ in rings[0].awaited():
        memory.store(buffer + 10, struct.pack("<H", 1))
    memory.ring = rings[0]
    program: Any = driver._poll_until_idle()
    wanted = next(program, None)
    while wanted is not None:
        answer = [0] * len(wanted) if isinstance(wanted, list) else 0
        try:
            wanted = program.send(answer)
        except StopIteration:
            break
    assert memory.used == AT_ONCE
    # The card interrupts when it uses the chain at the event: the next one.
    assert struct.unpack("<H", memory.load(rings[0].available + 4 + 2 * ENTRIES, 2)) == (AT_ONCE,)
