"""What a driver sees of its host beside the NIC: memory that both reach, and the time."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from spinach_nic.composition import Module
from spinach_nic.errors import SpinachError
from spinach_nic.simulation import Contents, Simulation
from spinach_nic.units import Time

Told = TypeVar("Told", bytes, int)


class Hearsay:
    """What a driver is told: at first what it was told in a run that was saved, then what is so."""

    def __init__(self, log: list[bytes | int] | None, saved: Iterable[bytes | int] | None) -> None:
        """Note everything in `log`, if there is one; `saved` is what it was told then, if it was."""
        self._log = log
        self._saved = deque(saved or ())
        self.is_repeating = saved is not None
        """Whether the driver does again what it did: what it writes was written then."""

    def tell(self, find: Callable[[], Told]) -> Told:
        """What it was told, or else what `find` finds."""
        if not self.is_repeating:
            told = find()
        elif self._saved:
            told = self._saved.popleft()  # type: ignore[assignment]
        else:
            raise _differs()
        if self._log is not None:
            self._log.append(told)
        return told

    def end_repeating(self) -> None:
        """From here on it is told what is so.

        Raises:
            SpinachError: It has not asked for everything that it was told then.
        """
        if self._saved:
            raise _differs()
        self.is_repeating = False


def _differs() -> SpinachError:
    message = "the driver does not do again what it did in the run that was saved"
    return SpinachError(message, "drivers must depend only on what their host tells them")


class Host:
    """The memory of a `ScriptedHost`, at the addresses that the NIC uses, and a way to divide it."""

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
        """Of the host `module` of `simulation`, whose `memory` has `size` bytes from `base` on."""
        self._heard = heard or Hearsay(None, None)
        self._simulation = simulation
        self._module = module
        self._memory = memory
        self._base = base
        self._end = base + size
        self._free = base

    @property
    def now(self) -> Time:
        """The present moment of the simulation."""
        return Time(self._heard.tell(lambda: self._simulation.now.femtoseconds))

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
        return self._heard.tell(lambda: self._memory.read(address - self._base, size))

    def store(self, address: int, contents: bytes) -> None:
        """Overwrite bytes of memory."""
        if not self._heard.is_repeating:
            self._memory.write(address - self._base, contents)

    def load_word(self, address: int) -> int:
        """A 32-bit word, as a little-endian host keeps it."""
        return int.from_bytes(self.load(address, 4), "little")

    def store_words(self, address: int, words: Sequence[int]) -> None:
        """Overwrite 32-bit words, as a little-endian host keeps them."""
        self.store(address, struct.pack(f"<{len(words)}I", *words))
