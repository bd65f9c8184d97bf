"""The DMA channels of the Tigon-2: polled transfers, descriptor rings, checksums, errors."""

from __future__ import annotations

import struct

import pytest
from tests.python.cards.tigon2.bench import (
    HOST_MEMORY,
    READ_RING,
    RECEIVE_BUFFER,
    SEND_BUFFER,
    WRITE_RING,
    Bench,
)

from spinach_nic.cards.tigon2.registers import Register
from spinach_nic.support.units import KiB, MHz

START, SWAP, CHECKSUM, RESTART, STORE_SUM = 0x4, 0x2, 0x200, 0x400, 0x800
COPY_END = 0x2_0000
MASTER_ABORT, CROSSING = 0x0200_0000, 0x0800_0000
READ_ATTENTION, WRITE_ATTENTION = 1 << 20, 1 << 19
DATA = bytes(range(7, 256)) * 8


@pytest.fixture(scope="module")
def bench() -> Bench:
    """A card whose rings are laid out; each test uses other places."""
    bench = Bench()
    bench.set_up_rings()
    bench.write_all((Register.TIMER, 0), (Register.TIMER_REFERENCE_A, 0x7000_0000))
    return bench


def ones_complement(data: bytes) -> int:
    """The 16-bit sum of the Internet checksum, not inverted."""
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def read(bench: Bench, host: int, local: int, length: int, control: int = 0) -> None:
    """Transfer from the host, commanded through registers."""
    r = Register
    bench.write_all(
        (r.DMA_READ_HOST_HIGH, host >> 32),
        (r.DMA_READ_HOST_LOW, host & 0xFFFF_FFFF),
        (r.DMA_READ_LOCAL, local),
        (r.DMA_READ_LENGTH, length),
        (r.DMA_READ_STATE, control | START),
    )
    bench.wait_us(10)


def write(bench: Bench, host: int, local: int, length: int, control: int = 0) -> None:
    """Transfer to the host, commanded through registers."""
    r = Register
    bench.write_all(
        (r.DMA_WRITE_HOST_HIGH, host >> 32),
        (r.DMA_WRITE_HOST_LOW, host & 0xFFFF_FFFF),
        (r.DMA_WRITE_LOCAL, local),
        (r.DMA_WRITE_LENGTH, length),
        (r.DMA_WRITE_STATE, control | START),
    )
    bench.wait_us(10)


def descriptor(host: int, local: int, length: int, control: int, *, sum_at: int = 0) -> bytes:
    """32 bytes as the channels fetch them."""
    return struct.pack(">8I", host >> 32, host & 0xFFFF_FFFF, local, length, control, sum_at, 0x77, 0x88)


@pytest.mark.parametrize("host_offset", [0, 1, 6])
@pytest.mark.parametrize("local", [0x8000, 0x8003, 0x800E])
@pytest.mark.parametrize("length", [1, 2, 64, 1514])
def test_polled_transfers_move_every_byte_at_any_offset(
    bench: Bench, host_offset: int, local: int, length: int
) -> None:
    source, destination = HOST_MEMORY + host_offset, HOST_MEMORY + 0x4000 + host_offset
    bench.set_sram(0x8000 - 8, bytes(1600))
    bench.set_host_memory(source, DATA[:length])
    read(bench, source, local, length)
    assert bench.read(Register.DMA_READ_LENGTH) == 0
    assert bench.read(Register.DMA_READ_STATE) & START == 0
    assert bench.read(Register.DMA_READ_LOCAL) == local + length
    assert bench.sram(local - 1, length + 2) == b"\0" + DATA[:length] + b"\0"
    bench.set_host_memory(destination - 1, bytes(length + 2))
    write(bench, destination, local, length)
    assert bench.read(Register.DMA_WRITE_LENGTH) == 0
    assert bench.host_memory(destination - 1, length + 2) == b"\0" + DATA[:length] + b"\0"


def test_bytes_are_swapped_within_words_both_ways(bench: Bench) -> None:
    words = struct.pack("<4I", 0x1122_3344, 0x5566_7788, 1, 0xFFFF_0000)
    bench.set_host_memory(HOST_MEMORY + 0x100, words)
    read(bench, HOST_MEMORY + 0x100, 0x9000, 16, SWAP)
    assert bench.sram(0x9000, 16) == struct.pack(">4I", 0x1122_3344, 0x5566_7788, 1, 0xFFFF_0000)
    write(bench, HOST_MEMORY + 0x200, 0x9000, 16, SWAP)
    assert bench.host_memory(HOST_MEMORY + 0x200, 16) == words


def test_checksum_of_reads_counts_addresses_and_accumulates(bench: Bench) -> None:
    bench.set_host_memory(HOST_MEMORY, DATA[:1000])
    read(bench, HOST_MEMORY, 0x9000, 600, CHECKSUM | RESTART)
    assert bench.read(Register.DMA_READ_CHECKSUM) == ones_complement(DATA[:600])
    # The second part continues; its first byte is at an odd address and so a low half.
    read(bench, HOST_MEMORY + 600, 0x9401, 101, CHECKSUM)
    expected = ones_complement(DATA[:600] + b"\0" + DATA[600:701])
    assert bench.read(Register.DMA_READ_CHECKSUM) == expected


def test_checksum_of_writes_counts_positions(bench: Bench) -> None:
    bench.set_sram(0x9001, DATA[:700])
    write(bench, HOST_MEMORY + 0x3000, 0x9001, 700, CHECKSUM | RESTART)
    assert bench.read(Register.DMA_WRITE_CHECKSUM) == ones_complement(DATA[:700])


def test_descriptors_are_performed_in_order_around_the_ring(bench: Bench) -> None:
    r = Register
    bench.write_all((r.DMA_READ_PRODUCER, 0), (r.DMA_READ_REFERENCE, 0), (r.DMA_READ_CONSUMER, 0))
    bench.set_host_memory(HOST_MEMORY, DATA[:1024])
    bench.write(r.DMA_ASSIST, 1)
    for turn in range(3):
        for slot in range(32):
            number = 32 * turn + slot
            order = descriptor(HOST_MEMORY + slot, 0xA000 + 16 * number, 11, 0)
            bench.set_sram(READ_RING + 32 * (number % 64), order)
        producer = READ_RING + 32 * (32 * turn % 64) + 32 * 32
        bench.write(r.DMA_READ_PRODUCER, producer)
        bench.wait_us(60)
        expected = READ_RING + 32 * (32 * (turn + 1) % 64)
        assert bench.read(r.DMA_READ_REFERENCE) == bench.read(r.DMA_READ_PRODUCER) == expected
        assert bench.read(r.EVENTS_A) & 1 << 15
        bench.write(r.DMA_READ_CONSUMER, expected)
        assert not bench.read(r.EVENTS_A) & 1 << 15
        for slot in range(32):
            assert bench.sram(0xA000 + 16 * (32 * turn + slot), 11) == DATA[slot : slot + 11]
    bench.write(r.DMA_ASSIST, 0)


def test_nothing_is_fetched_while_the_assist_is_off_or_pauses(bench: Bench) -> None:
    r = Register
    bench.write_all((r.DMA_WRITE_PRODUCER, 0), (r.DMA_WRITE_REFERENCE, 0), (r.DMA_WRITE_CONSUMER, 0))
    bench.set_sram(WRITE_RING, descriptor(HOST_MEMORY + 0x5000, 0x9000, 8, 0))
    bench.write(r.DMA_WRITE_PRODUCER, WRITE_RING + 32)
    bench.wait_us(10)
    assert bench.read(r.DMA_WRITE_REFERENCE) == WRITE_RING
    assert bench.read(r.DMA_ASSIST) & 0x800, "the ring is not empty"
    bench.write(r.DMA_ASSIST, 3)
    bench.wait_us(10)
    assert bench.read(r.DMA_WRITE_REFERENCE) == WRITE_RING
    bench.write(r.DMA_ASSIST, 1)
    bench.wait_us(10)
    assert bench.read(r.DMA_WRITE_REFERENCE) == WRITE_RING + 32
    assert not bench.read(r.DMA_ASSIST) & 0x900
    bench.write_all((r.DMA_WRITE_CONSUMER, 32), (r.DMA_ASSIST, 0))


def test_low_priority_descriptors_are_performed_while_there_are_no_others() -> None:
    bench = Bench()
    bench.set_up_rings()
    r = Register
    low = (r.DMA_READ_LOW_PRODUCER, r.DMA_READ_LOW_REFERENCE, r.DMA_READ_LOW_CONSUMER)
    bench.write_all(*((offset, 0) for offset in low))
    bench.set_host_memory(HOST_MEMORY, DATA[:1024])
    low_ring = bench.read(r.DMA_READ_LOW_PRODUCER)
    # All of them leave their mark at the same place: it is that of the last one performed.
    for ring, count, first in ((READ_RING, 4, 0), (low_ring, 3, 100)):
        for slot in range(count):
            bench.set_sram(ring + 32 * slot, descriptor(HOST_MEMORY + first + slot, 0xA000, 1, 0))
    bench.write_all((low[0], low_ring + 3 * 32), (r.DMA_READ_PRODUCER, READ_RING + 4 * 32))
    bench.wait_us(2)
    assert bench.read(low[1]) == low_ring
    bench.write(r.DMA_ASSIST, 1)
    bench.wait_us(20)
    assert bench.read(r.DMA_READ_REFERENCE) == READ_RING + 4 * 32
    assert bench.read(low[1]) == low_ring + 3 * 32
    assert bench.sram(0xA000, 1) == DATA[102:103]


def test_the_ring_of_low_priority_waits_for_the_other() -> None:
    bench = Bench()
    bench.set_up_rings()
    r = Register
    low_ring = bench.read(r.DMA_WRITE_LOW_PRODUCER)
    for slot in range(60):
        bench.set_sram(WRITE_RING + 32 * slot, descriptor(HOST_MEMORY, 0x9000, 512, 0))
    bench.set_sram(low_ring, descriptor(HOST_MEMORY, 0x9000, 512, 0))
    bench.write_all(
        (r.DMA_WRITE_LOW_PRODUCER, low_ring + 32),
        (r.DMA_WRITE_PRODUCER, WRITE_RING + 60 * 32),
        (r.DMA_ASSIST, 1),
    )
    bench.wait_us(20)
    assert WRITE_RING < bench.read(r.DMA_WRITE_REFERENCE) < WRITE_RING + 60 * 32
    assert bench.read(r.DMA_WRITE_LOW_REFERENCE) == low_ring
    bench.wait_us(200)
    assert bench.read(r.DMA_WRITE_LOW_REFERENCE) == low_ring + 32


def test_accesses_of_the_host_take_the_bus_from_transfers() -> None:
    def moved(is_busy: bool) -> int:
        # A bus that transfers fill.
        bench = Bench(host_clock=MHz(33), host_width=32)
        bench.set_up_rings()
        for slot in range(60):
            bench.set_sram(WRITE_RING + 32 * slot, descriptor(HOST_MEMORY, 0x9000, 512, 0))
        bench.write_all((Register.DMA_WRITE_PRODUCER, WRITE_RING + 60 * 32), (Register.DMA_ASSIST, 1))
        begin = bench.simulation.now
        if is_busy:
            bench.write_all(*[(0x7C, 0)] * 200)
            bench.wait_us(100 - (bench.simulation.now - begin).femtoseconds / 1e9)
        else:
            bench.wait_us(100)
        return bench.simulation.statistics().of(bench.card.dma_write, "transfers")

    assert moved(is_busy=True) < moved(is_busy=False)


def test_the_checksum_is_stored_through_the_descriptor(bench: Bench) -> None:
    r = Register
    bench.write_all((r.DMA_READ_PRODUCER, 0), (r.DMA_READ_REFERENCE, 0), (r.DMA_READ_CONSUMER, 0))
    bench.set_host_memory(HOST_MEMORY, DATA[:100])
    control = CHECKSUM | RESTART | STORE_SUM
    bench.set_sram(READ_RING, descriptor(HOST_MEMORY, 0x9000, 100, control, sum_at=READ_RING + 0x16))
    bench.write_all((r.DMA_READ_PRODUCER, READ_RING + 32), (r.DMA_ASSIST, 1))
    bench.wait_us(10)
    stored = int.from_bytes(bench.sram(READ_RING + 0x16, 2), "big")
    assert stored == ones_complement(DATA[:100]) == bench.read(r.DMA_READ_CHECKSUM)
    bench.write_all((r.DMA_READ_CONSUMER, 32), (r.DMA_ASSIST, 0))


def test_the_end_of_a_read_is_copied_to_the_send_buffer_producer(bench: Bench) -> None:
    bench.set_host_memory(HOST_MEMORY, DATA[:100])
    read(bench, HOST_MEMORY, SEND_BUFFER + 0x18, 100, COPY_END)
    assert bench.read(Register.SEND_BUFFER_PRODUCER) == SEND_BUFFER + 0x18 + 100


def test_data_wraps_at_the_end_of_either_buffer(bench: Bench) -> None:
    bench.set_host_memory(HOST_MEMORY, DATA[:300])
    # The send buffer ends where the receive buffer begins.
    read(bench, HOST_MEMORY, RECEIVE_BUFFER - 100, 300)
    assert bench.sram(RECEIVE_BUFFER - 100, 100) == DATA[:100]
    assert bench.sram(SEND_BUFFER, 200) == DATA[100:300]
    assert bench.read(Register.DMA_READ_LOCAL) == SEND_BUFFER + 200
    bench.set_sram(0x20_0000 - 8, DATA[:8])
    bench.set_sram(RECEIVE_BUFFER, DATA[8:300])
    write(bench, HOST_MEMORY + 0x6000, 0x20_0000 - 8, 300)
    assert bench.host_memory(HOST_MEMORY + 0x6000, 300) == DATA[:300]


def test_a_master_abort_raises_the_attention_until_the_state_is_written(bench: Bench) -> None:
    r = Register
    read(bench, 0x7_0000_0000, 0x9000, 64)
    assert bench.read(r.DMA_READ_STATE) & MASTER_ABORT
    assert bench.read(r.DMA_READ_STATE) & START == 0
    assert bench.read(r.EVENTS_A) & READ_ATTENTION
    assert not bench.read(r.EVENTS_A) & WRITE_ATTENTION
    assert bench.read(0x04) & 1 << 29, "the bus status tells it too"
    bench.write(r.DMA_READ_STATE, 0)
    assert not bench.read(r.EVENTS_A) & READ_ATTENTION
    write(bench, 0x7_0000_0000, 0x9000, 64)
    assert bench.read(r.EVENTS_A) & WRITE_ATTENTION
    bench.write(r.DMA_WRITE_STATE, 1)
    bench.write(r.DMA_WRITE_STATE, 0)
    # Both channels still work.
    bench.set_host_memory(HOST_MEMORY, DATA[:64])
    read(bench, HOST_MEMORY, 0x9000, 64)
    assert bench.sram(0x9000, 64) == DATA[:64]
    write(bench, HOST_MEMORY + 0x7000, 0x9000, 64)
    assert bench.host_memory(HOST_MEMORY + 0x7000, 64) == DATA[:64]


def test_a_transfer_across_4_gigabytes_is_refused(bench: Bench) -> None:
    read(bench, 0x1_FFFF_FFF0, 0x9000, 17)
    assert bench.read(Register.DMA_READ_STATE) & CROSSING
    assert bench.read(Register.DMA_READ_LENGTH) == 0
    bench.write(Register.DMA_READ_STATE, 0)
    # One that ends there is performed: nothing answers at its address.
    read(bench, 0x1_FFFF_FFF0, 0x9000, 16)
    assert bench.read(Register.DMA_READ_STATE) & (CROSSING | MASTER_ABORT) == MASTER_ABORT
    bench.write_all((Register.DMA_READ_STATE, 1), (Register.DMA_READ_STATE, 0))


def test_a_bad_descriptor_stops_the_ring_and_is_tried_again(bench: Bench) -> None:
    r = Register
    bench.write_all((r.DMA_READ_PRODUCER, 0), (r.DMA_READ_REFERENCE, 0), (r.DMA_READ_CONSUMER, 0))
    bench.set_sram(READ_RING, descriptor(0x7_0000_0000, 0x9000, 32, 0))
    bench.set_host_memory(HOST_MEMORY, DATA[:32])
    bench.write_all((r.DMA_READ_PRODUCER, 32), (r.DMA_ASSIST, 1))
    bench.wait_us(10)
    assert bench.read(r.DMA_READ_REFERENCE) == READ_RING
    assert bench.read(r.EVENTS_A) & READ_ATTENTION
    bench.set_sram(READ_RING, descriptor(HOST_MEMORY, 0x9000, 32, 0))
    bench.write(r.DMA_READ_STATE, 0)
    bench.wait_us(10)
    assert bench.read(r.DMA_READ_REFERENCE) == READ_RING + 32
    assert bench.sram(0x9000, 32) == DATA[:32]
    bench.write_all((r.DMA_READ_CONSUMER, 32), (r.DMA_ASSIST, 0))


def test_a_card_that_is_no_bus_master_aborts_by_itself() -> None:
    bench = Bench()
    bench.set_up_rings()
    bench.perform([(1, 0x04, 0x2, 2)])
    read(bench, HOST_MEMORY, 0x9000, 64)
    write(bench, HOST_MEMORY, 0x9000, 64)
    assert bench.read(Register.DMA_READ_STATE) & MASTER_ABORT
    assert bench.read(Register.DMA_WRITE_STATE) & MASTER_ABORT


def test_descriptors_in_a_memory_of_their_own_do_the_same() -> None:
    bench = Bench(descriptor_memory=True, descriptor_base=0x3000, descriptor_size=KiB(8))
    bench.set_up_rings()
    bench.set_host_memory(HOST_MEMORY, DATA[:64])
    order = descriptor(HOST_MEMORY, 0x9000, 64, 0)
    bench.simulation.write(bench.card.descriptors.contents, READ_RING - 0x3000, order)
    bench.write_all((Register.DMA_READ_PRODUCER, 32), (Register.DMA_ASSIST, 1))
    bench.wait_us(10)
    assert bench.read(Register.DMA_READ_REFERENCE) == READ_RING + 32
    assert bench.sram(0x9000, 64) == DATA[:64]
    # A transfer into the range goes there, and the host and the cores see it there.
    read(bench, HOST_MEMORY, 0x3800, 64)
    assert bench.simulation.read(bench.card.descriptors.contents, 0x800, 64) == DATA[:64]
    assert bench.sram(0x3800, 64) == bytes(64)
    bench.write(Register.WINDOW_BASE, 0x3800)
    assert bench.read(0x800) == int.from_bytes(DATA[:4], "big")
    bench.run_program([0x3C1C_C000, 0x8C08_3804, 0, 0xAF88_007C, 0x1000_FFFF, 0], at=0x6000)
    bench.wait_us(5)
    assert bench.read(0x7C) == int.from_bytes(DATA[4:8], "big")
