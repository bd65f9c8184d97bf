"""Subtle mechanisms that released firmware relies on: each test fails on a model that is simpler."""

from __future__ import annotations

import random

import pytest
from tests.python.cards.tigon2.bench import (
    HOST_MEMORY,
    RECEIVE_BUFFER,
    RECEIVE_RING,
    SEND_BUFFER,
    SEND_RING,
    Bench,
)
from tests.python.cards.tigon2.test_dma import write
from tests.python.cards.tigon2.test_mac import (
    BROADCAST,
    ENABLE,
    OTHER,
    PROMISCUOUS,
    counter,
    descriptors,
    frame,
    listed,
    sending,
    sent,
    statistic,
)

from spinach_nic.cards.tigon2.card import MAC_ADDRESS
from spinach_nic.cards.tigon2.registers import Register
from spinach_nic.support.units import Time, us

GP = 0x3C1C_C000  # lui gp, 0xc000
LOOP = (0x1000_FFFF, 0)
RING = 64


def test_a_frame_leaves_only_when_the_data_covers_it() -> None:
    frames = [frame(OTHER, 100, fill) for fill in (1, 2)]
    places = [SEND_BUFFER, SEND_BUFFER + 104]
    bench = sending(frames, [(place, 0, 100) for place in places])
    for place, one in zip(places, frames, strict=True):
        bench.set_sram(place, one)
    bench.write_all((Register.MAC_SEND_STATE, ENABLE), (Register.SEND_RING_PRODUCER, SEND_RING + 16))
    # Both descriptors are published; data is there up to one word less than the first frame, then to its end.
    for end, count in ((0, 0), (96, 0), (97, 1), (200, 1), (201, 2)):
        bench.write(Register.SEND_BUFFER_PRODUCER, SEND_BUFFER + end)
        bench.wait_us(5)
        assert sent(bench) == (count, 0), end
    assert bench.read(Register.SEND_BUFFER_CONSUMER) == SEND_BUFFER + 208


def test_data_covers_a_frame_that_goes_on_at_the_beginning_of_the_buffer() -> None:
    one, start = frame(OTHER, 100), RECEIVE_BUFFER - 40
    bench = sending([one], [(start, 0, 100)])
    bench.set_sram(start, one[:40])
    bench.set_sram(SEND_BUFFER, one[40:])
    bench.write_all(
        (Register.SEND_BUFFER_CONSUMER, start),
        (Register.SEND_BUFFER_PRODUCER, SEND_BUFFER + 56),
        (Register.SEND_RING_PRODUCER, SEND_RING + 8),
        (Register.MAC_SEND_STATE, ENABLE),
    )
    bench.wait_us(5)
    assert sent(bench) == (0, 0)
    bench.write(Register.SEND_BUFFER_PRODUCER, SEND_BUFFER + 60)
    bench.wait_us(5)
    assert sent(bench) == (1, 0)


def test_the_attention_is_there_for_the_read_right_behind_the_write() -> None:
    bench = Bench()
    store, none, load = 0xAF88_0220, 0xAF80_0220, 0x8F89_0220  # sw t0, sw zero, lw t1: all of 0x220(gp)
    keep = 0xAC09_0600  # sw t1, 0x600(zero)
    bench.run_program([GP, 0x2408_0002, store, none, load, 0, keep, *LOOP])
    bench.wait_us(5)
    assert bench.sram_word(0x600) == 0x0204_0000
    # Only the fall of the bit makes it.
    bench.write(Register.MAC_RECEIVE_STATE, 0x0200_0000)
    bench.write(Register.MAC_RECEIVE_STATE, 0)
    assert bench.read(Register.MAC_RECEIVE_STATE) == 0x0004_0000


def is_behind(consumer: int, reference: int, producer: int) -> bool:
    """Return true if entries between consumer and reference are done, by walking: the oracle."""
    place = reference
    while place != producer:
        if place == consumer:
            return False
        place = (place + 1) % RING
    return place != consumer


@pytest.mark.parametrize(("first", "bit"), [(0x100, 15), (0x120, 14)])
def test_completion_events_follow_from_positions(first: int, bit: int) -> None:
    bench = Bench()
    bench.set_up_rings()
    chance = random.Random(bit)
    cases = [(5, 5, 5), (4, 5, 5), (6, 5, 6), (6, 5, 9), (63, 0, 3), (1, 63, 2), (62, 63, 2)]
    cases += [tuple(chance.randrange(RING) for _ in range(3)) for _ in range(40)]  # type: ignore[misc]
    for consumer, reference, producer in cases:
        bench.write_all((first, 32 * producer), (first + 4, 32 * reference), (first + 8, 32 * consumer))
        events = bench.read(Register.EVENTS_A), bench.read(Register.EVENTS_B)
        expected = is_behind(consumer, reference, producer)
        assert [bool(word & 1 << bit) for word in events] == [expected] * 2, (consumer, reference, producer)


def test_pointers_of_both_mac_rings_wrap_by_themselves() -> None:
    bench = Bench()
    bench.set_up_rings()
    for base, size, offsets in (
        (SEND_RING, 0x800, (Register.SEND_RING_PRODUCER, Register.SEND_RING_SENT)),
        (RECEIVE_RING, 0x1000, (Register.RECEIVE_RING_REFERENCE, Register.RECEIVE_RING_CONSUMER)),
    ):
        for offset in offsets:
            bench.write(offset, base + size - 8)
            assert bench.read(offset) == base + size - 8
            bench.write(offset, base + size)
            assert bench.read(offset) == base
            bench.write(offset, base + size + 24)
            assert bench.read(offset) == base + 24


def test_frames_leave_across_the_end_of_a_ring_that_software_does_not_mask() -> None:
    frames = [frame(OTHER, 60, fill) for fill in range(4)]
    bench = sending(frames, [(0x8000 + 0x100 * number, 0, 60) for number in range(4)], first=254)
    for number, one in enumerate(frames):
        bench.set_sram(0x8000 + 0x100 * number, one)
    bench.write_all((Register.SEND_RING_PRODUCER, SEND_RING + 258 * 8), (Register.MAC_SEND_STATE, ENABLE))
    bench.wait_us(10)
    assert sent(bench) == (4, 0)
    assert bench.read(Register.SEND_RING_SENT) == SEND_RING + 2 * 8


def heard(bench: Bench) -> int:
    """Frames that the network has sent."""
    return bench.simulation.statistics().of(bench.table.network, "offered")


def test_the_network_sends_while_the_link_is_up_and_not_before() -> None:
    frames = [frame(BROADCAST, 1000, fill) for fill in range(40)]
    bench = Bench(frames=listed(*frames), count=40, negotiation=us(50))
    bench.set_up_rings()

    def switch(*, on: bool) -> None:
        bench.write(Register.MAC_RECEIVE_STATE, ENABLE if on else 0)

    # As when firmware tests the receiver: never on for long enough.
    for _ in range(4):
        switch(on=True)
        bench.wait_us(40)
        switch(on=False)
    assert heard(bench) == 0
    switch(on=True)
    bench.wait_us(45)
    assert heard(bench) == 0
    bench.wait_us(60)
    before = heard(bench)
    assert before > 0
    # The link goes down: what is on its way is lost, and nothing follows until it is up again.
    switch(on=False)
    bench.wait_us(10)
    lost = counter(bench, "dropped_disabled")
    assert lost <= heard(bench) - before + 4
    stopped = heard(bench)
    bench.wait_us(100)
    assert heard(bench) == stopped < 40
    switch(on=True)
    bench.wait_us(500)
    assert heard(bench) == 40
    assert counter(bench, "frames") == 40 - counter(bench, "dropped_disabled")


def test_a_network_that_waits_for_nothing_begins_when_the_receiver_is_enabled() -> None:
    bench = Bench(frames=listed(frame(BROADCAST)), count=1, negotiation=Time(0))
    bench.set_up_rings()
    bench.write(Register.MAC_RECEIVE_STATE, ENABLE)
    bench.wait_us(2)
    assert heard(bench) == 1


def test_a_frame_that_does_not_fit_is_dropped_whole_and_its_neighbours_are_untouched() -> None:
    """Frames of many sizes meet a buffer with little room: what is stored is some of them, in order."""
    chance = random.Random(7)
    frames = [frame(MAC_ADDRESS, chance.randrange(60, 1515), fill) for fill in range(24)]
    bench = Bench(frames=listed(*frames), count=len(frames))
    bench.set_up_rings()
    room, mark = 6000, b"\xa5" * 4096
    end = RECEIVE_BUFFER + room
    bench.set_sram(end, mark)
    bench.write_all(
        (Register.RECEIVE_BUFFER_CONSUMER, end),
        (Register.MAC_RECEIVE_STATE, ENABLE | PROMISCUOUS),
    )
    bench.wait_us(24 * 14)
    stored = counter(bench, "frames")
    dropped = counter(bench, "dropped_buffer_full")
    assert stored + dropped == len(frames)
    assert 0 < dropped < len(frames)
    assert statistic(bench, 0x4EC) == dropped
    assert bench.read(Register.MAC_RECEIVE_STATE) & 0x4000_0000
    assert bench.read(Register.EVENTS_A) & 1 << 25
    remaining, place = list(frames), RECEIVE_BUFFER
    for address, status, length in descriptors(bench, stored):
        assert (address, status) == (place, 0)
        body = bench.sram(address, length)[:-4]
        while remaining and remaining[0] != body:
            remaining.pop(0)
        assert remaining, "each stored frame is one of those sent, whole and in order"
        remaining.pop(0)
        place += -(-length // 8) * 8
    assert bench.sram(end, len(mark)) == mark
    # Room again: the next frame goes right behind, and the attention stays until firmware clears it.
    assert bench.read(Register.RECEIVE_BUFFER_PRODUCER) == place
    assert bench.read(Register.RECEIVE_RING_PRODUCER) == RECEIVE_RING + 8 * stored


RECEIVE_CONSUMER = Register.DMA_WRITE_STATE["RECEIVE_CONSUMER"]
STOP = Register.MAC_RECEIVE_STATE["STOP"]


def received(*frames: bytes) -> Bench:
    bench = Bench(frames=listed(*frames), count=len(frames))
    bench.set_up_rings()
    bench.write(Register.MAC_RECEIVE_STATE, ENABLE | PROMISCUOUS)
    bench.wait_us(5 + 14 * len(frames))
    return bench


def test_a_write_to_the_host_frees_its_place_in_the_receive_buffer() -> None:
    bench = received(frame(MAC_ADDRESS, 100), frame(MAC_ADDRESS, 100))
    write(bench, HOST_MEMORY, RECEIVE_BUFFER, 100)
    assert bench.read(Register.RECEIVE_BUFFER_CONSUMER) == RECEIVE_BUFFER, "only if the descriptor asks"
    write(bench, HOST_MEMORY, RECEIVE_BUFFER, 100, RECEIVE_CONSUMER)
    assert bench.read(Register.RECEIVE_BUFFER_CONSUMER) == RECEIVE_BUFFER + 100
    assert counter(bench, "discarded") == 0


def test_the_mac_sees_the_place_that_the_dma_has_freed() -> None:
    """There is room for one frame: the third is stored because the first has been written to the host."""
    frames = [frame(MAC_ADDRESS, 1000, fill) for fill in range(3)]
    bench = Bench(frames=listed(*frames), count=3)
    bench.set_up_rings()
    bench.write_all(
        (Register.RECEIVE_BUFFER_CONSUMER, RECEIVE_BUFFER + 1016),
        (Register.MAC_RECEIVE_STATE, ENABLE | PROMISCUOUS),
    )
    bench.wait_us(9)
    write(bench, HOST_MEMORY, RECEIVE_BUFFER, 1000, RECEIVE_CONSUMER)
    bench.wait_us(20)
    assert (counter(bench, "frames"), counter(bench, "dropped_buffer_full")) == (2, 1)


def test_frames_that_software_gives_up_are_counted_where_they_were_stored() -> None:
    bench = received(*[frame(MAC_ADDRESS, 100, fill) for fill in range(4)])
    write(bench, HOST_MEMORY, RECEIVE_BUFFER, 100)
    place = RECEIVE_BUFFER + 104
    bench.write(Register.RECEIVE_BUFFER_CONSUMER, place)
    assert counter(bench, "discarded") == 0, "the first was written to the host"
    bench.write(Register.RECEIVE_BUFFER_CONSUMER, place + 2 * 104)
    assert counter(bench, "discarded") == 2
    bench.write(Register.RECEIVE_BUFFER_CONSUMER, bench.read(Register.RECEIVE_BUFFER_PRODUCER))
    assert counter(bench, "discarded") == 3


def test_a_stopped_receiver_drops_what_comes_and_keeps_the_link() -> None:
    frames = [frame(BROADCAST, 100, fill) for fill in range(20)]
    bench = Bench(frames=listed(*frames), count=20)
    bench.set_up_rings()
    bench.write(Register.MAC_RECEIVE_STATE, ENABLE)
    bench.wait_us(5)
    bench.write(Register.MAC_RECEIVE_STATE, ENABLE | STOP)
    bench.wait_us(3)
    stored, dropped = counter(bench, "frames"), counter(bench, "dropped_stopped")
    assert stored > 0
    assert dropped > 0
    bench.write(Register.MAC_RECEIVE_STATE, ENABLE)
    bench.wait_us(20)
    assert counter(bench, "frames") + counter(bench, "dropped_stopped") == 20
    assert counter(bench, "frames") > stored
    assert counter(bench, "dropped_disabled") == 0


def test_a_stopped_sender_begins_no_frame() -> None:
    frames = [frame(OTHER, 60, fill) for fill in range(2)]
    bench = sending(frames, [(0x8000 + 0x100 * number, 0, 60) for number in range(2)])
    for number, one in enumerate(frames):
        bench.set_sram(0x8000 + 0x100 * number, one)
    bench.write_all(
        (Register.MAC_SEND_STATE, ENABLE | Register.MAC_SEND_STATE["STOP"]),
        (Register.SEND_RING_PRODUCER, SEND_RING + 16),
    )
    bench.wait_us(5)
    assert sent(bench) == (0, 0)
    bench.write(Register.MAC_SEND_STATE, ENABLE)
    bench.wait_us(5)
    assert sent(bench) == (2, 0)
