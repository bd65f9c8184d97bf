"""Kernels of guests are decompressed once, where QEMU can start the result."""

import gzip
import lzma
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from spinach_nic.runs.guest.modules import uncompressed

PVH_NOTE = struct.pack("<III4sI", 4, 4, 18, b"Xen\0", 0x1000000)
ELF = b"\x7fELF" + bytes(200) + PVH_NOTE + bytes(200)


def kernel_of(folder: Path, payload: bytes, *, magic: bytes = b"HdrS") -> Path:
    """Return a kernel with two sectors of setup code, and the payload 64 bytes behind these."""
    image = bytearray(3 * 512 + 64)
    image[0x1F1] = 2
    image[0x202:0x206] = magic
    struct.pack_into("<II", image, 0x248, 64, len(payload))
    kernel = folder / "vmlinuz-1"
    kernel.write_bytes(bytes(image) + payload + b"what follows")
    return kernel


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("compress", [lzma.compress, gzip.compress])
def test_a_kernel_is_decompressed_once(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    # The last four bytes of a payload are the size of its content.
    kernel = kernel_of(tmp_path, compress(ELF) + struct.pack("<I", len(ELF)))
    first = uncompressed(kernel)
    assert first.read_bytes() == ELF
    made = first.stat().st_mtime_ns
    assert uncompressed(kernel) == first
    assert first.stat().st_mtime_ns == made
    kernel_of(tmp_path, compress(ELF + b"of another version"))
    assert uncompressed(kernel) != first


@pytest.mark.parametrize(
    "payload",
    [
        lzma.compress(ELF)[:-40],
        lzma.compress(ELF)[:8] + bytes(100),
        lzma.compress(ELF.replace(PVH_NOTE, bytes(len(PVH_NOTE)))),
        lzma.compress(PVH_NOTE),
        b"\x28\xb5\x2f\xfd of Zstandard",
        b"",
    ],
    ids=["cut off", "damaged", "without its entry", "no ELF file", "other compression", "empty"],
)
def test_another_kernel_boots_as_it_is(tmp_path: Path, payload: bytes, cache: Path) -> None:
    kernel = kernel_of(tmp_path, payload)
    assert uncompressed(kernel) == kernel
    assert not list(cache.rglob("vmlinux"))


def test_a_file_without_a_header_is_left_alone(tmp_path: Path) -> None:
    kernel = kernel_of(tmp_path, lzma.compress(ELF), magic=b"none")
    assert uncompressed(kernel) == kernel
    (tmp_path / "short").write_bytes(b"short")
    assert uncompressed(tmp_path / "short") == tmp_path / "short"
