"""`spinach console`: a terminal at the serial line of a card."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO

import click

from spinach_nic import signals
from spinach_nic.cli.requests import RunRequest, takes_run_request, tell_failure
from spinach_nic.errors import SpinachError

LEAVE = b"\x1d"
"""Control and ]."""


@click.command
@takes_run_request
@click.option("--send", "sent", multiple=True, metavar="LINE", help="Type a line; may be given again.")
@click.option(
    "--expect",
    "expected",
    multiple=True,
    metavar="TEXT",
    help="Wait until the card says this, then type the next line, or end after the last.",
)
def command(request: RunRequest, sent: Sequence[str], expected: Sequence[str]) -> None:
    """Simulate NIC with a terminal at its serial line.

    The terminal is this one; another can be opened at the pseudo-terminal that is named. Control and ] ends
    the run. With --send and --expect nobody needs to sit there.

    Example: spinach console ricenic --send stats --expect "frames sent"
    """
    from spinach_nic.running import ConsoleRequest
    from spinach_nic.servers import SERVERS
    from spinach_nic.units import s

    if request.nic in SERVERS:
        raise SpinachError(f"{request.nic} is a server, not a NIC", f"spinach boot {request.nic}")
    if "frames" not in request.options and "time" not in request.options:
        request.options["time"] = s(1000)
    with signals.kept_off():  # but for the work before the end of the run
        if sent or expected:
            script = _Script(list(sent), list(expected))
            finished = request.carry_out(console=ConsoleRequest(script))
            script.check()
        else:
            with _own_terminal() as terminal:
                finished = request.carry_out(console=ConsoleRequest(terminal))
    if finished.ending.kind != "interrupted":
        tell_failure(finished)


@dataclass
class _Script:
    """Types lines and waits for what the card says."""

    lines: list[str]
    expected: list[str]
    _seen: bytes = b""
    _is_begun: bool = field(default=False, init=False)

    def exchange(self, output: bytes) -> bytes | None:
        sys.stdout.buffer.write(output)
        sys.stdout.buffer.flush()
        self._seen += output
        if not self._is_begun:
            self._is_begun = True
            return self._next_line()
        if self.expected:
            _, found, behind = self._seen.partition(self.expected[0].encode())
            if not found:
                return b""
            self.expected.pop(0)
            self._seen = behind
        return self._next_line() if self.lines or self.expected else None

    def _next_line(self) -> bytes:
        return f"{self.lines.pop(0)}\r".encode() if self.lines else b""

    def check(self) -> None:
        """See that the card has said everything.

        Raises:
            SpinachError: It has not.
        """
        if self.expected:
            message = f"the card has not said {self.expected[0]!r} until the run ended"
            raise SpinachError(message, "let it run longer with --time, or expect something else")


@dataclass(frozen=True)
class _Terminal:
    """The terminal of the person, and a pseudo-terminal that others can open."""

    inputs: Sequence[int]
    output: BinaryIO
    pseudo: int

    def exchange(self, output: bytes) -> bytes | None:
        if output:
            self.output.write(output)
            self.output.flush()
            with _whatever_fits():
                os.write(self.pseudo, output)
        typed = b""
        for source in select.select(self.inputs, (), (), 0)[0]:
            with _whatever_fits():
                piece = os.read(source, 1024)
                if source != self.pseudo and (not piece or LEAVE in piece):
                    return None
                typed += piece
        return typed


@contextmanager
def _whatever_fits() -> Iterator[None]:
    """Nobody may have the other end open, or read there."""
    try:
        yield
    except (BlockingIOError, OSError):
        return


@contextmanager
def _own_terminal() -> Iterator[_Terminal]:
    pseudo, other = os.openpty()
    os.set_blocking(pseudo, False)
    click.echo(f"the console is also at {os.ttyname(other)}; control and ] ends the run", err=True)
    own = sys.stdin.fileno()
    settings = termios.tcgetattr(own) if os.isatty(own) else None
    try:
        tty.setraw(other)
        if settings is not None:
            tty.setraw(own)
        yield _Terminal((own, pseudo), sys.stdout.buffer, pseudo)
    finally:
        if settings is not None:
            termios.tcsetattr(own, termios.TCSADRAIN, settings)
        os.close(pseudo)
        os.close(other)
