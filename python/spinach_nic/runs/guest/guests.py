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
from spinach_nic.runs.guest.modules import built_module, kernels, uncompressed
from spinach_nic.runs.guest.packages import PACKAGES, program
from spinach_nic.runs.guest.result import DriverFirmware
from spinach_nic.support.errors import SpinachError

INIT = """\
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in /modules/*.ko; do insmod $module; done
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
    """Initramfs, as a cpio archive."""
    arguments: str = "console=ttyS0 panic=-1 quiet no_timer_check cryptomgr.notests"
    """Command line of the kernel, without its timer check: QEMU's timer is late on a busy machine.

    The kernel does not test its ciphers either, which takes a fifth of the boot.
    """
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
        card: The card.
        firmware: Name of an image, or such a file; the card's default if not given.
        folder: Folder for its files.

    Raises:
        SpinachError: There is no such image, or it cannot be built.
    """
    if firmware is not None and os.path.isfile(firmware):
        return Path(firmware)
    image = build(
        f"{card.firmware_folder}/{firmware or card.usual_firmware}",
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
    others: Sequence[str] = (),
    address: str,
    script: str,
    sources: str | Path = "",
    firmware: Loaded | None = None,
    programs: Sequence[str] = (),
    root: Path = Path("/"),
    missing_help: str = "",
) -> Guest:
    """Return a guest with the distribution's kernel and a driver.

    Args:
        folder: Folder for the files of the guest.
        driver: The name of the driver's module.
        others: Further modules of the kernel that the driver works with.
        address: Address of the card in the guest, as 10.0.0.2/24.
        script: Shell script of the guest; then it powers itself off.
        sources: Folder of the driver, a path or a name among the shipped firmware, which is built with the
            headers of the kernel; empty for a driver that the kernel has.
        firmware: Firmware that the driver loads.
        programs: Programs of this machine for the guest, in addition to busybox, or paths of other files,
            which get the same path; the libraries of all come along.
        root: Folder of the distribution's `boot` and `lib`.
        missing_help: Help of the error if no kernel has the driver; by default to install the distribution's.

    Raises:
        SpinachError: A package or a program is missing, or the driver cannot be built.
    """
    places = {name: _path_of(name) for name in programs}
    if sources:
        kernel, module = built_module(driver, sources, root)
        modules = [module]
    else:
        kernel, modules = _kernel_with(driver, others, root, missing_help)
    files = folder / "guest"
    for name in ("bin", "dev", "modules", "proc", "sys", "tmp"):
        (files / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(program("busybox"), files / "bin" / "busybox")
    for number, module in enumerate(modules):
        shutil.copy(module, files / "modules" / f"{number:02}-{module.name}")
    for name, file in places.items():
        _put(file, files / (file.relative_to("/") if os.sep in name else f"sbin/{name}"))
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
    return Guest(uncompressed(kernel), initial_files, firmware=loaded)


def _put(file: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, place)


def _path_of(name: str) -> Path:
    """Return the absolute path of a program or another file.

    Raises:
        SpinachError: There is no such program or file.
    """
    if os.sep in name:
        if not os.path.isfile(name):
            raise SpinachError(f"the file {name} for the guest does not exist", "name an existing file")
        return Path(name).absolute()
    found = shutil.which(name)
    if found is None:
        raise SpinachError(
            f"the program {name} for the guest is not installed",
            "name a program on the search path, such as ethtool (package ethtool), or a file with its path",
        )
    return Path(found)


def _libraries(file: Path) -> Iterable[Path]:
    """Return the libraries that a program loads when it starts; none for a static one."""
    listed = subprocess.run(
        [program("ldd"), str(file)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    return [Path(path) for path in re.findall(r"(?:^\s*|=> )(/\S+) \(0x", listed.stdout, re.MULTILINE)]


def _kernel_with(
    driver: str, others: Sequence[str], root: Path, missing_help: str
) -> tuple[Path, list[Path]]:
    """Return the newest kernel that has a module, and modules in the order in which they are loaded."""
    for kernel, version in kernels(root):
        folder = root / "lib" / "modules" / version
        names = _dependencies(folder)
        wanted = [names.get(name) for name in (*others, driver)]
        if all(wanted):
            return kernel, _in_order(folder, [name for name in wanted if name])
    message = f"no kernel in {root / 'boot'} has the driver {driver} as a module"
    raise SpinachError(message, missing_help or f"install the distribution's kernel: {PACKAGES}")


def _dependencies(folder: Path) -> dict[str, str]:
    """Return the files of modules by name, relative to their folder."""
    found = ((path.name.removesuffix(".ko"), str(path.relative_to(folder))) for path in folder.rglob("*.ko"))
    return {name.replace("-", "_"): file for name, file in found}


def _in_order(folder: Path, wanted: Sequence[str]) -> list[Path]:
    """Return modules in the order of their dependences, as listed in `modules.dep` of the kernel."""
    needs: dict[str, list[str]] = {}
    listed = folder / "modules.dep"
    for line in listed.read_text().splitlines() if listed.is_file() else ():
        file, _, needed = line.partition(":")
        # `modules.dep` lists dependences in reverse order of loading.
        needs[file] = needed.split()[::-1]
    ordered: dict[str, None] = {}
    for file in wanted:
        ordered |= dict.fromkeys((*needs.get(file, ()), file))
    return [folder / file for file in ordered]
