"""The file in which drivers of the Tigon-2 keep its firmware.

Three bytes with the version (major, minor, fix), one that counts for nothing, then two big-endian words:
where execution starts, and where the image is loaded. The rest is the image, as it lies in memory. There is
no signature.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from spinach_nic.firmware.elf import Executable, Segment, read_file
from spinach_nic.firmware.errors import FirmwareError
from spinach_nic.support.files import write_output

HEADER = struct.Struct(">3BxII")

LOWEST_ADDRESS = 0x4000
END_ADDRESS = 0x80000
"""Drivers load images from `LOWEST_ADDRESS` up to here: the smallest memory that a card has."""

VERSION = (12, 4, 11)
"""Version of our images: the interface that drivers know under this version."""

_ELF_MAGIC = b"\x7fELF"
_ELF_HEADER = struct.Struct(">2H5I6H")
_ELF_HEADER_BYTES = 52
_ELF_SEGMENT = struct.Struct(">8I")
_ELF_SECTION = struct.Struct(">10I")
_ELF_SYMBOL = struct.Struct(">3I2BH")
_ELF_GLOBAL_FUNCTION = 0x12


class LoadableImage(Struct, frozen=True):
    """Firmware as a driver loads it."""

    start: int
    """Entry address."""
    load: int
    """The address of the first byte."""
    contents: bytes
    version: tuple[int, int, int] = VERSION

    def pack(self) -> bytes:
        """Return the file."""
        return HEADER.pack(*self.version, self.start, self.load) + self.contents

    @property
    def end(self) -> int:
        """The first address after the image."""
        return self.load + len(self.contents)

    def to_elf(self) -> bytes:
        """Return a 32-bit big-endian ELF executable with the image as one function, `firmware`."""
        identification = _ELF_MAGIC + bytes([1, 2, 1]) + bytes(9)  # 32 bits, big-endian, version 1
        first, size = _ELF_HEADER_BYTES + _ELF_SEGMENT.size, len(self.contents)
        names = b"\0.text\0.symtab\0.strtab\0firmware\0"
        symbols = bytes(_ELF_SYMBOL.size) + _ELF_SYMBOL.pack(
            names.index(b"firmware"), self.load, size, _ELF_GLOBAL_FUNCTION, 0, 1
        )
        at = {"symbols": first + size, "names": first + size + len(symbols)}
        sections = [
            bytes(_ELF_SECTION.size),
            _ELF_SECTION.pack(names.index(b".text"), 1, 7, self.load, first, size, 0, 0, 4, 0),
            _ELF_SECTION.pack(
                *(names.index(b".symtab"), 2, 0, 0, at["symbols"], len(symbols), 3, 1, 4, _ELF_SYMBOL.size)
            ),
            _ELF_SECTION.pack(names.index(b".strtab"), 3, 0, 0, at["names"], len(names), 0, 0, 1, 0),
        ]
        header = _ELF_HEADER.pack(
            *(2, 8, 1, self.start, _ELF_HEADER_BYTES, at["names"] + len(names), 0, _ELF_HEADER_BYTES),
            *(_ELF_SEGMENT.size, 1, _ELF_SECTION.size, len(sections), len(sections) - 1),
        )
        segment = _ELF_SEGMENT.pack(1, first, self.load, self.load, size, size, 7, 4)
        return identification + header + segment + self.contents + symbols + names + b"".join(sections)


def flatten(executable: Executable) -> LoadableImage:
    """Return the image of an ELF file: all that it loads, from the first byte to the last.

    Raises:
        FirmwareError: It does not lie where drivers load images.
    """
    segments = [segment for segment in executable.segments if segment.data]
    if not segments:
        raise FirmwareError(f"{executable.path} has no segments to load", "link it with program headers")
    load = min(segment.load_address for segment in segments)
    end = max(segment.load_address + len(segment.data) for segment in segments)
    if load < LOWEST_ADDRESS or end > END_ADDRESS:
        raise FirmwareError(
            f"{executable.path} loads 0x{load:x} to 0x{end - 1:x}, outside the range that drivers load",
            f"link it between 0x{LOWEST_ADDRESS:x} and 0x{END_ADDRESS - 1:x}",
        )
    contents = bytearray(end - load)
    for segment in segments:
        offset = segment.load_address - load
        contents[offset : offset + len(segment.data)] = segment.data
    return LoadableImage(executable.entry, load, bytes(contents) + bytes(-len(contents) % 4))


def write_container(executable: Executable, destination: Path) -> None:
    """Write the container of an ELF file.

    Raises:
        FirmwareError: The image does not fit drivers.
        SpinachError: The file cannot be written.
    """
    contents = flatten(executable).pack()
    write_output(destination, contents, help="name another file with --container")


class ContainedExecutable(Executable):
    """Firmware from a container: an image without names, lines or notes."""

    def __init__(self, path: Path, image: LoadableImage) -> None:
        """Use `read_firmware`."""
        self._describe(path, image.start, (_segment(image),), ())
        self.image = image

    @cached_property
    def note(self) -> Mapping[str, str]:
        """Return the content of the header."""
        return {"compiler": f"unknown; version {'.'.join(map(str, self.image.version))}"}


def _segment(image: LoadableImage) -> Segment:
    return Segment(
        address=image.load,
        data=image.contents,
        memory_bytes=len(image.contents),
        executable=True,
        writable=True,
        load_address=image.load,
    )


def read_firmware(path: Path) -> Executable:
    """Read an ELF file or a container.

    Raises:
        FirmwareError: It cannot be read, or is neither.
    """
    content = read_file(path, "an ELF file or a container")
    if content.startswith(_ELF_MAGIC):
        return Executable.load(path)
    return ContainedExecutable(path, _unpack(path, content))


def loadable_image(executable: Executable) -> LoadableImage:
    """Return the content for the driver, from either kind of file."""
    return executable.image if isinstance(executable, ContainedExecutable) else flatten(executable)


def _unpack(path: Path, content: bytes) -> LoadableImage:
    help = "give a complete ELF file or firmware file of a driver"
    if len(content) <= HEADER.size:
        message = f"{path} is {len(content)} bytes long, too short for a header and an image"
        raise FirmwareError(message, help)
    major, minor, fix, start, load = HEADER.unpack_from(content)
    image = LoadableImage(start, load, content[HEADER.size :], (major, minor, fix))
    for name, address in (("start", start), ("load", load)):
        if not LOWEST_ADDRESS <= address < END_ADDRESS or address % 4:
            raise FirmwareError(
                f"{path}: its {name} address is 0x{address:x}; drivers take multiples of 4 from "
                f"0x{LOWEST_ADDRESS:x} to 0x{END_ADDRESS - 4:x}",
                help,
            )
    if image.end > END_ADDRESS:
        message = f"{path}: its image ends at 0x{image.end:x}, beyond 0x{END_ADDRESS:x}"
        raise FirmwareError(message, help)
    if len(image.contents) % 4 or not load <= start < image.end:
        raise FirmwareError(
            f"{path} is truncated: its image has {len(image.contents)} bytes from 0x{load:x} on, "
            f"and starts at 0x{start:x}",
            help,
        )
    return image
