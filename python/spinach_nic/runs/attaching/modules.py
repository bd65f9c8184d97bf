"""Kernels of the distribution, and our modules for them."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from spinach_nic.firmware.description import shipped_root
from spinach_nic.runs.attaching.packages import HEADERS, program
from spinach_nic.support.cache import Cache
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import temporary_folder

KIND = "modules"
"""Kind of the cache entries."""
_HEADERS_OF_FIRMWARE = ("spinach",)
"""Headers of the firmware that a driver may include."""
_SHOWN_LINES = 8
"""Lines shown of a failed build's output."""


def kernels(root: Path) -> list[tuple[Path, str]]:
    """The kernels in `boot` with their versions, the newest first."""
    found = [(kernel, kernel.name.removeprefix("vmlinuz-")) for kernel in root.glob("boot/vmlinuz-*")]
    return sorted(found, key=lambda one: _numbers(one[1]), reverse=True)


def built_module(name: str, sources: str | Path, root: Path) -> tuple[Path, Path]:
    """Return the newest kernel whose headers are installed, and our module for it.

    The module is built once for each kernel and kept in the cache.

    Args:
        name: Of the module.
        sources: Folder of its sources: a path, or a name among the shipped firmware.
        root: Where `boot`, `lib` and `usr` of the distribution are.

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
    include = shipped_root() / "include"
    files = [path for path in sorted(sources.rglob("*")) if path.is_file()]
    files += [path for part in _HEADERS_OF_FIRMWARE for path in sorted((include / part).rglob("*.h"))]
    hashed = hashlib.sha256(version.encode())
    for path in files:
        hashed.update(hashlib.sha256(path.read_bytes()).digest())
    key, file = hashed.hexdigest(), f"{name}.ko"
    cache = Cache()
    with cache.in_use():
        if found := cache.find(KIND, key, file):
            return found[0]
        return cache.keep(KIND, key, file, _built(file, sources, include, headers))


def _built(file: str, sources: Path, include: Path, headers: Path) -> bytes:
    with temporary_folder() as place:
        folder = Path(place) / "module"
        shutil.copytree(sources, folder)
        made = subprocess.run(
            [
                program("make"),
                "-s",
                "-C",
                str(headers),
                f"M={folder}",
                f"INCLUDE={include.resolve()}",
                "modules",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if made.returncode:
            printed = made.stdout.decode(errors="replace").strip().splitlines()
            lines = [line for line in printed if "error" in line.lower()] or printed
            raise SpinachError(
                "\n".join((f"the module {file} cannot be built:", *lines[:_SHOWN_LINES])),
                f"reinstall the headers: {HEADERS}",
            )
        return (folder / file).read_bytes()
