"""Network namespaces for tests; names end in the number of the process, so that the next can sweep."""

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

MADE = Path("/run/netns")
_NAME = re.compile(r"s[a-z]([0-9]+)")


def own(letter: str) -> str:
    """A name for a namespace or a device of this process; devices have at most 15 characters."""
    return f"s{letter}{os.getpid()}"


@contextmanager
def namespaces(*names: str) -> Iterator[None]:
    """Make namespaces of these names, and remove them with the devices inside; skip where there can be none.

    Those that killed tests have left are removed first.
    """
    remove(left_behind())
    try:
        for name in names:
            subprocess.run(["ip", "netns", "add", name], check=True, capture_output=True, timeout=10)
    except (OSError, subprocess.CalledProcessError) as error:
        remove(names)
        pytest.skip(f"network namespaces cannot be made: {error}")
    try:
        yield
    finally:
        remove(names)


def left_behind() -> list[str]:
    """Namespaces of test processes that are gone."""
    names = os.listdir(MADE) if MADE.exists() else []
    owners = {name: found[1] for name in names if (found := _NAME.fullmatch(name))}
    return [name for name, owner in owners.items() if not Path("/proc", owner).exists()]


def remove(names: Iterable[str]) -> None:
    """Remove those that there are."""
    for name in names:
        subprocess.run(["ip", "netns", "del", name], capture_output=True, timeout=10)
