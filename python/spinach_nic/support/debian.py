"""Packages of Debian, extracted without being installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from spinach_nic.support.errors import SpinachError

MIRROR = "http://deb.debian.org/debian"
_SHOWN_LINES = 8


def extract(
    packages: Sequence[str], suites: Sequence[str], architecture: str, place: Path, *, what: str, help: str
) -> None:
    """Extract packages and all that they depend on. mmdebstrap verifies the signatures of their lists.

    Args:
        packages: Names of the packages.
        suites: Releases, such as trixie. Packages of the last one are preferred.
        architecture: Debian's name of the architecture.
        place: Folder to make, or an archive if its name ends in `.tar`.
        what: Subject of errors.
        help: Help of errors.

    Raises:
        SpinachError: Packages are not available.
    """
    options = ["--variant=extract", f"--architectures={architecture}", f"--include={','.join(packages)}"]
    # Mirrors that are kept back have an old list of packages, which is still signed.
    options.append('--aptopt=Acquire::Check-Valid-Until "false"')
    options.append(f'--aptopt=APT::Default-Release "{suites[-1]}"')
    sources = [f"deb [arch={architecture}] {MIRROR} {suite} main" for suite in suites]
    execute(["mmdebstrap", *options, suites[0], str(place), *sources], what=what, help=help)


def execute(command: Sequence[str], *, what: str, help: str) -> str:
    """Execute a command that builds something, and return its output.

    Raises:
        SpinachError: It fails; the message has its last lines.
    """
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    printed = done.stdout.decode(errors="replace").strip()
    if done.returncode:
        last = printed.splitlines()[-_SHOWN_LINES:]
        raise SpinachError("\n".join((f"{what} cannot be built:", *last)), help)
    return printed


def require(tools: Sequence[str], packages: str) -> None:
    """Check that tools are installed.

    Raises:
        SpinachError: One is missing; the help is to install `packages`.
    """
    for tool in tools:
        if shutil.which(tool) is None:
            raise SpinachError(f"{tool} is not installed", f"apt install {packages}")
