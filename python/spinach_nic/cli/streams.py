"""Standard output and standard error that may be full, closed, or go away."""

from __future__ import annotations

import errno
import io
import os
import sys

NAMES = ("standard input", "standard output", "standard error")


class _Guarded(io.RawIOBase):
    """A stream whose failures interrupt nothing: what cannot be written is dropped, and the first error kept.

    A reader that goes away, as `head` does, has what it wanted: that is no error.
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


_guarded: _Guarded | None = None
"""Standard output."""


def guard() -> None:
    """Let nothing that happens to standard output or error end the command."""
    global _guarded
    # Of the descriptors 0 to 2 a file that is opened later would take the place of one that is closed.
    closed = [descriptor for descriptor in range(3) if not _is_open(descriptor)]
    for _ in closed:
        os.open(os.devnull, os.O_RDWR)
    _guarded = _Guarded(1, _closed() if 1 in closed else None)
    sys.stdout = _text(_guarded, sys.stdout)
    sys.stderr = _text(_Guarded(2, _closed() if 2 in closed else None), sys.stderr, "backslashreplace")


def failure() -> str | None:
    """Why not everything could be written to standard output; `None` if it could."""
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
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, errors, line_buffering=lines)
