"""Root file system of a server: an image of Debian's packages for riscv64.

`python -m spinach_nic.servers.root` builds it with mmdebstrap and mke2fs and keeps it in the cache. Packages
are unpacked, not configured, because that would execute programs of the other architecture; the few files
that their scripts would make are added here.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from spinach_nic.support import debian
from spinach_nic.support.cache import cache_folder
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import cannot_read, temporary_folder

SUITE = "trixie"
"""Debian release, unless the environment variable `SUITE` names another."""
PACKAGES = (
    *("base-files", "base-passwd", "bash", "coreutils", "dash", "findutils", "gawk", "grep", "iperf3"),
    *("iproute2", "iputils-ping", "linux-perf", "mount", "netbase", "procps", "python3", "sed", "util-linux"),
)
NAME = "debian"
"""Name of the image for `spinach boot --root`."""
SPARE_BYTES = 256 << 20
"""Free space of the file system."""
_MAGIC, _MAGIC_PLACE = b"\x53\xef", 1080
"""Magic number of ext4 in its superblock, and its place in the image, in bytes."""
COMMAND = "python -m spinach_nic.servers.root"
"""Command that builds the image; `make root` in a checkout."""
_HELP = f"choose another release: `SUITE=forky {COMMAND}`"
_LINKS = {"usr/bin/awk": "gawk", "etc/mtab": "/proc/self/mounts"}
_TEXTS = {
    "etc/hostname": "server\n",
    "etc/hosts": "127.0.0.1 localhost\n10.0.0.1 server1\n10.0.0.2 server2\n",
    "etc/resolv.conf": "",
}


def image() -> Path:
    """Return the path of the image, which need not exist."""
    return cache_folder() / "root" / "debian-riscv64.ext4"


def found(given: Path) -> Path:
    """Return the image that a command line names: a file, or `NAME` for the one that `make root` builds.

    Raises:
        SpinachError: There is no such image, or the file holds no file system.
    """
    if str(given) == NAME and not os.path.exists(given):
        if not image().exists():
            raise SpinachError("the root file system of Debian is not built", f"build one: `{COMMAND}`")
        return image()
    if not os.path.isfile(given):
        raise SpinachError(f"there is no image {given}", f"name a file, or `{NAME}` after `{COMMAND}`")
    help = f"make one with mke2fs -t ext4, or name `{NAME}` after `{COMMAND}`"
    try:
        with open(given, "rb") as file:
            file.seek(_MAGIC_PLACE)
            is_file_system = file.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise cannot_read(given, error, help) from error
    if not is_file_system:
        raise SpinachError(f"{given} is not an ext4 image: it has no superblock of ext4", help)
    return given


def build(suite: str) -> Path:
    """Build the image and return its path.

    Raises:
        SpinachError: A tool is missing, or packages are not available.
    """
    debian.require(("mmdebstrap", "mke2fs"), "mmdebstrap e2fsprogs")
    if os.geteuid() != 0:
        raise SpinachError(
            "only root can make files owned by root", f"run `{COMMAND}` under sudo or fakeroot"
        )
    with temporary_folder() as place:
        tree, made = Path(place) / "tree", Path(place) / "image"
        debian.extract(PACKAGES, [suite], "riscv64", tree, what=f"Debian {suite} for riscv64", help=_HELP)
        _complete(tree)
        used = sum(path.lstat().st_blocks * 512 for path in tree.rglob("*"))
        megabytes = (used + used // 8 + SPARE_BYTES) >> 20
        file_system = ["mke2fs", "-q", "-t", "ext4", "-d", str(tree), str(made), f"{megabytes}M"]
        debian.execute(file_system, what="the image", help=_HELP)
        image().parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, image())
    return image()


def _complete(tree: Path) -> None:
    """Add the files that the scripts of packages would make."""
    for name in ("passwd", "group"):
        shutil.copy(tree / "usr/share/base-passwd" / f"{name}.master", tree / "etc" / name)
    for name, text in _TEXTS.items():
        (tree / name).unlink(missing_ok=True)
        (tree / name).write_text(text)
    for name, target in _LINKS.items():
        (tree / name).unlink(missing_ok=True)
        (tree / name).symlink_to(target)


def main(arguments: Sequence[str] = ()) -> None:
    """Build the image, with `--if-missing` unless it is there, and print its path and size."""
    import click

    is_kept = "--if-missing" in arguments and image().exists()
    try:
        made = image() if is_kept else build(os.environ.get("SUITE") or SUITE)
    except SpinachError as error:
        click.echo(f"error: {error.message}\nhelp: {error.help}", err=True)
        raise SystemExit(error.exit_code) from None
    click.echo(f"root file system: {made}, {made.stat().st_size:,} bytes; `spinach boot --root {NAME}`")


if __name__ == "__main__":
    main(sys.argv[1:])
