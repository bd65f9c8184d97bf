"""Assists that learn of descriptors by reading pointers in memory (thesis 3.2.3)."""

from __future__ import annotations

import pytest
from tests.python.cards.tigon2.bench import HOST_MEMORY, READ_RING, SEND_BUFFER, SEND_RING, Bench
from tests.python.cards.tigon2.test_dma import DATA, descriptor
from tests.python.cards.tigon2.test_mac import ENABLE, OTHER, frame, sending, sent
from tests.python.cards.tigon2.test_streams import moved

from spinach_nic.cards.tigon2.registers import Register

CYCLES_PER_US = 100
POINTER_BYTES = 4
CHANNELS = 2
LONG = 5_000
"""Cycles of an interval in which a test sees that nothing happens: 50 us."""


def channels_on(poll_interval: int) -> Bench:
    """Return a card whose DMA channels wait for descriptors."""
    bench = Bench(poll_interval=poll_interval)
    bench.set_up_rings()
    r = Register
    bench.write_all((r.DMA_READ_PRODUCER, READ_RING), (r.DMA_READ_REFERENCE, READ_RING), (r.DMA_ASSIST, 1))
    return bench


def wait_for_read(bench: Bench) -> None:
    """Wait until an assist has read a pointer."""
    before = moved(bench)
    for _ in range(LONG):
        bench.wait_us(0.2)
        if moved(bench) > before:
            return
    pytest.fail("no assist reads a pointer")


def test_registers_tell_descriptors_without_a_read() -> None:
    bench = channels_on(0)
    before = moved(bench)
    bench.wait_us(20)
    assert moved(bench) == before


@pytest.mark.parametrize("interval", [1, 20, 100])
def test_channels_without_work_read_a_pointer_after_each_interval(interval: int) -> None:
    bench = channels_on(interval)
    before = moved(bench)
    bench.wait_us(50)
    reads = (moved(bench) - before) / POINTER_BYTES / CHANNELS
    # A read takes some cycles besides.
    assert 50 * CYCLES_PER_US / (interval + 12) - 1 <= reads <= 50 * CYCLES_PER_US / (interval + 3) + 1


def test_a_channel_performs_a_descriptor_after_its_next_read() -> None:
    bench = channels_on(LONG)
    bench.set_host_memory(HOST_MEMORY, DATA[:64])
    bench.set_sram(READ_RING, descriptor(HOST_MEMORY, 0xA000, 64, 0))
    bench.set_sram(0xA000, bytes(64))
    wait_for_read(bench)
    bench.write(Register.DMA_READ_PRODUCER, READ_RING + 32)
    bench.wait_us(30)
    assert bench.sram(0xA000, 64) == bytes(64)
    bench.wait_us(30)
    assert bench.sram(0xA000, 64) == DATA[:64]
    assert bench.read(Register.DMA_READ_REFERENCE) == READ_RING + 32


def test_the_sending_mac_sends_after_its_next_read() -> None:
    one = frame(OTHER, 100)
    bench = sending([one], [(SEND_BUFFER, 0, 100)], poll_interval=LONG)
    bench.set_sram(SEND_BUFFER, one)
    bench.write_all((Register.SEND_BUFFER_PRODUCER, SEND_BUFFER + 100), (Register.MAC_SEND_STATE, ENABLE))
    wait_for_read(bench)
    bench.write(Register.SEND_RING_PRODUCER, SEND_RING + 8)
    bench.wait_us(30)
    assert sent(bench) == (0, 0)
    bench.wait_us(30)
    assert sent(bench) == (1, 0)
