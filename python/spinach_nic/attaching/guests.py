"""What runs in the guest: a kernel of the distribution, and files of our own around busybox."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from spinach_nic.attaching.result import DriverFirmware
from spinach_nic.errors import SpinachError

PACKAGES = "apt install qemu-system-x86 linux-image-amd64 busybox-static cpio"

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
    """What a guest boots."""

    kernel: Path
    initial_files: Path
    """The file system in memory that it begins with, as cpio."""
    arguments: str = "console=ttyS0 panic=-1 quiet"
    """The command line of the kernel."""
    firmware: DriverFirmware | None = None
    """What the driver of the card loads into it, if known."""


def linux_guest(
    folder: Path,
    *,
    driver: str,
    firmware: Path,
    firmware_name: str,
    address: str,
    script: str,
    root: Path = Path("/"),
) -> Guest:
    """A guest with the distribution's kernel and its driver, as it is.

    Args:
        folder: Where the files of the guest are made.
        driver: The name of the driver's module.
        firmware: The file that the driver loads.
        firmware_name: What the driver calls it.
        address: Of the card in the guest, as 10.0.0.2/24.
        script: What the guest does, as a shell script; then it powers itself off.
        root: Where `boot` and `lib` of the distribution are.

    Raises:
        SpinachError: A package is missing.
    """
    kernel, module = _kernel_with(driver, root)
    files = folder / "guest"
    for name in ("bin", "dev", "proc", "sys", "tmp"):
        (files / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(_program("busybox"), files / "bin" / "busybox")
    shutil.copy(module, files / "driver.ko")
    place = files / "lib" / "firmware" / firmware_name
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(firmware, place)
    (files / "init").write_text(INIT.format(address=address))
    (files / "init").chmod(0o755)
    (files / "main").write_text(script + "\n")
    initial_files = folder / "guest.cpio"
    names = "\n".join(str(path.relative_to(files)) for path in sorted(files.rglob("*")))
    command = [_program("cpio"), "--quiet", "-o", "-H", "newc", "-O", str(initial_files.resolve())]
    subprocess.run(command, input=names, text=True, cwd=files, check=True)
    checksum = hashlib.sha256(firmware.read_bytes()).hexdigest()
    return Guest(kernel, initial_files, firmware=DriverFirmware(firmware_name, checksum))


def _kernel_with(driver: str, root: Path) -> tuple[Path, Path]:
    """The newest kernel that has a module, and the module."""
    for kernel in sorted(root.glob("boot/vmlinuz-*"), reverse=True):
        version = kernel.name.removeprefix("vmlinuz-")
        for module in (root / "lib" / "modules" / version).rglob(f"{driver}.ko"):
            return kernel, module
    message = f"no kernel in {root / 'boot'} has the driver {driver} as a module"
    raise SpinachError(message, f"install the distribution's kernel: {PACKAGES}")


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise SpinachError(f"the program {name} is not installed", f"install what a guest needs: {PACKAGES}")
    return found
