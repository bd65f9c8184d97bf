"""Address ranges of memories."""

from msgspec import Struct

from spinach_nic.support.checked_records import check_record


class MemoryRange(Struct, frozen=True):
    """A memory that an image may occupy: `bytes` bytes from address `base`."""

    name: str
    base: int
    bytes: int

    def __post_init__(self) -> None:
        """Check the fields."""
        check_record(self)

    @property
    def end(self) -> int:
        """First address after the memory."""
        return self.base + self.bytes

    def __str__(self) -> str:
        """Return the name and the addresses, for error messages."""
        return f"{self.name} 0x{self.base:08x}-0x{self.end - 1:08x}"
