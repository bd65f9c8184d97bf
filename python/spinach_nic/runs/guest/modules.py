"""Kernels of the distribution, and our modules for them."""

from __future__ import annotations

import bz2
import hashlib
import lzma
import os
import re
import struct
import zlib
from pathlib import Path
from typing import Protocol

from spinach_nic.firmware.description import shipped_root
from spinach_nic.runs.guest.packages import HEADERS, program
from spinach_nic.servers.drivers import KIND, built_modules, source_digest
from spinach_nic.support.cache import Cache
from spinach_nic.support.errors import SpinachError

UNCOMPRESSED_KIND, UNCOMPRESSED_FILE = "kernels", "vmlinux"
_PVH_NOTE = re.compile(rb"\x04\0{3}[\x04\x08]\0{3}\x12\0{3}Xen\0")
"""Note of an ELF file with the entry for the PVH boot protocol."""


class _Decompressor(Protocol):
    def decompress(self, data: bytes, /) -> bytes: ...


def kernels(root: Path) -> list[tuple[Path, str]]:
    """Return the kernels in `boot` with their versions, the newest first."""
    found = [(kernel, kernel.name.removeprefix("vmlinuz-")) for kernel in root.glob("boot/vmlinuz-*")]
    return sorted(found, key=lambda one: _numbers(one[1]), reverse=True)


def uncompressed(kernel: Path) -> Path:
    """Return the ELF file in a compressed kernel, which is kept in the cache, or else the kernel.

    An emulated processor takes longer to decompress a kernel than to boot it. The kernel itself is returned
    if its compression is unknown, or if it lacks the PVH entry, with which QEMU starts ELF files.
    """
    image = kernel.read_bytes()
    payload = _payload(image)
    decompressor = _decompressor(payload)
    if decompressor is None:
        return kernel
    key, cache = hashlib.sha256(image).hexdigest(), Cache()
    with cache.in_use():
        if found := cache.find(UNCOMPRESSED_KIND, key, UNCOMPRESSED_FILE):
            return found[0]
        try:
            content = decompressor.decompress(payload)
        except (EOFError, OSError, lzma.LZMAError, zlib.error):
            return kernel
        if not content.startswith(b"\x7fELF") or not _PVH_NOTE.search(content):
            return kernel
        return cache.keep(UNCOMPRESSED_KIND, key, UNCOMPRESSED_FILE, content)


def _payload(image: bytes) -> bytes:
    """Return the payload of a kernel by its header (Linux, Documentation/arch/x86/boot.rst, from 2.08 on)."""
    if len(image) < 0x250 or image[0x202:0x206] != b"HdrS":
        return b""
    start, length = struct.unpack_from("<II", image, 0x248)
    start += (image[0x1F1] + 1) * 512
    return image[start : start + length]


def _decompressor(payload: bytes) -> _Decompressor | None:
    """Return the decompressor for a payload, by its first bytes; bytes after its end are ignored."""
    if payload.startswith(b"\xfd7zXZ\0"):
        return lzma.LZMADecompressor()
    if payload.startswith(b"\x1f\x8b"):
        return zlib.decompressobj(wbits=31)
    if payload.startswith(b"BZh"):
        return bz2.BZ2Decompressor()
    return None


def built_module(name: str, sources: str | Path, root: Path) -> tuple[Path, Path]:
    """Return the newest kernel whose headers are installed, and our module for it.

    The module is built once for each kernel and kept in the cache.

    Args:
        name: Name of the module.
        sources: Folder of its sources: a path, or a name among the shipped firmware.
        root: Folder with `boot`, `lib` and `usr` of the distribution.

    Raises:
        SpinachError: There are no headers, or it cannot be built.
    """
    for kernel, version in kernels(root):
        headers = _headers(root, version)
        if headers is not None:
            return kernel, _module(name, shipped_root() / sources, version, headers)
    found = [version for _, version in kernels(root)]
    which = f"the kernel {found[0]} are" if found else "a kernel, and no kernel, are"
    raise SpinachError(
        f"the headers of {which} not installed in {root}, but the driver {name} needs them",
        f"install them: {HEADERS}",
    )


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _headers(root: Path, version: str) -> Path | None:
    """Return the folder of a kernel's headers; the link to them begins at the root of the distribution."""
    link = root / "lib" / "modules" / version / "build"
    if link.is_symlink():
        target = Path(os.readlink(link))
        link = root / target.relative_to("/") if target.is_absolute() else link.parent / target
    return link if (link / "Makefile").is_file() else None


def _module(name: str, sources: Path, version: str, headers: Path) -> Path:
    key = hashlib.sha256(version.encode() + source_digest(sources)).hexdigest()
    file, cache = f"{name}.ko", Cache()
    with cache.in_use():
        if found := cache.find(KIND, key, file):
            return found[0]
        built = built_modules(sources, [program("make")], headers, f"reinstall the headers: {HEADERS}")
        if file not in built:
            raise SpinachError(
                f"the driver {sources} builds {', '.join(built)}, not {file}",
                "name the module in linux_driver as its Makefile does",
            )
        return cache.keep(KIND, key, file, built[file])
