"""Terminal of the user as the console of one or two servers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, Protocol

from spinach_nic.servers import PANIC, SLICE_CYCLES
from spinach_nic.support.terminal import ConsoleWriter, raw
from spinach_nic.support.terminal import typed as typed_at

OTHER = b"\x14"
"""Ctrl-T: connects the terminal to the other server."""
FOR_SECOND = b"@2 "
"""Prefix of lines for the second server."""
_LONGEST_LINE = 4096
"""Bytes of an incomplete line that are shown with the next output at the latest."""
Ending = Literal["off", "exited", "failed", "killed", "left", "restarts", "ended", "measured", "interrupted"]
_ENDS: dict[str, Ending] = {
    "off": "off",
    "failed": "failed",
    "killed": "killed",
    "restarts": "restarts",
    "ended": "ended",
}
"""States in which the server has ended."""
QUIET_S = 2.5
"""Simulated seconds without output, after which a server counts as quiet. A kernel looks at its
console every two seconds when nothing happens there."""


_writer = ConsoleWriter()
"""Writer of the output of servers: to standard error while standard output is for a document."""


@contextmanager
def on_stderr(is_on_stderr: bool) -> Iterator[None]:
    """Show consoles on standard error if true, else on standard output."""
    global _writer
    _writer = ConsoleWriter(stderr=is_on_stderr)
    try:
        yield
    finally:
        _writer = ConsoleWriter()


def show(output: bytes) -> None:
    """Write the output of a server."""
    _writer.write(output)


class Consoles(Protocol):
    """Servers with a console each, as `_native.Server` has them."""

    def nodes(self) -> int:
        """Return the number of servers."""

    def run(self, cycles: int) -> str:
        """Run for a number of cycles; "time", "idle", "off", "failed", "restarts" or "called".

        "held" if a debugger holds the servers, "killed" if it has ended the run; "ended" if the network at
        their wire has.
        """

    def take_output(self, node: int = 0) -> bytes:
        """Take the output of a server."""

    def type_in(self, characters: bytes, node: int = 0) -> None:
        """Type at a server's console."""

    def unread(self) -> int:
        """Return the number of typed characters not read yet."""

    def time(self) -> tuple[int, int]:
        """Cycles since the start, and how many of these are a second."""


def now_ns(server: Consoles) -> int:
    """Return the simulated time of servers, in nanoseconds."""
    cycles, hertz = server.time()
    return cycles * 10**9 // hertz


class _Screen:
    """Output of servers on one terminal: with two servers, each line names its server."""

    def __init__(self, server: Consoles, *, whole_lines: bool = False) -> None:
        """Show lines of two servers only when they are complete, if true: no line is divided by another."""
        self._server = server
        self._nodes = range(server.nodes())
        self._at: int | None = None
        self._whole_lines = whole_lines and len(self._nodes) > 1
        self._begun = dict.fromkeys(self._nodes, b"")
        """Incomplete line of each server."""
        self._recent = dict.fromkeys(self._nodes, b"")
        self.shows_panic = False
        """True if the kernel of a server has panicked."""

    def follow(self) -> bool:
        """Show the output; return true if there was any."""
        outputs = [(node, self._server.take_output(node)) for node in self._nodes]
        for node, output in outputs:
            recent = self._recent[node] + output
            self.shows_panic = self.shows_panic or PANIC.search(recent) is not None
            self._recent[node] = recent[-_LONGEST_LINE:]
            show(output if len(self._nodes) == 1 else self._marked(node, self._complete(node, output)))
        return any(output for _, output in outputs)

    def finish(self) -> None:
        """Show what is left of incomplete lines."""
        for node, rest in self._begun.items():
            show(self._marked(node, rest))
        self._begun = dict.fromkeys(self._nodes, b"")

    def _complete(self, node: int, output: bytes) -> bytes:
        """Return the part of the output to show now."""
        if not self._whole_lines:
            return output
        known = self._begun[node] + output
        end = known.rfind(b"\n") + 1
        if len(known) - end > _LONGEST_LINE:
            end = len(known)
        self._begun[node] = known[end:]
        return known[:end]

    def _marked(self, node: int, output: bytes) -> bytes:
        marked = b""
        for line in output.splitlines(keepends=True):
            if self._at != node:
                marked += (b"" if self._at is None else b"\r\n") + b"%d| " % (node + 1)
            self._at = None if line.endswith(b"\n") else node
            marked += line
        return marked


def converse(
    server: Consoles,
    quiet_s: float = QUIET_S,
    has_ended: Callable[[], bool] = lambda: False,
    typed: bytes | None = None,
) -> Ending:
    """Connect this process's terminal until the server ends or the user leaves; return the ending.

    If standard input is not a terminal, its content is typed, and the server is left when it has answered.
    The second of two servers receives the lines that begin with `@2`.

    Args:
        server: The servers.
        quiet_s: Simulated seconds without a character after which they are considered finished.
        has_ended: Called after each run; true if a program that was waited for has ended.
        typed: Input in place of that of a standard input that is not a terminal.

    Returns:
        "off", "exited", "failed", "killed", "restarts" or "left".
    """
    if typed is None and sys.stdin.isatty():
        with raw(sys.stdin.fileno()):
            return _converse_with_person(server, has_ended)
    return _type_all(server, sys.stdin.buffer.read() if typed is None else typed, quiet_s, has_ended)


def _converse_with_person(server: Consoles, has_ended: Callable[[], bool]) -> Ending:
    hertz, screen = server.time()[1], _Screen(server)
    pause_s, node = 0.0, 0
    while True:
        # A server that waits for a person waits as long as it thinks.
        if (typed := typed_at(sys.stdin.fileno(), pause_s)) is None:
            return "left"
        if OTHER in typed:
            node = (node + 1) % server.nodes()
            typed = typed.replace(OTHER, b"")
        if typed:
            server.type_in(typed, node)
        state = server.run(SLICE_CYCLES)
        screen.follow()
        if has_ended():
            return "exited"
        if state in _ENDS:
            return _ENDS[state]
        pause_s = SLICE_CYCLES / hertz if state == "idle" and not server.unread() else 0.0


def _type_all(server: Consoles, typed: bytes, quiet_s: float, has_ended: Callable[[], bool]) -> Ending:
    for line in typed.splitlines(keepends=True):
        is_for_second = server.nodes() > 1 and line.startswith(FOR_SECOND)
        server.type_in(line.removeprefix(FOR_SECOND) if is_for_second else line, int(is_for_second))
    screen = _Screen(server, whole_lines=True)
    try:
        return _follow_until_quiet(server, screen, quiet_s, has_ended)
    finally:
        screen.finish()


def _follow_until_quiet(
    server: Consoles, screen: _Screen, quiet_s: float, has_ended: Callable[[], bool]
) -> Ending:
    last, hertz = server.time()
    while True:
        state = server.run(SLICE_CYCLES)
        has_printed = screen.follow()
        if has_ended():
            return "exited"
        if state in _ENDS:
            return _ENDS[state]
        if screen.shows_panic:
            return "failed"
        now = server.time()[0]
        if has_printed or server.unread():
            last = now
        elif now - last > quiet_s * hertz:
            return "left"
