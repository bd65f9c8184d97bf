"""Files that a command writes."""

from __future__ import annotations

import sys
from pathlib import Path

from spinach_nic.errors import SpinachError


def write_text(path: Path | str, text: str) -> None:
    """Write a file that was asked for; `-` is standard output.

    Raises:
        SpinachError: It cannot be written.
    """
    if str(path) == "-":
        sys.stdout.write(text)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        # A name with a null character in it is a ValueError.
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SpinachError(f"cannot write {path}: {reason}", "name another file") from error
