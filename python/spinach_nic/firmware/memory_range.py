"""Address ranges of memories."""

from msgspec import Struct


class MemoryRange(Struct, frozen=True):
    """A memory that an image may occupy: `bytes` bytes from address `base`."""

    name: str
    base: int
    bytes: int

    @property
    def end(self) -> int:
        """First address after the memory."""
        return self.base + self.bytes

    def __str__(self) -> str:
        """Return the name and the addresses, for error messages."""
        return f"{self.name} 0x{self.base:08x}-0x{self.end - 1:08x}"
