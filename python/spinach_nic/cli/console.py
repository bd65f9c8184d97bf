"""`spinach console`: a terminal at the serial line of a card."""

from __future__ import annotations

import os
import sys
import tty
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from spinach_nic.cli.requests import RunRequest, takes_run_request, tell_failure
from spinach_nic.cli.sections import SectionedCommand
from spinach_nic.support import signals
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.representations import amount
from spinach_nic.support.terminal import ConsoleWriter, raw, typed

if TYPE_CHECKING:
    from spinach_nic.runs import Terminal

QUIET_EXCHANGES = 20
"""Exchanges without output that end an answer, or a line without a newline, such as a prompt: a millisecond
of the card."""
LONGEST_WAIT_EXCHANGES = 2000
"""Exchanges in which the card begins to answer a typed line: 100 milliseconds of the card."""


class _ScriptCommand(SectionedCommand):
    """A command that keeps the order of `--send` and `--expect`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        _, _, order = self.make_parser(ctx).parse_args(list(args))
        ctx.meta[_ORDER] = [option.name for option in order if option.name in ("sent", "expected")]
        return super().parse_args(ctx, args)


_ORDER = f"{__name__}.order"


@click.command(cls=_ScriptCommand)
@takes_run_request
@click.option("--send", "sent", multiple=True, metavar="LINE", help="Type a line. Repeatable.")
@click.option("--expect", "expected", multiple=True, metavar="TEXT", help="Wait for this text. Repeatable.")
@click.pass_context
def command(
    context: click.Context, request: RunRequest, sent: Sequence[str], expected: Sequence[str]
) -> None:
    """Simulate NIC with a terminal at its serial line.

    The terminal is this one; another can be opened at the pseudo-terminal that is named. Control and ] ends
    the run. Lines from a pipe or a file are typed one by one, and the run ends after the last answer. --send
    and --expect are steps of a script, in the order given; the run ends after the answer to a last --send,
    and at the end of the line of a last --expect. The exit code is 2 if --frames or --time ends the run
    earlier.

    Example: spinach console ricenic --send stats --expect "frames sent"
    """
    from spinach_nic.runs import ConsoleRequest
    from spinach_nic.servers import SERVERS
    from spinach_nic.support.units import s

    if request.nic in SERVERS:
        raise SpinachError(f"{request.nic} is a server, not a NIC", f"spinach boot {request.nic}")
    if "frames" not in request.options and "time" not in request.options:
        request.options["time"] = s(1000)
    typing: _Script | _Lines
    with signals.kept_off():  # but for the work before the end of the run
        if sent or expected:
            texts = {"sent": iter(sent), "expected": iter(expected)}
            typing = script = _Script([(kind, next(texts[kind])) for kind in context.meta[_ORDER]])
            finished = request.carry_out(console=ConsoleRequest(script))
        else:
            typing = lines = _Lines()
            with opened_later(_own_terminal(lines)) as terminal:
                finished = request.carry_out(console=ConsoleRequest(terminal))
    if finished.ending.kind != "interrupted":
        tell_failure(finished)
    typing.check()


@dataclass
class _Answer:
    """Answer of the card to a typed line. It is complete when the card is silent after output."""

    line: str
    _silent: int = field(default=0, init=False)
    """Exchanges without output."""
    _has_begun: bool = field(default=False, init=False)

    def take(self, *, has_output: bool) -> None:
        """Note an exchange."""
        self._silent = 0 if has_output else self._silent + 1
        self._has_begun |= has_output

    @property
    def is_complete(self) -> bool:
        return self._has_begun and self._silent >= QUIET_EXCHANGES

    @property
    def is_missing(self) -> bool:
        return not self._has_begun and self._silent >= LONGEST_WAIT_EXCHANGES

    def check(self) -> None:
        """Check that the card answered.

        Raises:
            SpinachError: It did not.
        """
        if self.is_missing:
            message = f"the card did not answer {self.line!r} within {LONGEST_WAIT_EXCHANGES} exchanges"
            raise SpinachError(message, "look at its firmware, as with `spinach debug`")
        if not self.is_complete:
            raise SpinachError(f"the run ended before the card answered {self.line!r}", _RUN_LONGER)


_RUN_LONGER = "run longer with --time or --frames, or type less"


def _untyped(text: str, left: str) -> SpinachError:
    return SpinachError(f"the run ended before {text!r} was typed, with {left} left", _RUN_LONGER)


@dataclass
class _Script:
    """A terminal that types lines and waits for output, step by step."""

    steps: list[tuple[str, str]]
    """Remaining steps: `sent` or `expected`, and the text."""
    _seen: bytes = field(default=b"", init=False)
    """Output since the last step."""
    _answer: _Answer | None = field(default=None, init=False)
    """Answer to the line that was typed last, unless an `expected` step followed."""
    _quiet: int = field(default=0, init=False)
    _writer: ConsoleWriter = field(default_factory=ConsoleWriter, init=False)

    def exchange(self, output: bytes) -> bytes | None:
        if self._answer is not None:
            self._answer.take(has_output=bool(output))
            is_last, is_over = not self.steps, self._answer.is_complete or self._answer.is_missing
            if self._answer.is_missing or is_last or not is_over:
                self._seen += output
                self._writer.write(output)
                return None if is_over else b""
        if not self.steps:
            return self._end_of_line(output)
        self._seen += output
        kind, text = self.steps[0]
        behind = self._seen
        if kind == "expected":
            _, found, behind = self._seen.partition(text.encode())
            if not found:
                self._writer.write(output)
                return b""
        self.steps.pop(0)
        self._seen = behind
        awaits = kind == "sent" and (not self.steps or self.steps[0][0] == "sent")
        self._answer = _Answer(text) if awaits else None
        if self.steps or kind == "sent":
            self._writer.write(output)
            return f"{text}\r".encode() if kind == "sent" else b""
        rest = output[-len(behind) :] if behind else b""
        self._writer.write(output[: len(output) - len(rest)])
        return self._end_of_line(rest)

    def _end_of_line(self, output: bytes) -> bytes | None:
        line, newline, _ = output.partition(b"\n")
        self._writer.write(line + newline)
        self._quiet = 0 if output else self._quiet + 1
        return None if newline or self._quiet == QUIET_EXCHANGES else b""

    def check(self) -> None:
        """Check that every step was taken and the last line answered.

        Raises:
            SpinachError: A step is left, or the card did not answer.
        """
        if self._answer is not None:
            self._answer.check()
        if self.steps:
            kind, text = self.steps[0]
            if kind == "expected":
                message = f"the run ended before the card printed {text!r}"
                raise SpinachError(message, "run longer with --time, or expect other text")
            raise _untyped(text, f"{amount(len(self.steps), 'step')} of the script")


@dataclass(frozen=True)
class PseudoTerminal:
    """A terminal that other programs can open."""

    descriptor: int

    def exchange(self, output: bytes) -> bytes:
        """Show as much output as fits, and return the typed input."""
        if output:
            with _whatever_fits():
                os.write(self.descriptor, output)
        with _whatever_fits():
            return os.read(self.descriptor, 1024)
        return b""


@dataclass(frozen=True)
class _Terminal:
    """The user's terminal, and another."""

    own: int
    writer: ConsoleWriter
    other: PseudoTerminal

    def exchange(self, output: bytes) -> bytes | None:
        self.writer.write(output)
        other, own = self.other.exchange(output), typed(self.own)
        return None if own is None else other + own


@dataclass
class _Lines:
    """Lines to type, each once the line before is answered."""

    waiting: list[bytes] = field(default_factory=list, init=False)
    answer: _Answer | None = field(default=None, init=False)
    """Answer to the last typed line."""

    def check(self) -> None:
        """Check that every line was typed and answered.

        Raises:
            SpinachError: A line is left, or the card did not answer.
        """
        if self.answer is not None:
            self.answer.check()
        if self.waiting:
            raise _untyped(_text(self.waiting[0]), f"{amount(len(self.waiting), 'line')} of the input")


def _text(line: bytes) -> str:
    return line.decode(errors="replace").rstrip("\r\n")


@dataclass
class _Input:
    """Standard input from a pipe or a file, and a terminal.

    Each line is typed once the line before is answered. The run ends after the answer to the last.
    """

    own: int
    writer: ConsoleWriter
    other: PseudoTerminal
    lines: _Lines
    _is_at_end: bool = field(default=False, init=False)

    def exchange(self, output: bytes) -> bytes | None:
        self.writer.write(output)
        other = self.other.exchange(output)
        own = None if self._is_at_end else typed(self.own)
        self._is_at_end = own is None
        lines, answer = self.lines, self.lines.answer
        lines.waiting += (own or b"").splitlines(keepends=True)
        if answer is not None:
            answer.take(has_output=bool(output or other))
            if answer.is_missing:
                return None
            if not answer.is_complete:
                return other
        if other:
            return other
        if lines.waiting:
            line = lines.waiting.pop(0)
            lines.answer = _Answer(_text(line))
            return line
        return None if self._is_at_end else b""


@contextmanager
def _whatever_fits() -> Iterator[None]:
    """Ignore errors of another end that is closed, or does not read."""
    try:
        yield
    except (BlockingIOError, OSError):
        return


@contextmanager
def pseudo_terminal(notice: str) -> Iterator[PseudoTerminal]:
    """Open a pseudo-terminal, and print `notice` with its name."""
    pseudo, other = os.openpty()
    os.set_blocking(pseudo, False)
    click.echo(notice.format(os.ttyname(other)), err=True)
    try:
        tty.setraw(other)
        yield PseudoTerminal(pseudo)
    finally:
        os.close(pseudo)
        os.close(other)


@dataclass
class _OpenedLater:
    """A terminal that is opened at its first exchange."""

    opening: AbstractContextManager[Terminal]
    stack: ExitStack
    _opened: Terminal | None = field(default=None, init=False)

    def exchange(self, output: bytes) -> bytes | None:
        if self._opened is None:
            self._opened = self.stack.enter_context(self.opening)
        return self._opened.exchange(output)


@contextmanager
def opened_later(opening: AbstractContextManager[Terminal]) -> Iterator[Terminal]:
    """Open a terminal when the run begins, after all checks of the request."""
    with ExitStack() as stack:
        yield _OpenedLater(opening, stack)


@contextmanager
def _own_terminal(lines: _Lines) -> Iterator[Terminal]:
    own = sys.stdin.fileno()
    with pseudo_terminal("the console is also at {}; control and ] ends the run") as other, raw(own):
        writer = ConsoleWriter()
        yield _Terminal(own, writer, other) if os.isatty(own) else _Input(own, writer, other, lines)
