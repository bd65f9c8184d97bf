"""A driver that breaks the protocol in a queue stops it until a reset, and no other queue."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

import pytest

from spinach_nic import run, us
from spinach_nic.cards.drivers import Host, Program, read, wait
from spinach_nic.cards.hundredgig import Hundredgig
from spinach_nic.cards.hundredgig.driver import NEEDS_RESET, RECEIVE, SEND, Steps, VirtioDriver
from spinach_nic.cards.hundredgig.function import COMMON
from spinach_nic.cards.hundredgig.model import VirtioDriverModel
from spinach_nic.cards.hundredgig.ring import (
    AVAILABLE,
    DEVICE_WRITES,
    NEXT,
    USED,
    PackedRing,
    SplitRing,
    Used,
)
from spinach_nic.cards.hundredgig.segments import Due
from spinach_nic.cards.hundredgig.settings import Settings

STATUS, SELECT, ENABLE, RESET = 0x14, 0x16, 0x1C, 0x3A
NOWHERE = 0x7_0000_0000
ROUNDS = 8


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
        ring = self._rings[queue]
        assert isinstance(ring, SplitRing)
        self._breach(host, ring)
        yield self._ring_doorbell(queue)
        yield wait(until=host.now + us(100))
        assert (yield read(self._places[COMMON] + STATUS, 1)) & NEEDS_RESET
        yield from self._begin_again()
        yield from self._post_buffers()
        yield from self._work()

    def _begin_again(self) -> Steps:
        self._rings, self._doorbells, self._free = [], [], []
        yield from self._negotiate()
        yield from self._start_queues()


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


class FuzzingDriver(HostileDriver):
    """Fills all rings with descriptors that cannot be right, time and again, and then works."""

    def __init__(self, settings: Settings, chance: random.Random) -> None:
        """Drive with `settings`, after rings that `chance` fills."""
        super().__init__(settings, index_jumps, 0)
        self._chance = chance

    def program(self, host: Host) -> Program:
        self._host = host
        yield from self._find_function()
        for _ in range(ROUNDS):
            yield from self._begin_again()
            for number, ring in enumerate(self._rings):
                self._fill(ring, device_writes=number in (0, 2))
            for queue in range(len(self._rings)):
                yield self._ring_doorbell(queue)
            for _ in range(self._chance.randrange(4)):
                yield self._put(SELECT, self._chance.randrange(len(self._rings) + 2), 2)
                yield self._put(self._chance.choice([RESET, RESET, ENABLE]), 1, 2)
            yield wait(until=host.now + us(self._chance.choice([1, 5, 30])))
        yield from self._begin_again()
        yield from self._post_buffers()
        yield from self._work()

    def _fill(self, ring: SplitRing | PackedRing, *, device_writes: bool) -> None:
        chance, host = self._chance, self._host
        for place in range(ring.entries):
            direction = DEVICE_WRITES if device_writes else 0
            address, length, flags = chance.choice(
                [
                    (NOWHERE, chance.randrange(30, 1500), direction),
                    (ring.descriptors, 0, direction),
                    (ring.descriptors, 100, direction ^ DEVICE_WRITES),
                    # A chain to send grows too long; a buffer to receive into has no chain.
                    (ring.descriptors, chance.choice([500, 1 << 20, 0xFFFF_FFFF]), direction | NEXT),
                ]
            )
            if device_writes and address == NOWHERE:
                length = 0  # Else a frame would go there, and be lost without a count.
            if isinstance(ring, PackedRing):
                flags |= chance.choice([AVAILABLE, AVAILABLE, AVAILABLE, USED, 0, AVAILABLE | USED])
                described = struct.pack("<QIHH", address, length, chance.randrange(1 << 16), flags)
            else:
                following = place if flags & NEXT else chance.randrange(1 << 16)
                described = struct.pack("<QIHH", address, length, flags, following)
            host.store(ring.descriptors + 16 * place, described)
        if isinstance(ring, PackedRing):
            host.store(ring.available, chance.randbytes(4))
        else:
            heads = struct.pack(
                f"<{ring.entries}H", *(chance.randrange(ring.entries + 1) for _ in range(ring.entries))
            )
            host.store(
                ring.available,
                struct.pack("<HH", chance.randrange(2), chance.randrange(ring.entries + 2)) + heads,
            )


@pytest.mark.parametrize("packed", [False, True])
def test_rings_full_of_nonsense_end_with_a_reset_of_the_device(*, packed: bool) -> None:
    class Model(VirtioDriverModel):
        def program(self, host: Host) -> Program:
            buffers = self.card.largest_frame + 12
            settings = Settings(2, 16, buffers, us(1), us(1), packed=packed, resets=us(10_000))
            return FuzzingDriver(settings, random.Random(packed)).program(host)

    class Attacked(Hundredgig):
        driver_model = Model

    # The wire carries frames all the time; those before the driver works are dropped, and counted.
    result = run(Attacked, traffic="udp:300@200Mbps", frames=60, set={"cores": 2})
    assert result.frames.delivered["tx"] == 60
    assert result.frames.delivered["rx"] > 0
    for way in ("tx", "rx"):
        assert result.frames.in_flight[way] == result.frames.corrupted[way] == 0


def buffer_is_for_reading(host: Host, ring: SplitRing) -> None:
    descriptor(host, ring, 0, (ring.descriptors, 2000, 0, 0))
    host.store(ring.available, struct.pack("<HHH", 0, 1, 0))


def buffer_is_empty_for_writing(host: Host, ring: SplitRing) -> None:
    descriptor(host, ring, 0, (ring.descriptors, 0, DEVICE_WRITES, 0))
    host.store(ring.available, struct.pack("<HHH", 0, 1, 0))


def buffer_to_write_is_nowhere(host: Host, ring: SplitRing) -> None:
    descriptor(host, ring, 0, (NOWHERE, 2000, DEVICE_WRITES, 0))
    host.store(ring.available, struct.pack("<HHH", 0, 1, 0))


class PartlyHostileDriver(VirtioDriver):
    """Breaks the protocol in one queue of `bad` pair; meanwhile the other pair works."""

    def __init__(self, settings: Settings, bad: int, way: int) -> None:
        """Drive with `settings`, and break the protocol in queue `way` of pair `bad`."""
        super().__init__(settings)
        self._bad, self._queue = bad, 2 * bad + way
        self._is_bad = True
        self.seen: list[bool] = []
        """For each look at the status, true if the device asks for a reset."""

    def _pair_of(self, frame: Due) -> int:
        return 1 - self._bad if self._is_bad else super()._pair_of(frame)

    def _receive(self, queue: int, used: list[Used]) -> Steps:
        """Leave out chains whose buffer the device could not write: they have no header."""
        ring = self._rings[queue]
        places = [one.buffer for one in used]
        written = [self._host.load(place + 10, 2) != b"\0\0" for place in places]
        lost = [place for place, is_written in zip(places, written, strict=True) if not is_written]
        ring.add([(place, self._settings.buffer_bytes) for place in lost])
        received = [one for one, is_written in zip(used, written, strict=True) if is_written]
        if received:
            yield from super()._receive(queue, received)

    def _check(self) -> Steps:
        """Look at the status, and work on."""
        yield from self._look()

    def _look(self) -> Steps:
        self.seen.append(bool((yield read(self._places[COMMON] + STATUS, 1)) & NEEDS_RESET))
        return self.seen[-1]


class BreakingDriver(PartlyHostileDriver):
    """Breaks the protocol once before the device has any buffers, and resets the queue later."""

    def __init__(
        self, settings: Settings, bad: int, way: int, breach: Callable[[Host, SplitRing], None]
    ) -> None:
        """Drive with `settings`, after a `breach` in queue `way` of pair `bad`."""
        super().__init__(settings, bad, way)
        self._breach = breach

    def _post_buffers(self) -> Steps:
        ring = self._rings[self._queue]
        assert isinstance(ring, SplitRing)
        self._breach(self._host, ring)
        yield self._ring_doorbell(self._queue)
        yield wait(until=self._host.now + us(5))
        yield from super()._post_buffers()

    def _reset_if_due(self) -> Steps:
        if self._is_bad and self._host.now >= us(150):
            assert (yield from self._look())
            yield from self._reset_queue(self._queue)
            yield wait(until=self._host.now + us(1))
            assert not (yield from self._look())
            self._is_bad = False


@pytest.mark.parametrize(
    ("bad", "way", "breach"),
    [
        (0, SEND, index_jumps),
        (1, SEND, buffer_is_nowhere),
        (1, SEND, chain_loops),
        (1, RECEIVE, head_is_outside),
        (0, RECEIVE, buffer_is_for_reading),
        (1, RECEIVE, buffer_is_empty_for_writing),
        (0, RECEIVE, buffer_to_write_is_nowhere),
    ],
)
def test_a_breach_stops_its_queue_alone_until_the_queue_is_reset(
    bad: int, way: int, breach: Callable[[Host, SplitRing], None]
) -> None:
    drivers: list[BreakingDriver] = []

    class Model(VirtioDriverModel):
        def program(self, host: Host) -> Program:
            settings = Settings(2, 16, self.card.largest_frame + 12, us(1), us(1), resets=us(10_000))
            drivers.append(BreakingDriver(settings, bad, way, breach))
            return drivers[-1].program(host)

    class Attacked(Hundredgig):
        driver_model = Model

    result = run(Attacked, traffic="udp:300@1Gbps", frames=100, set={"cores": 2})
    # The interrupt of the configuration came before the driver looked on its own.
    assert drivers[0].seen.index(True) < len(drivers[0].seen) - 2
    dropped = result.frames.dropped["rx"]
    for direction in ("tx", "rx"):
        assert result.frames.delivered[direction] >= 100
        assert result.frames.corrupted[direction] == 0
    if way == SEND:
        assert sum(count for reasons in dropped.values() for count in reasons.values()) <= 3, dropped
    else:
        others = {place: reasons for place, reasons in dropped.items() if f"engine[{1 - bad}]" in place}
        assert sum(count for reasons in others.values() for count in reasons.values()) <= 3, dropped


class PartlyFuzzingDriver(PartlyHostileDriver):
    """Fills a ring with nonsense and resets its queue, time and again, while the other pair works."""

    def __init__(self, settings: Settings, bad: int, way: int, chance: random.Random) -> None:
        """Drive with `settings`; `chance` fills the ring of queue `way` of pair `bad`."""
        super().__init__(settings, bad, way)
        self._fuzzing = FuzzingDriver(settings, chance)
        self._rounds, self._buffers = 0, list[tuple[int, int]]()

    def _reset_if_due(self) -> Steps:
        if self._rounds == 2 * ROUNDS or self._host.now < us(40 + 20 * self._rounds):
            return
        ring, is_filled = self._rings[self._queue], self._rounds % 2 == 1
        yield from self._look()
        if not is_filled:
            yield from self._reset_queue(self._queue)
            self._buffers = ring.awaited()
        yield [self._put(SELECT, self._queue, 2), self._put(RESET, 1, 2)]
        while (yield self._get(RESET, 2)):
            yield wait(until=self._host.now + us(1))
        ring.clear()
        yield from self._enable_queue(self._queue, ring)
        if is_filled:
            ring.add(self._buffers)
        else:
            self._fuzzing._host = self._host
            self._fuzzing._fill(ring, device_writes=self._queue % 2 == RECEIVE)
        yield self._ring_doorbell(self._queue)
        self._rounds += 1


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("way", [RECEIVE, SEND])
def test_a_ring_full_of_nonsense_disturbs_no_other_queue(way: int, *, packed: bool) -> None:
    drivers: list[PartlyFuzzingDriver] = []

    class Model(VirtioDriverModel):
        def program(self, host: Host) -> Program:
            buffers = self.card.largest_frame + 12
            settings = Settings(2, 16, buffers, us(1), us(1), packed=packed, resets=us(10_000))
            drivers.append(PartlyFuzzingDriver(settings, 1, way, random.Random(2 * way + packed)))
            return drivers[-1].program(host)

    class Attacked(Hundredgig):
        driver_model = Model

    result = run(Attacked, traffic="udp:300@2Gbps", frames=400, set={"cores": 2})
    assert drivers[0]._rounds == 2 * ROUNDS
    assert True in drivers[0].seen
    for direction in ("tx", "rx"):
        assert result.frames.delivered[direction] > 300
        assert result.frames.corrupted[direction] == 0
    dropped = result.frames.dropped["rx"]
    others = {place: reasons for place, reasons in dropped.items() if "engine[0]" in place}
    assert sum(count for reasons in others.values() for count in reasons.values()) <= 3, dropped
