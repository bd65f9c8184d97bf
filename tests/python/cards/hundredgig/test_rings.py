"""The driver's rings write to memory only what memory does not have."""

import struct
from collections.abc import Iterable

import pytest

from spinach_nic.cards.drivers import DriverError, Host
from spinach_nic.cards.hundredgig.ring import AVAILABLE, DEVICE_WRITES, USED, PackedRing, SplitRing

ENTRIES = 4
BASE = 4096


class Memory(Host):
    """Memory of a host, without a simulation, which keeps the addresses of stores."""

    def __init__(self) -> None:
        """Make memory."""
        self._base = self._free = BASE
        self._end = BASE + 16384
        self._bytes = bytearray(16384)
        self.stored: list[int] = []

    def allow_writes(self, ranges: Iterable[tuple[int, int]]) -> None:
        """No NIC writes."""

    def load(self, address: int, size: int) -> bytes:
        return bytes(self._bytes[address - BASE :][:size])

    def store(self, address: int, contents: bytes) -> None:
        self.stored.append(address)
        self._bytes[address - BASE : address - BASE + len(contents)] = contents


def ring_of(memory: Memory) -> SplitRing:
    return SplitRing(memory, ENTRIES, device_writes=True)


def use(memory: Memory, ring: SplitRing, before: int, chains: int) -> None:
    """Use the next chains, in the place of the device."""
    for chain in range(before, before + chains):
        place = chain % ENTRIES
        memory.store(ring.used + 4 + 8 * place, struct.pack("<II", place, 64))
    memory.store(ring.used + 2, struct.pack("<H", before + chains))
    expected = [buffer for buffer, _ in ring.awaited()[:chains]]
    assert [one.buffer for one in ring.take_used()] == expected


def buffers_in(memory: Memory, ring: SplitRing) -> list[tuple[int, int, int]]:
    """Return address, length and flags of the available buffers that memory describes, by their entries."""
    heads = struct.unpack(f"<{ENTRIES}H", memory.load(ring.available + 4, 2 * ENTRIES))
    found = [struct.unpack("<QIH2x", memory.load(ring.descriptors + 16 * head, 16)) for head in heads]
    return [(address, length, flags) for address, length, flags in found]


def test_a_ring_writes_no_descriptor_again() -> None:
    memory = Memory()
    ring = ring_of(memory)
    buffers = [(0x8000 + 64 * number, 64) for number in range(ENTRIES)]
    ring.add(buffers)
    use(memory, ring, 0, 3)
    memory.stored.clear()
    ring.add(buffers[:3])
    assert memory.stored == [ring.available + 2]
    assert buffers_in(memory, ring) == [(*buffer, 2) for buffer in buffers]
    assert memory.load(ring.available + 2, 2) == struct.pack("<H", ENTRIES + 3)


def test_a_ring_writes_other_descriptors_around_its_end() -> None:
    memory = Memory()
    ring = ring_of(memory)
    first = [(0x8000 + 64 * number, 64) for number in range(ENTRIES)]
    ring.add(first[:3])
    use(memory, ring, 0, 3)
    others = [(0x9000 + 64 * number, 32) for number in range(3)]
    ring.add(others)
    expected = [others[1], others[2], first[2], others[0]]
    assert buffers_in(memory, ring) == [(*buffer, 2) for buffer in expected]


def test_a_ring_describes_all_buffers_again_after_its_queue_was_reset() -> None:
    memory = Memory()
    ring = ring_of(memory)
    buffers = [(0x8000 + 64 * number, 64) for number in range(ENTRIES)]
    ring.add(buffers)
    use(memory, ring, 0, 1)
    assert ring.awaited() == buffers[1:]
    # The device may write anything before its queue is reset.
    memory.store(ring.descriptors, bytes(16 * ENTRIES))
    memory.store(ring.available, b"\xff" * (4 + 2 * ENTRIES))
    ring.clear()
    assert memory.load(ring.available, 4) == bytes(4)
    ring.add(buffers)
    assert buffers_in(memory, ring) == [(*buffer, 2) for buffer in buffers]


def test_a_ring_describes_a_buffer_again_after_a_chain_at_its_place() -> None:
    memory = Memory()
    ring = ring_of(memory)
    ring.add([(0x8000, 64)])
    use(memory, ring, 0, 1)
    ring.add([(0x8040, 64), (0x8080, 64), (0x80C0, 64)])
    use(memory, ring, 1, 3)
    ring.add_chain([(0x9000, 8, 0), (0x9008, 8, 0)])
    use(memory, ring, 4, 1)
    ring.add([(0x8040, 64)])
    assert buffers_in(memory, ring)[1] == (0x8040, 64, 2)


def test_the_length_of_a_received_buffer_counts_only_if_the_device_says_that_it_wrote() -> None:
    memory = Memory()
    ring = PackedRing(memory, ENTRIES, device_writes=True)
    ring.add([(0x8000, 64), (0x9000, 64)])
    for place, flags in enumerate((DEVICE_WRITES, 0)):
        used = struct.pack("<IHH", 60, place, flags | AVAILABLE | USED)
        memory.store(ring.descriptors + 16 * place + 8, used)
        if flags:
            assert [(one.buffer, one.length) for one in ring.take_used()] == [(0x8000, 60)]
    with pytest.raises(DriverError, match="used buffer 1 without the flag that it wrote to it"):
        ring.take_used()
