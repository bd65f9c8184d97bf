"""Assists that move data at the speed of the bus or the wire, through FIFOs of stated size."""

from __future__ import annotations

from typing import Any

import pytest
from tests.python.cards.tigon2.bench import HOST_MEMORY, RECEIVE_RING, SEND_BUFFER, SEND_RING, Bench
from tests.python.cards.tigon2.test_dma import START
from tests.python.cards.tigon2.test_mac import ENABLE, OTHER, PROMISCUOUS, frame, listed, sending

from spinach_nic.cards.tigon2.registers import Register
from spinach_nic.support.units import B, KiB, Size

WIRE_BYTES_PER_US = 125
BUS_BYTES_PER_US = 66.666667 * 8
BURST = 32
LONGEST = 1514


def moved(bench: Bench) -> int:
    """Bytes that the SRAM has moved."""
    return bench.simulation.statistics().of(bench.card.sram.contents, "useful_bytes")


def sending_one(**parameters: Any) -> Bench:
    one = frame(OTHER, LONGEST)
    bench = sending([one], [(SEND_BUFFER, 0, LONGEST)], **parameters)
    bench.set_sram(SEND_BUFFER, one)
    bench.write_all((Register.SEND_BUFFER_PRODUCER, SEND_BUFFER + LONGEST), (Register.MAC_SEND_STATE, ENABLE))
    return bench


@pytest.mark.parametrize("fifo", [B(128), KiB(1)])
def test_a_frame_is_read_as_the_wire_empties_the_fifo(fifo: Size) -> None:
    bench = sending_one(send_fifo=fifo)
    bench.write(Register.SEND_RING_PRODUCER, SEND_RING + 8)
    begun = moved(bench)
    bench.wait_us(4)
    most = fifo.bytes + 4.5 * WIRE_BYTES_PER_US + BURST
    assert fifo.bytes + 3 * WIRE_BYTES_PER_US < moved(bench) - begun <= most
    bench.wait_us(10)
    assert moved(bench) - begun == LONGEST


def test_a_frame_is_read_at_once_without_a_stream() -> None:
    bench = sending_one(send_streams=False)
    bench.write(Register.SEND_RING_PRODUCER, SEND_RING + 8)
    begun = moved(bench)
    bench.wait_us(4)
    assert moved(bench) - begun == LONGEST


def test_a_frame_is_stored_while_it_passes_the_wire() -> None:
    bench = Bench(frames=listed(frame(OTHER, LONGEST)), count=1)
    bench.set_up_rings()
    begun = moved(bench)
    bench.write(Register.MAC_RECEIVE_STATE, ENABLE | PROMISCUOUS)
    bench.wait_us(7)
    assert 5 * WIRE_BYTES_PER_US < moved(bench) - begun <= 7.5 * WIRE_BYTES_PER_US
    assert bench.read(Register.RECEIVE_RING_PRODUCER) == RECEIVE_RING
    # The descriptor follows the last byte, which passes after 8 + 1518 bytes.
    bench.wait_us(6.5)
    assert bench.read(Register.RECEIVE_RING_PRODUCER) == RECEIVE_RING + 8


@pytest.mark.parametrize("direction", ["read", "write"])
def test_dma_moves_words_at_the_speed_of_the_bus(direction: str) -> None:
    """The longest frame of PCI, 1,514 bytes, takes 2.84 us of data alone."""
    bench = Bench()
    first = Register.DMA_READ_HOST_HIGH if direction == "read" else Register.DMA_WRITE_HOST_HIGH
    local = Register.DMA_READ_LOCAL if direction == "read" else Register.DMA_WRITE_LOCAL
    length = Register.DMA_READ_LENGTH if direction == "read" else Register.DMA_WRITE_LENGTH
    state = Register.DMA_READ_STATE if direction == "read" else Register.DMA_WRITE_STATE
    begun = moved(bench)
    bench.write_all(
        (first, HOST_MEMORY >> 32), (first + 4, HOST_MEMORY & 0xFFFF_FFFF), (local, 0x9000), (length, 8192)
    )
    bench.write(state, START)
    bench.wait_us(5)
    assert 0 < moved(bench) - begun <= 128 + 5.5 * BUS_BYTES_PER_US
    bench.wait_us(30)
    assert moved(bench) - begun == 8192
    assert bench.read(length) == 0
