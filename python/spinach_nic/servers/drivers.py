"""Custom Linux drivers on a server: modules built from a folder for the kernel of `make linux`.

The modules go into a further archive of the initramfs. The first program loads them before it gives the
network interface its address. The network drivers in the kernel do not start then, as they would take the
card first.

Observers and debuggers know the functions of the first module (`LoadedModule`), and of no further one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from spinach_nic.firmware.description import shipped_root
from spinach_nic.servers.archive import archive, document, folder
from spinach_nic.servers.linux import (
    COMMAND,
    MAKE,
    PACKAGES,
    PREFIX,
    Linux,
    LoadedModule,
    for_debuggers,
    for_modules,
)
from spinach_nic.support.cache import Cache
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import check_space, files_in, temporary_folder

KIND = "modules"
"""Kind of the cache entries."""
FOLDER = "drivers"
"""Folder of the modules on the server, as in `firmware/linux/program.c`."""
BUILT_IN = (
    "acenic_pci_driver_init",
    "ns83820_init",
    "rings_driver_init",
    "sinic_driver_init",
    "virtio_net_driver_init",
)
"""Functions that start the network drivers in the kernel of `make linux`."""
_ARCHIVE, _FIRST = "drivers.cpio", "driver.ko"
"""Files of a cache entry: the modules, and the first of them."""
_SHOWN_LINES = 8
"""Lines shown of a failed build's output."""


def with_driver(linux: Linux, sources: Path) -> Linux:
    """Return the same kernel with the modules of a folder in place of its network drivers.

    Args:
        linux: The kernel of `make linux`, and its initramfs.
        sources: Folder with the modules' sources and their Makefile.

    Raises:
        SpinachError: The kernel is cached without the files for modules, or the modules cannot be built.
    """
    if (headers := for_modules()) is None:
        raise SpinachError(
            f"the driver {sources} needs the headers of the server's kernel, which are not built",
            f"build them: `{COMMAND}`",
        )
    if not os.path.isfile(sources / "Makefile"):
        raise SpinachError(
            f"there is no Makefile in the driver {sources}",
            "name a folder such as the folder `driver` of `spinach new NAME --face pci`",
        )
    key = hashlib.sha256(headers + source_digest(sources) + repr(BUILT_IN).encode()).hexdigest()
    cache = Cache()
    with cache.in_use():
        found = cache.find(KIND, key, _ARCHIVE), cache.find(KIND, key, _FIRST)
        if found[0] and found[1]:
            files, first = found[0][1], found[1][0]
        else:
            built = _built(sources, headers)
            files = _packed(built)
            cache.keep(KIND, key, _ARCHIVE, files)
            first = cache.keep(KIND, key, _FIRST, next(iter(built.values())))
    arguments = f"{linux.arguments} initcall_blacklist={','.join(BUILT_IN)}"
    kernel = for_debuggers()
    module = LoadedModule(first, kernel) if kernel else None
    return replace(linux.with_files(files), arguments=arguments, module=module)


def source_digest(sources: Path) -> bytes:
    """Return a digest of a driver's sources, and of the headers of firmware that it may include.

    Raises:
        SpinachError: The folder is too large, or has devices or pipes.
    """
    files = files_in(sources, "name a folder with the sources of a driver")
    files += sorted((shipped_root() / "include" / "spinach").rglob("*.h"))
    return b"".join(_digest(path) for path in files)


def _digest(file: Path) -> bytes:
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").digest()


def built_modules(sources: Path, make: Sequence[str], headers: Path, help: str) -> dict[str, bytes]:
    """Build the modules of a folder, and return their files by name, in the order of its Makefile.

    Args:
        sources: Folder with a Makefile; it is not written.
        make: Command of make, with the variables of the kernel.
        headers: Folder of the kernel's headers.
        help: Instruction if the build fails.

    Raises:
        SpinachError: The build fails, or makes no module.
    """
    with temporary_folder() as place:
        copy = Path(place) / "module"
        shutil.copytree(sources, copy, ignore_dangling_symlinks=True)
        include = (shipped_root() / "include").resolve()
        made = subprocess.run(
            [*make, "-s", "-C", str(headers), f"M={copy}", f"INCLUDE={include}", "modules"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        order = copy / "modules.order"
        names = order.read_text().split() if order.is_file() and not made.returncode else []
        files = [Path(name).with_suffix(".ko") for name in names]
        if not files:
            printed = made.stdout.decode(errors="replace").replace(f"{copy}/", "").strip().splitlines()
            check_space(place, "\n".join(printed))
            lines = [line for line in printed if "error" in line.lower()] or printed
            raise SpinachError(
                "\n".join((f"the driver {sources} cannot be built:", *lines[:_SHOWN_LINES])), help
            )
        # Relative to the headers with some kernels, absolute with others.
        return {file.name: (headers / file).read_bytes() for file in files}


def _built(sources: Path, headers: bytes) -> dict[str, bytes]:
    """Build the modules of a folder, and return them by name, in the order in which they are loaded."""
    with temporary_folder() as place:
        subprocess.run(["tar", "-xzf", "-", "-C", place], input=headers, check=True)
        help = f"correct the driver, and check that everything is installed: {PACKAGES}"
        built = built_modules(sources, MAKE, Path(place), help)
        return {name: _renamed(Path(place) / name, content) for name, content in built.items()}


def _packed(built: Mapping[str, bytes]) -> bytes:
    """Return the archive with modules, numbered in the order in which they are loaded."""
    numbered = (
        document(f"{FOLDER}/{number:02}-{name}", content)
        for number, (name, content) in enumerate(built.items())
    )
    return archive([folder(FOLDER), *numbered])


def _renamed(file: Path, module: bytes) -> bytes:
    """Return a module without functions that have the names of network drivers in the kernel.

    A copy of a driver in the kernel has its names, by which the kernel would refuse to start it, too.
    """
    file.write_bytes(module)
    renamed = [f"--redefine-sym={name}=own_{name}" for name in BUILT_IN]
    subprocess.run([f"{PREFIX}objcopy", *renamed, str(file)], check=True)
    return file.read_bytes()
