"""Packages of this machine that a guest needs."""

from __future__ import annotations

import shutil

from spinach_nic.support.errors import SpinachError

PACKAGES = "apt install qemu-system-x86 linux-image-amd64 busybox-static cpio"
HEADERS = "apt install linux-headers-amd64 make"
"""Packages that our drivers need in addition."""


def program(name: str) -> str:
    """Return the path of a program.

    Raises:
        SpinachError: The program is not installed.
    """
    found = shutil.which(name)
    if found is None:
        packages = HEADERS if name == "make" else PACKAGES
        raise SpinachError(f"the program {name} is not installed", f"install what a guest needs: {packages}")
    return found
