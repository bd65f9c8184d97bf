"""The user's terminal in raw mode, and the key that leaves a console."""

from __future__ import annotations

import os
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager

LEAVE = b"\x1d"
"""Ctrl-], which leaves a console."""


@contextmanager
def raw(descriptor: int) -> Iterator[None]:
    """Put a terminal into raw mode; do nothing if the descriptor is another file."""
    if not os.isatty(descriptor):
        yield
        return
    before = termios.tcgetattr(descriptor)
    tty.setraw(descriptor)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
