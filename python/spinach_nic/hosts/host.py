"""What a driver sees of its host beside the NIC: memory that both reach, and the time."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from spinach_nic.composition import Module
from spinach_nic.errors import SpinachError
from spinach_nic.simulation import Contents, Simulation
from spinach_nic.units import Time


class Host:
    """The memory of a `ScriptedHost`, at the addresses that the NIC uses, and a way to divide it."""

    def __init__(
        self, simulation: Simulation, module: Module, memory: Contents, *, base: int, size: int
    ) -> None:
        """Of the host `module` of `simulation`, whose `memory` has `size` bytes from `base` on."""
        self._simulation = simulation
        self._module = module
        self._memory = memory
        self._base = base
        self._end = base + size
        self._free = base

    @property
    def now(self) -> Time:
        """The present moment of the simulation."""
        return self._simulation.now

    def allocate(self, size: int, alignment: int = 64) -> int:
        """The address of `size` free bytes, a multiple of `alignment`.

        Raises:
            SpinachError: There is not so much memory.
        """
        address = -(-self._free // alignment) * alignment
        if address + size > self._end:
            message = f"{self._module.path}: the driver needs more memory than the host shares"
            raise SpinachError(message, "raise memory_size of the host, or give the driver fewer buffers")
        self._free = address + size
        return address

    def load(self, address: int, size: int) -> bytes:
        """Bytes of memory."""
        return self._memory.read(address - self._base, size)

    def store(self, address: int, contents: bytes) -> None:
        """Overwrite bytes of memory."""
        self._memory.write(address - self._base, contents)

    def load_word(self, address: int) -> int:
        """A 32-bit word, as a little-endian host keeps it."""
        return int.from_bytes(self.load(address, 4), "little")

    def store_words(self, address: int, words: Sequence[int]) -> None:
        """Overwrite 32-bit words, as a little-endian host keeps them."""
        self.store(address, struct.pack(f"<{len(words)}I", *words))
