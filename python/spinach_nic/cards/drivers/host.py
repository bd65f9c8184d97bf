"""A driver's view of its host besides the NIC: shared memory, and the time."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import ParamSpec, TypeVar

from spinach_nic.model import Module
from spinach_nic.model.simulation import Contents, Simulation
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Time

WRITABLE_LANE = 3
"""Lane of a `ScriptedHost` for memory that its NIC may write."""

Told = TypeVar("Told", bytes, int)
Asked = ParamSpec("Asked")


class Hearsay:
    """Input of a driver: first replayed from a saved run, then from the simulation."""

    def __init__(self, log: list[bytes | int] | None, saved: Iterable[bytes | int] | None) -> None:
        """Record all input in `log`, if given; `saved` is the input to replay, if any."""
        self._log = log
        self._saved = deque(saved or ())
        self.is_repeating = saved is not None
        """True if the driver repeats its actions: its writes were made then."""
        self.is_plain = log is None and saved is None
        """True if input comes from the simulation without a record."""

    def tell(self, find: Callable[Asked, Told], *asked: Asked.args, **named: Asked.kwargs) -> Told:
        """Return the replayed input, or else the result of `find`."""
        if not self.is_repeating:
            told = find(*asked, **named)
        elif self._saved:
            told = self._saved.popleft()  # type: ignore[assignment]
        else:
            raise _differs()
        if self._log is not None:
            self._log.append(told)
        return told

    def end_repeating(self) -> None:
        """End the replay; later input comes from the simulation.

        Raises:
            SpinachError: The driver has not asked for all replayed input.
        """
        if self._saved:
            raise _differs()
        self.is_repeating = False


def _differs() -> SpinachError:
    message = "the driver behaves differently than in the saved run"
    return SpinachError(message, "drivers may depend only on the results of their operations")


class Host:
    """The memory of a `ScriptedHost`, at the addresses that the NIC uses, and a way to divide it."""

    load: Callable[[int, int], bytes]
    """Return bytes of memory: as many as the second argument, from the address on."""
    store: Callable[[int, bytes], None]
    """Overwrite bytes of memory, from the address on."""

    def __init__(
        self,
        simulation: Simulation,
        module: Module,
        memory: Contents,
        *,
        base: int,
        size: int,
        heard: Hearsay | None = None,
    ) -> None:
        """Create the view of the host `module`, whose `memory` has `size` bytes from `base` on."""
        self._heard = heard or Hearsay(None, None)
        self._simulation = simulation
        self._module = module
        self._memory = memory
        # Without a record a driver that acts every few cycles reaches memory by the shortest way.
        is_plain = self._heard.is_plain
        self.load = memory.read if is_plain else self._hear
        self.store = memory.write if is_plain else self._store_once
        self._end = base + size
        self._free = base

    @property
    def now(self) -> Time:
        """The present moment of the simulation."""
        return Time(self._heard.tell(self._simulation.native.now))

    def allocate(self, size: int, alignment: int = 64) -> int:
        """Return the address of `size` free bytes, a multiple of `alignment`.

        Raises:
            SpinachError: There is not so much memory.
        """
        address = -(-self._free // alignment) * alignment
        if address + size > self._end:
            message = f"{self._module.path}: the driver needs more than the shared memory"
            raise SpinachError(
                message,
                "raise host_memory of the card (memory_size of a ScriptedHost), or reduce rings and buffers",
            )
        self._free = address + size
        return address

    def allow_writes(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Let the NIC write ranges of memory: address and bytes of each.

        From the first call on, a run fails if the NIC writes elsewhere or across the end of a range.
        """
        words = [word for pair in ranges for word in pair]
        self._simulation.inject(self._module, struct.pack(f"<{len(words)}Q", *words), lane=WRITABLE_LANE)

    def _hear(self, address: int, size: int) -> bytes:
        """Return bytes of memory, or those of the replayed input."""
        return self._heard.tell(self._memory.read, address, size)

    def _store_once(self, address: int, contents: bytes) -> None:
        """Overwrite bytes, unless the driver repeats its actions."""
        if not self._heard.is_repeating:
            self._memory.write(address, contents)

    def load_word(self, address: int) -> int:
        """Return a 32-bit word, as a little-endian host keeps it."""
        return int.from_bytes(self.load(address, 4), "little")

    def store_words(self, address: int, words: Sequence[int]) -> None:
        """Overwrite 32-bit words, as a little-endian host keeps them."""
        self.store(address, struct.pack(f"<{len(words)}I", *words))
