"""Boot content of the guest: a kernel of the distribution, and our files around busybox."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from spinach_nic.cards.base.card import Card
from spinach_nic.firmware import Executable, build, write_container
from spinach_nic.runs.attaching.modules import built_module, kernels
from spinach_nic.runs.attaching.packages import PACKAGES, program
from spinach_nic.runs.attaching.result import DriverFirmware
from spinach_nic.support.errors import SpinachError

INIT = """\
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
insmod /driver.ko
ip link set lo up
ip link set eth0 up
ip addr add {address} dev eth0
. /main
sync
poweroff -f
"""


@dataclass(frozen=True)
class Guest:
    """Boot content of a guest."""

    kernel: Path
    initial_files: Path
    """The file system in memory that it begins with, as cpio."""
    arguments: str = "console=ttyS0 panic=-1 quiet"
    """The command line of the kernel."""
    firmware: DriverFirmware | None = None
    """Firmware that the card's driver loads, if known."""


@dataclass(frozen=True)
class Loaded:
    """Firmware that the driver loads into the card."""

    path: Path
    """The file."""
    name: str
    """Name of the file for the driver."""


def container_of(card: Card, firmware: str | None, folder: Path) -> Path:
    """Return the file that the driver of a card loads into it.

    Args:
        card: For this card.
        firmware: Name of an image, or such a file; the card's default if not given.
        folder: Where it is made.

    Raises:
        SpinachError: There is no such image, or it cannot be built.
    """
    if firmware is not None and os.path.isfile(firmware):
        return Path(firmware)
    image = build(
        f"{card.firmware_folder}/{firmware or card.default_firmware}",
        root=card.firmware_root,
        card=card.firmware_map(),
    )
    container = folder / "firmware.bin"
    write_container(Executable.load(image.path), container)
    return container


def linux_guest(
    folder: Path,
    *,
    driver: str,
    address: str,
    script: str,
    sources: str | Path = "",
    firmware: Loaded | None = None,
    programs: Sequence[str] = (),
    root: Path = Path("/"),
) -> Guest:
    """A guest with the distribution's kernel and a driver.

    Args:
        folder: Folder for the files of the guest.
        driver: The name of the driver's module.
        address: Address of the card in the guest, as 10.0.0.2/24.
        script: Shell script of the guest; then it powers itself off.
        sources: Folder of the driver, a path or a name among the shipped firmware, which is built with the
            headers of the kernel; empty for a driver that the kernel has.
        firmware: Firmware that the driver loads.
        programs: Programs of this machine for the guest, in addition to busybox; their libraries come along.
        root: Folder of the distribution's `boot` and `lib`.

    Raises:
        SpinachError: A package or a program is missing, or the driver cannot be built.
    """
    places = {name: _path_of(name) for name in programs}
    kernel, module = built_module(driver, sources, root) if sources else _kernel_with(driver, root)
    files = folder / "guest"
    for name in ("bin", "dev", "proc", "sys", "tmp"):
        (files / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(program("busybox"), files / "bin" / "busybox")
    shutil.copy(module, files / "driver.ko")
    for name, file in places.items():
        _put(file, files / "sbin" / name)
        for library in _libraries(file):
            _put(library, files / library.relative_to("/"))
    loaded = None
    if firmware is not None:
        place = files / "lib" / "firmware" / firmware.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(firmware.path, place)
        loaded = DriverFirmware(firmware.name, hashlib.sha256(firmware.path.read_bytes()).hexdigest())
    (files / "init").write_text(INIT.format(address=address))
    (files / "init").chmod(0o755)
    (files / "main").write_text(script + "\n")
    initial_files = folder / "guest.cpio"
    names = "\n".join(str(path.relative_to(files)) for path in sorted(files.rglob("*")))
    command = [program("cpio"), "--quiet", "-o", "-H", "newc", "-O", str(initial_files.resolve())]
    subprocess.run(command, input=names, text=True, cwd=files, check=True)
    return Guest(kernel, initial_files, firmware=loaded)


def _put(file: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, place)


def _path_of(name: str) -> Path:
    found = shutil.which(name)
    if found is None or os.sep in name:
        what = "no name of a program" if os.sep in name else "not installed"
        raise SpinachError(
            f"the program {name} that the guest is to have is {what}",
            "name one that is on the path, such as ethtool, whose package has the same name",
        )
    return Path(found)


def _libraries(file: Path) -> Iterable[Path]:
    """Return the libraries that a program loads when it starts; none for a static one."""
    listed = subprocess.run(
        [program("ldd"), str(file)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    return [Path(path) for path in re.findall(r"(?:^\s*|=> )(/\S+) \(0x", listed.stdout, re.MULTILINE)]


def _kernel_with(driver: str, root: Path) -> tuple[Path, Path]:
    """The newest kernel that has a module, and the module."""
    for kernel, version in kernels(root):
        for module in (root / "lib" / "modules" / version).rglob(f"{driver}.ko"):
            return kernel, module
    message = f"no kernel in {root / 'boot'} has the driver {driver} as a module"
    raise SpinachError(message, f"install the distribution's kernel: {PACKAGES}")
