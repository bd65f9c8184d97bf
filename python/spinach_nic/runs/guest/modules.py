"""Kernels of the distribution, and our modules for them."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from spinach_nic.firmware.description import shipped_root
from spinach_nic.runs.guest.packages import HEADERS, program
from spinach_nic.servers.drivers import KIND, built_modules, source_digest
from spinach_nic.support.cache import Cache
from spinach_nic.support.errors import SpinachError


def kernels(root: Path) -> list[tuple[Path, str]]:
    """Return the kernels in `boot` with their versions, the newest first."""
    found = [(kernel, kernel.name.removeprefix("vmlinuz-")) for kernel in root.glob("boot/vmlinuz-*")]
    return sorted(found, key=lambda one: _numbers(one[1]), reverse=True)


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
