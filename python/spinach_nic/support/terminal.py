"""Consoles at the user's terminal: raw mode, the key that leaves, and the output."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import contextmanager

from spinach_nic.support.limits import printable_console

LEAVE = b"\x1d"
"""Ctrl-], which leaves a console."""
_LONGEST_PIECE = 4096
_is_raw = False
"""True while a terminal is in raw mode."""


@contextmanager
def raw(descriptor: int) -> Iterator[None]:
    """Put a terminal into raw mode; do nothing if the descriptor is another file."""
    global _is_raw
    if not os.isatty(descriptor):
        yield
        return
    before = termios.tcgetattr(descriptor)
    tty.setraw(descriptor)
    _is_raw = True
    try:
        yield
    finally:
        _is_raw = False
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def typed(descriptor: int, wait_s: float = 0.0) -> bytes | None:
    """Return the input of a console within a time; `None` if the user leaves, or the input ends."""
    if not select.select([descriptor], (), (), wait_s)[0]:
        return b""
    try:
        piece = os.read(descriptor, _LONGEST_PIECE)
    except OSError:  # the terminal is gone
        return None
    return None if not piece or LEAVE in piece else piece


class ConsoleWriter:
    """Writer of a console's output: unchanged to a terminal in raw mode, else escaped."""

    def __init__(self, *, stderr: bool = False) -> None:
        """Write to standard error if true, else to standard output."""
        self._stderr = stderr
        self._decoder = getincrementaldecoder("utf-8")("replace")

    def write(self, output: bytes) -> None:
        """Write at once."""
        if not output:
            return
        stream = sys.stderr if self._stderr else sys.stdout
        if not (_is_raw and stream.isatty()):
            output = printable_console(self._decoder.decode(output)).encode()
        stream.flush()
        stream.buffer.write(output)
        stream.buffer.flush()
