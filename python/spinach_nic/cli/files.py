"""Files that a command writes."""

from __future__ import annotations

import sys
from pathlib import Path

from spinach_nic.files import STANDARD_OUTPUT, write_output


def write_text(path: Path | str, text: str) -> None:
    """Write a file that was asked for; `-` is standard output.

    Raises:
        SpinachError: It cannot be written.
    """
    if str(path) == STANDARD_OUTPUT:
        sys.stdout.write(text)
    else:
        write_output(path, text)
