"""Standard output and standard error, which may be full or closed.

They show control characters escaped.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from spinach_nic.support.limits import cut, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.segment import Segment
    from rich.table import Table
    from rich.text import Text

    from spinach_nic.support.terminal import ConsoleWriter

NAMES = ("standard input", "standard output", "standard error")


class _Guarded(io.RawIOBase):
    """A stream whose failures interrupt nothing: what cannot be written is dropped, and the first error kept.

    A reader that closes early, as `head` does, is satisfied: that is not an error.
    """

    def __init__(self, descriptor: int, error: OSError | None) -> None:
        self._descriptor = descriptor
        self._is_lost = False
        self._at_start = error
        self.error: OSError | None = None

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, contents: object) -> int:
        view = memoryview(contents).cast("B")  # type: ignore[arg-type]
        if self._is_lost:
            return len(view)
        try:
            if self._at_start is not None:
                raise self._at_start
            return os.write(self._descriptor, view)
        except BrokenPipeError:
            self._is_lost = True
        except OSError as error:
            self._is_lost, self.error = True, error
        return len(view)


class _Escaping(io.TextIOWrapper):
    """A text stream that escapes control characters of any source: they could command a terminal."""

    def write(self, text: str) -> int:
        self.write_raw(printable(text))
        return len(text)

    def write_raw(self, text: str) -> int:
        return super().write(text)


class _Raw:
    """A stream for writers that style and escape text themselves."""

    def __init__(self, stream: _Escaping) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write_raw(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def rich_console(*, stderr: bool = False, **options: Any) -> Console:
    """Return a console of rich that escapes control characters, and shows texts such as `:x:` as they are."""
    from rich.console import Console

    class _Console(Console):
        def render_str(self, text: str, **others: Any) -> Text:  # as wide as it is shown
            return super().render_str(printable(text), **others)

        def render(self, *renderable: Any, **others: Any) -> Iterable[Segment]:
            for segment in super().render(*renderable, **others):
                text = segment.text if segment.control else printable(segment.text)
                yield segment if text == segment.text else segment._replace(text=text)

    stream = sys.stderr if stderr else sys.stdout
    file = _Raw(stream) if isinstance(stream, _Escaping) else None
    return _Console(file=file, stderr=stderr, emoji=False, **options)  # type: ignore[arg-type]  # writes like a file


def warn_of_listening(address: str) -> None:
    """Warn if other machines can reach a server that is about to listen."""
    host = address.rpartition(":")[0].strip("[]")
    try:
        is_own = ip_address(host).is_loopback
    except ValueError:
        is_own = host == "localhost"
    if not is_own:
        reach = "every machine" if host in ("", "0.0.0.0", "::") else f"every machine that reaches {host}"
        sys.stderr.write(f"note: {reach} can control this run: the debugger's protocol has no password\n")


def wide_console(*tables: Table) -> Console:
    """Return a console that prints complete tables, to pipes and terminals alike."""
    unlimited, usual = rich_console(width=1000), rich_console()
    width = max(unlimited.measure(table).maximum for table in tables)
    return rich_console(highlight=False, width=max(width, usual.width))


@contextmanager
def console_descriptor(*, stderr: bool) -> Iterator[int]:
    """Provide a descriptor for the console of another process: raw for a terminal, else escaped."""
    stream = sys.stderr if stderr else sys.stdout
    if stream.isatty():
        yield stream.fileno()
        return
    from spinach_nic.support.terminal import ConsoleWriter  # not needed at most starts

    reading, writing = os.pipe()
    pumping = Thread(target=_pump, args=(reading, ConsoleWriter(stderr=stderr)), daemon=True)
    pumping.start()
    try:
        yield writing
    finally:
        os.close(writing)
        pumping.join()  # ends when the other process has ended, too


def _pump(reading: int, writer: ConsoleWriter) -> None:
    with open(reading, "rb", buffering=0) as source:
        while piece := source.read(1 << 16):
            writer.write(piece)


_guarded: _Guarded | None = None
"""Standard output."""


def guard() -> None:
    """Keep failures of standard output and error from ending the command."""
    global _guarded
    # Of the descriptors 0 to 2 a file that is opened later would take the place of one that is closed.
    closed = [descriptor for descriptor in range(3) if not _is_open(descriptor)]
    for _ in closed:
        os.open(os.devnull, os.O_RDWR)
    _guarded = _Guarded(1, _closed() if 1 in closed else None)
    sys.stdout = _text(_guarded, sys.stdout)
    sys.stderr = _text(_Guarded(2, _closed() if 2 in closed else None), sys.stderr, "backslashreplace")


def failure() -> str | None:
    """Reason of incomplete standard output; `None` if it is complete."""
    sys.stdout.flush()
    if _guarded is None or _guarded.error is None:
        return None
    return _guarded.error.strerror or str(_guarded.error)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _closed() -> OSError:
    return OSError(errno.EBADF, "it is closed")


def _text(raw: _Guarded, old: io.TextIOBase | object, errors: str | None = None) -> io.TextIOWrapper:
    encoding = getattr(old, "encoding", None) or "utf-8"
    errors = errors or getattr(old, "errors", None) or "strict"
    lines = raw.isatty() or raw.fileno() == 2
    return _Escaping(io.BufferedWriter(raw), encoding, errors, line_buffering=lines)


def tell(text: str) -> None:
    """Print errors and notes on standard error; very long lines, as of names of 100 KB, are cut."""
    click.echo(cut(text), err=True)
