"""The MAC of the Tigon-2: both descriptor rings, buffers, tags, filters, attentions, statistics."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pytest
from tests.python.cards.tigon2.bench import (
    RECEIVE_BUFFER,
    RECEIVE_RING,
    SEND_BUFFER,
    SEND_RING,
    Bench,
)

from spinach_nic.cards.tigon2.card import MAC_ADDRESS
from spinach_nic.cards.tigon2.registers import Register

RESET, ENABLE, PROMISCUOUS = 0x1, 0x2, 0x8
INSERT_TAG = 0x4000_0000
OTHER = bytes.fromhex("020000000001")
BROADCAST = b"\xff" * 6
GROUP = bytes.fromhex("01005e000001")


def frame(destination: bytes, length: int = 60, fill: int = 1) -> bytes:
    """A frame of `length` bytes."""
    body = destination + OTHER + b"\x88\xb5"
    return body + bytes((fill + index) & 0xFF for index in range(length - len(body)))


def listed(*frames: bytes) -> bytes:
    """Return frames in the form of feeders and sinks: each preceded by its length."""
    return b"".join(struct.pack(">I", len(one)) + one for one in frames)


def receiving(*frames: bytes, control: int = ENABLE, **parameters: object) -> Bench:
    """A card that has received frames from the network."""
    bench = Bench(frames=listed(*frames), count=len(frames), **parameters)
    bench.set_up_rings()
    bench.write_all(
        (Register.MAC_ADDRESS, int.from_bytes(MAC_ADDRESS[:2], "big")),
        (Register.MAC_ADDRESS + 4, int.from_bytes(MAC_ADDRESS[2:], "big")),
        (Register.MAC_RECEIVE_STATE, control),
    )
    bench.wait_us(5 + 14 * len(frames))
    return bench


def descriptors(bench: Bench, count: int) -> list[tuple[int, int, int]]:
    """Address, status and length of the first frames received."""
    words = struct.unpack(f">{2 * count}I", bench.sram(RECEIVE_RING, 8 * count))
    return [(words[2 * at], words[2 * at + 1] >> 16, words[2 * at + 1] & 0xFFFF) for at in range(count)]


def statistic(bench: Bench, offset: int) -> int:
    """A count, where drivers read it."""
    return bench.read(offset)


def counter(bench: Bench, name: str) -> int:
    """A counter of the receiving side."""
    return bench.simulation.statistics().of(bench.card.mac_receive, name)


def test_frames_are_stored_with_their_check_sequence_behind_each_other() -> None:
    frames = [frame(MAC_ADDRESS, length, fill) for fill, length in enumerate((60, 61, 1514, 333))]
    bench = receiving(*frames)
    address = RECEIVE_BUFFER
    for sent, (place, status, length) in zip(frames, descriptors(bench, 4), strict=True):
        assert (place, status, length) == (address, 0, len(sent) + 4)
        stored = bench.sram(place, length)
        assert stored == sent + struct.pack("<I", zlib.crc32(sent))
        address += -(-length // 8) * 8
    assert bench.read(Register.RECEIVE_BUFFER_PRODUCER) == address
    assert bench.read(Register.RECEIVE_RING_PRODUCER) == RECEIVE_RING + 4 * 8
    assert bench.read(Register.EVENTS_A) & 1 << 6
    bench.write(Register.RECEIVE_RING_REFERENCE, RECEIVE_RING + 4 * 8)
    assert not bench.read(Register.EVENTS_A) & 1 << 6
    assert statistic(bench, 0x4FC) == 4


def test_a_damaged_frame_is_marked_and_a_short_one_too() -> None:
    bench = receiving(frame(MAC_ADDRESS), frame(MAC_ADDRESS), damaged=(0,), shortened=(1,))
    assert [status for _, status, _ in descriptors(bench, 2)] == [0x1, 0x40]
    assert statistic(bench, 0x4C8) == 1
    assert statistic(bench, 0x4FC) == 1
    assert (counter(bench, "marked"), counter(bench, "long")) == (1, 0)


def test_frames_that_are_too_long_for_the_host_are_counted() -> None:
    frames = [frame(MAC_ADDRESS, length) for length in (100, 101, 101, 100)]
    bench = receiving(*frames, control=ENABLE | PROMISCUOUS, damaged=(0, 2), largest_frame=100)
    assert [length for *_, length in descriptors(bench, 4)] == [104, 105, 105, 104]
    assert (counter(bench, "marked"), counter(bench, "long")) == (1, 2)


def test_a_pause_frame_that_breaks_off_is_not_obeyed() -> None:
    heard, control = [pause(200)] * 8, ENABLE | PROMISCUOUS | OBEY_PAUSE
    bench = receiving(*heard, control=control, shortened=range(8))
    assert [status for _, status, _ in descriptors(bench, 8)] == [0x40] * 8
    assert any(length >= 18 + 4 for *_, length in descriptors(bench, 8)), "some say for how long"
    assert counter(bench, "dropped_pause") == 0


def test_the_address_filter_and_its_statistics() -> None:
    frames = [frame(MAC_ADDRESS), frame(OTHER), frame(BROADCAST), frame(GROUP), frame(MAC_ADDRESS)]
    bench = receiving(*frames)
    assert bench.read(Register.RECEIVE_RING_PRODUCER) == RECEIVE_RING + 3 * 8
    counts = {offset: statistic(bench, offset) for offset in (0x4E0, 0x4E4, 0x4F4, 0x4F8, 0x4FC)}
    assert counts == {0x4E0: 1, 0x4E4: 1, 0x4F4: 1, 0x4F8: 0, 0x4FC: 2}
    assert counter(bench, "dropped_address") == 2


def test_promiscuous_takes_all() -> None:
    bench = receiving(frame(OTHER), frame(GROUP), control=ENABLE | PROMISCUOUS)
    assert bench.read(Register.RECEIVE_RING_PRODUCER) == RECEIVE_RING + 2 * 8


@pytest.mark.parametrize("is_wanted", [True, False])
def test_the_multicast_hash(is_wanted: bool) -> None:
    bench = Bench(frames=listed(frame(GROUP)), count=1)
    bench.set_up_rings()
    bit = zlib.crc32(GROUP) & 0x7F
    if not is_wanted:
        bit = (bit + 1) % 128
    bench.write_all(
        (Register.MAC_HASH + 4 * (bit // 32), 1 << (31 - bit % 32)), (Register.MAC_RECEIVE_STATE, ENABLE)
    )
    bench.wait_us(10)
    assert bench.read(Register.RECEIVE_RING_PRODUCER) == RECEIVE_RING + 8 * is_wanted
    assert statistic(bench, 0x4F8 if is_wanted else 0x4E4) == 1


def test_nothing_is_received_while_it_is_not_enabled() -> None:
    bench = receiving(frame(MAC_ADDRESS), frame(MAC_ADDRESS), frame(MAC_ADDRESS))
    bench.write(Register.MAC_RECEIVE_STATE, 0)
    assert bench.read(Register.RECEIVE_RING_PRODUCER) == RECEIVE_RING + 3 * 8


def test_taking_back_enable_raises_the_sync_attention() -> None:
    bench = receiving()
    bench.write(Register.MAC_RECEIVE_STATE, 0)
    bench.wait_us(1)
    state = bench.read(Register.MAC_RECEIVE_STATE)
    assert state & 0x0204_0000 == 0x0204_0000
    assert bench.read(Register.EVENTS_A) & bench.read(Register.EVENTS_B) & 1 << 25
    # The attention is cleared by writing a one; that the link is in sync is not.
    bench.write(Register.MAC_RECEIVE_STATE, 0x0200_0000)
    bench.wait_us(1)
    assert bench.read(Register.MAC_RECEIVE_STATE) & 0x0204_0000 == 0x0004_0000
    assert not bench.read(Register.EVENTS_A) & 1 << 25


def test_a_reset_drops_the_frame_that_is_coming_in_and_no_other() -> None:
    frames = [frame(MAC_ADDRESS, 1514, fill) for fill in range(3)]
    bench = Bench(frames=listed(*frames), count=3)
    bench.set_up_rings()
    bench.write(Register.MAC_RECEIVE_STATE, ENABLE | PROMISCUOUS)
    bench.wait_us(5)
    bench.write(Register.MAC_RECEIVE_STATE, RESET | ENABLE | PROMISCUOUS)
    bench.wait_us(1)
    assert bench.read(Register.MAC_RECEIVE_STATE) & (RESET | ENABLE) == ENABLE
    bench.wait_us(40)
    assert bench.read(Register.RECEIVE_RING_PRODUCER) == RECEIVE_RING + 2 * 8
    for one, (place, _, length) in zip(frames[1:], descriptors(bench, 2), strict=True):
        assert bench.sram(place, length) == one + struct.pack("<I", zlib.crc32(one))
    assert (counter(bench, "frames"), counter(bench, "dropped_reset")) == (2, 1)


def test_a_full_ring_drops_frames_and_raises_the_attention() -> None:
    bench = Bench(frames=listed(*[frame(MAC_ADDRESS)] * 6), count=6)
    bench.set_up_rings()
    # Software is done up to three entries ahead of the producer.
    bench.write_all(
        (Register.RECEIVE_RING_CONSUMER, RECEIVE_RING + 3 * 8),
        (Register.MAC_ADDRESS, int.from_bytes(MAC_ADDRESS[:2], "big")),
        (Register.MAC_ADDRESS + 4, int.from_bytes(MAC_ADDRESS[2:], "big")),
        (Register.MAC_RECEIVE_STATE, ENABLE),
    )
    bench.wait_us(20)
    assert bench.read(Register.RECEIVE_RING_PRODUCER) == RECEIVE_RING + 2 * 8
    assert bench.read(Register.MAC_RECEIVE_STATE) & 0x4000_0000
    assert bench.read(Register.EVENTS_A) & 1 << 25
    assert statistic(bench, 0x4EC) == counter(bench, "dropped_ring_full") == 4


def test_a_full_buffer_drops_frames() -> None:
    bench = Bench(frames=listed(*[frame(MAC_ADDRESS, 124)] * 3), count=3)
    bench.set_up_rings()
    bench.write_all(
        (Register.RECEIVE_BUFFER_CONSUMER, RECEIVE_BUFFER + 2 * 128),
        (Register.MAC_RECEIVE_STATE, ENABLE | PROMISCUOUS),
    )
    bench.wait_us(20)
    # One unit of 8 bytes stays free, so that a full buffer does not look empty.
    assert bench.read(Register.RECEIVE_RING_PRODUCER) == RECEIVE_RING + 8
    assert counter(bench, "dropped_buffer_full") == 2


def test_received_frames_wrap_at_the_end_of_the_buffer_and_of_the_ring() -> None:
    frames = [frame(MAC_ADDRESS, 100, fill) for fill in range(3)]
    bench = Bench(frames=listed(*frames), count=3)
    bench.set_up_rings()
    start, entry = 0x20_0000 - 152, RECEIVE_RING + 511 * 8
    bench.write_all(
        (Register.RECEIVE_BUFFER_PRODUCER, start),
        (Register.RECEIVE_BUFFER_CONSUMER, start),
        (Register.RECEIVE_RING_PRODUCER, entry),
        (Register.RECEIVE_RING_REFERENCE, entry),
        (Register.RECEIVE_RING_CONSUMER, entry),
        (Register.MAC_RECEIVE_STATE, ENABLE | PROMISCUOUS),
    )
    bench.wait_us(20)
    assert bench.read(Register.RECEIVE_RING_PRODUCER) == RECEIVE_RING + 2 * 8
    stored = bench.sram(start, 152) + bench.sram(RECEIVE_BUFFER, 200)
    for number, sent in enumerate(frames):
        assert stored[104 * number :][:100] == sent
    addresses = [int.from_bytes(bench.sram(at, 4), "big") for at in (entry, RECEIVE_RING, RECEIVE_RING + 8)]
    assert addresses == [start, start + 104, RECEIVE_BUFFER + 208 - 152]


PAUSE_TYPE = bytes.fromhex("88080001")
GROUP_OF_PAUSES = bytes.fromhex("0180c2000001")
OBEY_PAUSE = 0x1_0000


def pause(quanta: int) -> bytes:
    """A frame that asks for silence."""
    return (GROUP_OF_PAUSES + OTHER + PAUSE_TYPE + quanta.to_bytes(2, "big")).ljust(60, b"\0")


def paused(*asked: int, control: int) -> Bench:
    """A card that has heard some pauses, and then a frame, before it may send one."""
    out = frame(OTHER)
    heard = [pause(quanta) for quanta in asked]
    bench = Bench(frames=listed(*heard, frame(MAC_ADDRESS)), count=len(heard) + 1, expected=listed(out))
    bench.set_up_rings()
    bench.set_sram(SEND_BUFFER, out)
    bench.set_sram(SEND_RING, struct.pack(">2I", SEND_BUFFER, len(out)))
    bench.write(Register.MAC_RECEIVE_STATE, control)
    bench.wait_us(5)
    bench.write_all(
        (Register.SEND_BUFFER_PRODUCER, SEND_BUFFER + len(out)),
        (Register.MAC_SEND_STATE, ENABLE),
        (Register.SEND_RING_PRODUCER, SEND_RING + 8),
    )
    bench.wait_us(5)
    return bench


def delivered(bench: Bench) -> int:
    """Frames that the network has received."""
    return bench.simulation.statistics().of(bench.table.sink, "delivered")


def test_a_pause_frame_is_obeyed_for_its_quanta_and_not_received() -> None:
    bench = paused(200, control=ENABLE | PROMISCUOUS | OBEY_PAUSE)
    # 200 quanta of 512 ns, from about 1 us on.
    assert delivered(bench) == 0
    bench.wait_us(80)
    assert delivered(bench) == 0
    bench.wait_us(20)
    assert delivered(bench) == 1
    assert bench.read(Register.RECEIVE_RING_PRODUCER) == RECEIVE_RING + 8
    assert statistic(bench, 0x4E8) == 1


def test_a_pause_of_no_quanta_ends_the_pause() -> None:
    bench = paused(0xFFFF, 0, control=ENABLE | PROMISCUOUS | OBEY_PAUSE)
    assert delivered(bench) == 1
    assert statistic(bench, 0x4E8) == 2


def test_a_pause_frame_that_is_not_to_be_obeyed_is_a_frame() -> None:
    bench = paused(0xFFFF, control=ENABLE | PROMISCUOUS)
    assert delivered(bench) == 1
    assert bench.read(Register.RECEIVE_RING_PRODUCER) == RECEIVE_RING + 2 * 8
    assert statistic(bench, 0x4E8) == 0


def test_kept_frames_are_those_that_there_was_room_for() -> None:
    bench = Bench(frames=listed(*[frame(MAC_ADDRESS)] * 6), count=6)
    bench.set_up_rings()
    bench.write_all(
        (Register.RECEIVE_RING_CONSUMER, RECEIVE_RING + 3 * 8),
        (Register.MAC_RECEIVE_STATE, ENABLE | PROMISCUOUS),
    )
    bench.wait_us(20)
    assert (statistic(bench, 0x4FC), statistic(bench, 0x4EC)) == (2, 4)


def sending(
    expected: list[bytes], orders: list[tuple[int, int, int]], first: int = 0, **parameters: Any
) -> Bench:
    """A card with some send descriptors: address with tag bit, tag, length."""
    bench = Bench(expected=listed(*expected), **parameters)
    bench.set_up_rings()
    start = SEND_RING + 8 * first
    bench.write_all(*[(at, start) for at in (0xF0, 0xF4, 0xF8)], (Register.MAC_TAG_TYPE, 0x8100_251F))
    for number, (address, tag, length) in enumerate(orders):
        place = SEND_RING + 8 * ((first + number) % 256)
        bench.set_sram(place, struct.pack(">2I", address, tag << 16 | length))
    return bench


def sent(bench: Bench) -> tuple[int, int]:
    """Return the numbers of correct and of faulty arrivals."""
    counters = bench.simulation.statistics()
    path = bench.table.sink.path
    wrong = sum(counters[f"{path}.{name}"] for name in ("corrupted", "reordered", "duplicated"))
    return counters[f"{path}.delivered"], wrong


def test_frames_leave_in_order_and_the_ring_and_the_buffer_wrap() -> None:
    frames = [frame(OTHER, 60 + 70 * number, number) for number in range(5)]
    starts, address = [], RECEIVE_BUFFER - 200
    for one in frames:
        starts.append(address)
        address += -(-len(one) // 8) * 8
        if address >= RECEIVE_BUFFER:
            address += SEND_BUFFER - RECEIVE_BUFFER
    orders = [(start, 0, len(one)) for start, one in zip(starts, frames, strict=True)]
    bench = sending(frames, orders, first=253)
    for start, one in zip(starts, frames, strict=True):
        head = min(len(one), RECEIVE_BUFFER - start) if start >= SEND_BUFFER + 0x1000 else len(one)
        bench.set_sram(start, one[:head])
        bench.set_sram(SEND_BUFFER, one[head:]) if head < len(one) else None
    bench.write_all(
        (Register.SEND_BUFFER_CONSUMER, starts[0]),
        (Register.SEND_BUFFER_PRODUCER, address),
        (Register.SEND_RING_PRODUCER, SEND_RING + 2 * 8),
        (Register.MAC_SEND_STATE, ENABLE),
    )
    bench.wait_us(40)
    assert sent(bench) == (5, 0)
    end = SEND_RING + 2 * 8
    assert bench.read(Register.SEND_RING_FETCHED) == bench.read(Register.SEND_RING_SENT) == end
    assert bench.read(Register.SEND_BUFFER_CONSUMER) == address


def test_a_reset_drops_the_frame_that_has_begun_and_no_other() -> None:
    frames = [frame(OTHER, 1512, fill) for fill in range(4)]
    orders = [(SEND_BUFFER + 1512 * number, 0, 1512) for number in range(4)]
    bench = sending([frames[0], *frames[2:]], orders)
    bench.set_sram(SEND_BUFFER, b"".join(frames))
    end = SEND_BUFFER + 4 * 1512
    bench.write_all(
        (Register.SEND_BUFFER_PRODUCER, end),
        (Register.MAC_SEND_STATE, ENABLE),
        (Register.SEND_RING_PRODUCER, SEND_RING + 4 * 8),
    )
    bench.wait_us(18)
    bench.write(Register.MAC_SEND_STATE, RESET)
    bench.wait_us(20)
    assert sent(bench) == (1, 0)
    dropped = SEND_RING + 2 * 8
    assert bench.read(Register.SEND_RING_FETCHED) == bench.read(Register.SEND_RING_SENT) == dropped
    assert bench.read(Register.SEND_BUFFER_CONSUMER) == SEND_BUFFER + 2 * 1512
    assert bench.read(Register.MAC_SEND_STATE) == 0
    bench.write(Register.MAC_SEND_STATE, ENABLE)
    bench.wait_us(40)
    assert sent(bench) == (3, 0)
    assert bench.read(Register.SEND_BUFFER_CONSUMER) == end
    assert bench.simulation.statistics().of(bench.card.mac_transmit, "dropped_reset") == 1


def test_nothing_leaves_while_it_is_not_enabled() -> None:
    bench = sending([frame(OTHER)], [(0x8000, 0, 60)])
    bench.set_sram(0x8000, frame(OTHER))
    bench.write(Register.SEND_RING_PRODUCER, SEND_RING + 8)
    bench.wait_us(5)
    assert sent(bench) == (0, 0)
    bench.write(Register.MAC_SEND_STATE, ENABLE)
    bench.wait_us(5)
    assert sent(bench) == (1, 0)


def test_short_frames_are_padded_and_tags_inserted() -> None:
    short, plain = frame(OTHER, 42), frame(OTHER, 100)
    tagged = plain[:12] + bytes.fromhex("81000123") + plain[12:]
    bench = sending(
        [short + bytes(18), tagged, plain],
        [(0x8000, 0, 42), (0x8100 | INSERT_TAG, 0x123, 100), (0x8100, 0x123, 100)],
    )
    bench.set_sram(0x8000, short)
    bench.set_sram(0x8100, plain)
    bench.write_all((Register.SEND_RING_PRODUCER, SEND_RING + 3 * 8), (Register.MAC_SEND_STATE, ENABLE))
    bench.wait_us(20)
    assert sent(bench) == (3, 0)


def test_a_full_send_ring_shows_in_the_checked_producer() -> None:
    bench = sending([], [])
    bench.write(Register.SEND_RING_PRODUCER, SEND_RING + 254 * 8)
    assert bench.read(Register.SEND_RING_ROOM) == SEND_RING + 254 * 8
    bench.write(Register.SEND_RING_PRODUCER, SEND_RING + 255 * 8)
    assert bench.read(Register.SEND_RING_ROOM) == 0


def test_a_descriptor_of_no_bytes_raises_the_attention_and_delays_no_other() -> None:
    bench = sending([frame(OTHER)], [(0x8000, 0, 0), (0x8000, 0, 60)])
    bench.set_sram(0x8000, frame(OTHER))
    bench.write_all((Register.SEND_RING_PRODUCER, SEND_RING + 2 * 8), (Register.MAC_SEND_STATE, ENABLE))
    bench.wait_us(5)
    assert sent(bench) == (1, 0)
    assert bench.read(Register.SEND_RING_SENT) == SEND_RING + 2 * 8
    assert bench.read(Register.EVENTS_A) & 1 << 26
    bench.write(Register.MAC_SEND_STATE, 0x3F00_0000 | ENABLE)
    assert not bench.read(Register.EVENTS_A) & 1 << 26
