"""Commands at a pseudo-terminal of a random size, with random keys."""

import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path

KEYS = (b" ", b"q", b"x", b"\t", b"\x1b[A", b"\x1b[6~", b"\x03", b"\x10", b"\x1b", b"\xff", b"stats\r")
"""Keys of `watch` and of the console of a card, and others."""
LEAVING = (b"\x1b", b"q", b"\x1d")
"""Keys that leave every command: Escape closes what covers the screen of `watch`."""
SIZES = ((50, 120), (24, 80), (1, 1), (2, 300), (200, 10))
"""Rows and columns."""
BETWEEN_KEYS_S = 0.15
LONGEST_SECONDS = 60.0


def at_terminal(
    line: Sequence[str],
    longest_s: float = LONGEST_SECONDS,
    keys: Sequence[bytes | tuple[bytes, bytes]] | None = None,
    size: tuple[int, int] | None = None,
) -> tuple[int, str]:
    """Carry out a command line in a separate process at a terminal; return its exit code and its output.

    It can import modules of the tests. It gets `keys`, or a few random ones, which depend on the line, and
    then the keys that leave a command.

    Args:
        line: The command line.
        longest_s: Maximum time of the command.
        keys: Keys, in pairs with an output that comes before, if the command has to be ready.
        size: Rows and columns; random ones, which depend on the line, by default.

    Raises:
        TimeoutError: It does not end.
    """
    chance = random.Random(" ".join(line))
    given = [chance.choice(KEYS) for _ in range(chance.randrange(8))] if keys is None else keys
    left = [key if isinstance(key, tuple) else (b"", key) for key in given]
    own, other = pty.openpty()
    termios.tcsetwinsize(other, size or chance.choice(SIZES))
    command = [sys.executable, "-m", "spinach_nic", *line]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    process = subprocess.Popen(
        command, stdin=other, stdout=other, stderr=other, start_new_session=True, env=environment
    )
    os.close(other)
    said, typed, typed_at = b"", b"", 0.0
    until = time.monotonic() + longest_s
    try:
        while (piece := _next(own)) is not None:
            if time.monotonic() > until:
                raise TimeoutError(f"no end after {longest_s} s, typed {typed!r}, output {said[-300:]!r}")
            said += piece
            # Before there is output, the command is not ready for keys.
            awaited = left[0][0] if left else b""
            if said and awaited in said and time.monotonic() > typed_at + BETWEEN_KEYS_S:
                key = left.pop(0)[1] if left else chance.choice(LEAVING)
                os.write(own, key)
                typed, typed_at = typed + key, time.monotonic()
        return process.wait(timeout=longest_s), said.decode(errors="replace")
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        os.close(own)


def read_until(descriptor: int, pattern: bytes, longest_s: float = LONGEST_SECONDS) -> bytes:
    """Return the output of a command at a terminal up to one that matches a pattern.

    Raises:
        TimeoutError: There is none, or the command has ended.
    """
    said, until = b"", time.monotonic() + longest_s
    while not re.search(pattern, said):
        piece = _next(descriptor)
        if piece is None or time.monotonic() > until:
            raise TimeoutError(f"no {pattern!r} in {said[-300:]!r}")
        said += piece
    return said


def _next(descriptor: int) -> bytes | None:
    """Return the next output, or no bytes after an interval without; `None` when the command has ended."""
    if not select.select([descriptor], (), (), BETWEEN_KEYS_S)[0]:
        return b""
    try:
        return os.read(descriptor, 1 << 16) or None
    except OSError:  # the other end is closed
        return None
