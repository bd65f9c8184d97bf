"""Archives of files that a kernel unpacks before it starts.

They are cpio in the form "newc": Documentation/driver-api/early-userspace/buffer-format.rst of the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

_MAGIC = b"070701"
_END = "TRAILER!!!"
_FOLDER = 0o040000
_FILE = 0o100000
_CHARACTER_DEVICE = 0o020000


class Entry(Struct, frozen=True):
    """A file, a folder or a device."""

    name: str
    mode: int
    content: bytes = b""
    device: tuple[int, int] = (0, 0)
    """Numbers of a device."""


def folder(name: str) -> Entry:
    """Return a folder."""
    return Entry(name, _FOLDER | 0o755)


def program(name: str, content: bytes) -> Entry:
    """Return an executable file."""
    return Entry(name, _FILE | 0o755, content)


def document(name: str, content: bytes) -> Entry:
    """Return a file without permission to execute."""
    return Entry(name, _FILE | 0o644, content)


def character_device(name: str, major: int, minor: int) -> Entry:
    """Return a character device."""
    return Entry(name, _CHARACTER_DEVICE | 0o600, device=(major, minor))


def archive(entries: Sequence[Entry]) -> bytes:
    """Return the archive of these entries; equal entries give equal archives."""
    written = b"".join(_written(number, entry) for number, entry in enumerate(entries, 1))
    return written + _written(0, Entry(_END, 0))


def _written(number: int, entry: Entry) -> bytes:
    name = entry.name.encode() + b"\0"
    # Inode, mode, owner, group, links, time, length, two devices, length of the name, sum.
    fields = (number, entry.mode, 0, 0, 1, 0, len(entry.content), 0, 0, *entry.device, len(name), 0)
    head = _MAGIC + b"".join(b"%08X" % field for field in fields) + name
    return _padded(head) + _padded(entry.content)


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 4)
