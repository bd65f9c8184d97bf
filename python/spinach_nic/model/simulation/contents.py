"""The contents of one memory, for code that reads and writes it often."""

from __future__ import annotations

from spinach_nic import _native
from spinach_nic.support.errors import SpinachError


class Contents:
    """The bytes of a memory of a simulation; made by `Simulation.contents`.

    The memory is looked up once, so that an access costs little more than the copy.
    """

    __slots__ = ("_base", "_module", "_native", "size")

    def __init__(self, native: _native.Simulation, module: int, size: int, base: int) -> None:
        """Create the contents of the module with this number, which has `size` bytes from `base` on."""
        self._native = native
        self._module = module
        self._base = base
        self.size = size
        """Size in bytes."""

    def read(self, address: int, length: int) -> bytes:
        """Return bytes from `address` on.

        Raises:
            SpinachError: They are not all inside the memory.
        """
        try:
            return self._native.read_contents(self._module, address - self._base, length)
        except (OverflowError, TypeError) as error:
            raise _no_place(address) from error

    def write(self, address: int, contents: bytes) -> None:
        """Overwrite bytes from `address` on.

        Raises:
            SpinachError: They are not all inside the memory.
        """
        try:
            self._native.write_contents(self._module, address - self._base, contents)
        except (OverflowError, TypeError) as error:
            raise _no_place(address) from error


def _no_place(address: object) -> SpinachError:
    return SpinachError(
        f"invalid memory access at {address!r}",
        "give a non-negative integer address and length, and bytes to write",
    )
