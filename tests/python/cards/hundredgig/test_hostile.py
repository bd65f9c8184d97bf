"""A driver that breaks the protocol stops the device, not the card: after a reset it works again."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from spinach_nic import run, us
from spinach_nic.cards.hosts import Host, Program, read, wait
from spinach_nic.cards.hundredgig import Hundredgig
from spinach_nic.cards.hundredgig.driver import (
    NEEDS_RESET,
    SEND,
    Settings,
    VirtioDriver,
    VirtioDriverModel,
)
from spinach_nic.cards.hundredgig.function import COMMON
from spinach_nic.cards.hundredgig.ring import DEVICE_WRITES, NEXT, SplitRing

STATUS = 0x14
NOWHERE = 0x7_0000_0000


def descriptor(host: Host, ring: SplitRing, place: int, described: tuple[int, int, int, int]) -> None:
    """Write a descriptor: address, length, flags, next."""
    host.store(ring.descriptors + 16 * place, struct.pack("<QIHH", *described))


def index_jumps(host: Host, ring: SplitRing) -> None:
    host.store(ring.available + 2, struct.pack("<H", ring.entries + 1))


def head_is_outside(host: Host, ring: SplitRing) -> None:
    host.store(ring.available, struct.pack("<HHH", 0, 1, ring.entries))


def buffer_is_nowhere(host: Host, ring: SplitRing) -> None:
    descriptor(host, ring, 0, (NOWHERE, 100, 0, 0))
    host.store(ring.available, struct.pack("<HHH", 0, 1, 0))


def chain_loops(host: Host, ring: SplitRing) -> None:
    descriptor(host, ring, 0, (ring.descriptors, 100, NEXT, 0))
    host.store(ring.available, struct.pack("<HHH", 0, 1, 0))


def chain_leaves_the_table(host: Host, ring: SplitRing) -> None:
    descriptor(host, ring, 0, (ring.descriptors, 100, NEXT, ring.entries))
    host.store(ring.available, struct.pack("<HHH", 0, 1, 0))


def buffer_is_empty(host: Host, ring: SplitRing) -> None:
    descriptor(host, ring, 0, (ring.descriptors, 0, 0, 0))
    host.store(ring.available, struct.pack("<HHH", 0, 1, 0))


def buffer_to_send_is_for_writing(host: Host, ring: SplitRing) -> None:
    descriptor(host, ring, 0, (ring.descriptors, 100, DEVICE_WRITES, 0))
    host.store(ring.available, struct.pack("<HHH", 0, 1, 0))


class HostileDriver(VirtioDriver):
    """Breaks the protocol once, resets the card, and works."""

    def __init__(self, settings: Settings, breach: Callable[[Host, SplitRing], None], pair: int) -> None:
        """Drive with `settings`, after a breach at a queue of `pair`."""
        super().__init__(settings)
        self._breach, self._pair = breach, pair

    def program(self, host: Host) -> Program:
        self._host = host
        yield from self._find_function()
        yield from self._negotiate()
        yield from self._start_queues()
        queue = 2 * self._pair + SEND
        self._breach(host, self._rings[queue])
        yield self._ring_doorbell(queue)
        yield wait(until=host.now + us(100))
        assert (yield read(self._places[COMMON] + STATUS, 1)) & NEEDS_RESET
        self._rings, self._doorbells, self._free = [], [], []
        yield from self._negotiate()
        yield from self._start_queues()
        yield from self._post_buffers()
        yield from self._work()


@pytest.mark.parametrize(
    "breach",
    [
        index_jumps,
        head_is_outside,
        buffer_is_nowhere,
        chain_loops,
        chain_leaves_the_table,
        buffer_is_empty,
        buffer_to_send_is_for_writing,
    ],
)
@pytest.mark.parametrize("pair", [0, 1])
def test_a_breach_of_the_protocol_ends_with_a_reset(
    breach: Callable[[Host, SplitRing], None], pair: int
) -> None:
    class Model(VirtioDriverModel):
        def program(self, host: Host) -> Program:
            settings = Settings(2, 16, self.card.largest_frame + 12, us(1), us(1))
            return HostileDriver(settings, breach, pair).program(host)

    class Attacked(Hundredgig):
        driver_model = Model

    result = run(Attacked, traffic="udp:300@1Gbps", frames=100, set={"cores": 2})
    for way in ("tx", "rx"):
        assert result.frames.delivered[way] >= 100
        assert result.frames.corrupted[way] == 0
