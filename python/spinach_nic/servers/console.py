"""A person's terminal as the console of a server."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from spinach_nic import _native
from spinach_nic.servers import SLICE_CYCLES

LEAVE = b"\x1d"
"""Ctrl-], which leaves a server that goes on."""
_CHUNK = 4096
_QUIET_S = 2.5
"""Simulated seconds without a character, after which a server has nothing more to say. A kernel looks at its
console every two seconds when nothing happens there."""


def show(output: bytes) -> None:
    """Write what a server printed to standard output, as it is."""
    sys.stdout.flush()
    while output:
        output = output[os.write(sys.stdout.fileno(), output) :]


@contextmanager
def _raw() -> Iterator[None]:
    """While characters go to the server one by one, as they are typed."""
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setraw(descriptor)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def converse(server: _native.Server) -> str:
    """Connect this process's terminal until the server ends or the person leaves; how it ended.

    Where standard input is no terminal, what it holds is typed, and the server is left when it has answered.

    Returns:
        "off", "failed" or "left".
    """
    if sys.stdin.isatty():
        with _raw():
            return _converse_with_person(server)
    return _type_all(server, sys.stdin.buffer.read())


def _converse_with_person(server: _native.Server) -> str:
    hertz = server.time()[1]
    pause_s = 0.0
    while True:
        # A server that waits for a person waits as long as it thinks.
        if select.select([sys.stdin], [], [], pause_s)[0]:
            typed = os.read(sys.stdin.fileno(), _CHUNK)
            if not typed or LEAVE in typed:
                return "left"
            server.type_in(typed)
        state = server.run(SLICE_CYCLES)
        show(server.take_output())
        if state in ("off", "failed"):
            return state
        pause_s = SLICE_CYCLES / hertz if state == "idle" and not server.unread() else 0.0


def _type_all(server: _native.Server, typed: bytes) -> str:
    server.type_in(typed)
    last, hertz = server.time()
    while True:
        state = server.run(SLICE_CYCLES)
        output = server.take_output()
        show(output)
        if state in ("off", "failed"):
            return state
        now = server.time()[0]
        if output or server.unread():
            last = now
        elif now - last > _QUIET_S * hertz:
            return "left"
