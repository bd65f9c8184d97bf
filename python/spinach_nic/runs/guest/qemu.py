"""QEMU from Debian's backports, for machines whose QEMU is older than 10.1 and has no devices of vfio-user.

`python -m spinach_nic.runs.guest.qemu` extracts it with mmdebstrap and keeps it in the cache, with its
libraries and their dynamic loader, so that it does not depend on those of this machine.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from spinach_nic.support import debian
from spinach_nic.support.cache import cache_folder
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import temporary_folder

SUITES = ("trixie", "trixie-backports")
PACKAGES = ("qemu-system-x86",)
NAME = "qemu-system-x86_64"
_KEPT = (
    *(f"./usr/bin/{NAME}", "./usr/lib/x86_64-linux-gnu", "./usr/lib64"),
    *("./usr/share/qemu", "./usr/share/seabios"),
)
_HELP = f"use an x86-64 machine that reaches {debian.MIRROR}"
_SCRIPT = f"""\
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")/usr
export QEMU_MODULE_DIR="$here/lib/x86_64-linux-gnu/qemu"
exec "$here/lib64/ld-linux-x86-64.so.2" --library-path "$here/lib/x86_64-linux-gnu" "$here/bin/{NAME}" \\
    -L "$here/share/qemu" -L "$here/share/seabios" "$@"
"""


def program() -> Path:
    """Return the path of the program, which need not exist."""
    return cache_folder() / "qemu" / NAME


def build() -> Path:
    """Extract the program, and return its path.

    Raises:
        SpinachError: A tool is missing, packages are not available, or the program does not start.
    """
    debian.require(("mmdebstrap", "tar"), "mmdebstrap tar")
    what = f"QEMU of Debian {SUITES[-1]}"
    with temporary_folder() as place:
        archive, tree = place / "packages.tar", place / "tree"
        debian.extract(PACKAGES, SUITES, "amd64", archive, what=what, help=_HELP)
        tree.mkdir()
        unpack = ["tar", "--extract", f"--file={archive}", f"--directory={tree}", *_KEPT]
        debian.execute(unpack, what=what, help=_HELP)
        (tree / NAME).write_text(_SCRIPT)
        (tree / NAME).chmod(0o755)
        debian.execute([str(tree / NAME), "--version"], what=what, help=_HELP)
        folder = program().parent
        if folder.exists():
            shutil.rmtree(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(tree, folder)
    return program()


def main(arguments: Sequence[str] = ()) -> None:
    """Extract the program, with `--if-missing` unless it is there, and print its version and path."""
    import click

    is_kept = "--if-missing" in arguments and program().exists()
    try:
        made = program() if is_kept else build()
        version = debian.execute([str(made), "--version"], what="QEMU", help=_HELP).splitlines()[0]
    except SpinachError as error:
        click.echo(f"error: {error.message}\nhelp: {error.help}", err=True)
        raise SystemExit(error.exit_code) from None
    click.echo(f"{version}: {made}")


if __name__ == "__main__":
    main(sys.argv[1:])
