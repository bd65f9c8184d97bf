"""Signals that end the command: interrupt, termination, and a terminal that goes away.

The first signal ends the work in an orderly way, as a `KeyboardInterrupt`: results until then are written and
marked. The second ends the process at once. A signal that is ignored when the process starts, as by `nohup`
or in the background of a script, stays ignored. A process that only uses the package is unaffected.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

from spinach_nic.support.startup import is_command

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
REPETITION_S = 0.3
"""Some programs send a signal to a process and again to its group, which is not a second request."""
_LONGEST_SHIELD_S = 5.0

_received: list[int] = []
_shields = 0
_is_pending = False


def exit_code() -> int:
    """Return the exit code after the first signal, as a shell reports it."""
    return 128 + (_received[0] if _received else signal.SIGINT)


def end_at_once() -> None:
    """Let a signal end the process without a traceback: there is nothing to write."""
    _handle_by(_end_quietly)


def end_in_order() -> None:
    """Let the first signal raise `KeyboardInterrupt`, and the second end the process at once."""
    import threading

    global _is_pending
    _received.clear()
    _is_pending = False
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    # Signals are handled between two steps of Python; a thread also sees them while native code runs.
    threading.Thread(target=_watch, args=(reading,), daemon=True).start()
    _handle_by(_raise)


@contextmanager
def kept_off() -> Iterator[None]:
    """Delay the first signal while results are written, but not the second."""
    global _shields, _is_pending
    _shields += 1
    try:
        yield
    finally:
        _shields -= 1
    if _is_pending and not _shields:
        _is_pending = False
        raise KeyboardInterrupt


def is_waiting() -> bool:
    """True if a signal has arrived within `kept_off`, and waits for its end."""
    return _is_pending


@contextmanager
def let_in() -> Iterator[None]:
    """Within `kept_off`: the first signal breaks work off all the same, also one that waits already.

    Whatever catches its `KeyboardInterrupt` must enclose this too.
    """
    global _shields, _is_pending
    shields, _shields = _shields, 0
    try:
        if _is_pending:
            _is_pending = False
            raise KeyboardInterrupt
        yield
    finally:
        _shields = shields


def _handle_by(handler: signal.Handlers | object) -> None:
    for number in ENDING:
        if signal.getsignal(number) not in (signal.SIG_IGN, None):
            signal.signal(number, handler)  # type: ignore[arg-type]


def _raise(number: int, frame: FrameType | None) -> None:
    global _is_pending
    _received.append(number)
    if len(_received) > 1:
        return
    if _shields:
        _is_pending = True
        return
    raise KeyboardInterrupt


def _end_quietly(number: int, frame: FrameType | None) -> None:
    _exit(number)


def _watch(reading: int) -> None:
    first = None
    while True:
        for number in os.read(reading, 64):
            if number not in ENDING:
                continue
            first = time.monotonic() if first is None else first
            if time.monotonic() - first > REPETITION_S:
                _exit(number)


def _exit(number: int) -> None:
    # A progress bar hides the cursor.
    end_now(b"\x1b[?25hinterrupted\n" if os.isatty(2) else b"interrupted\n", 128 + number)


def end_from_thread(text: bytes, code: int) -> NoReturn:
    """End like `end_now`, once what is shielded from signals is done, or takes too long."""
    until = time.monotonic() + _LONGEST_SHIELD_S
    while _shields and time.monotonic() < until:
        time.sleep(0.02)
    end_now(text, code)


def end_now(text: bytes, code: int) -> NoReturn:
    """End without running processes or unfinished files, with a text on standard error."""
    try:
        for child in _loaded("multiprocessing", "active_children", list)():
            child.kill()
        _loaded("spinach_nic.support.files", "discard_partials", tuple)()
        os.write(2, text)
    finally:
        os._exit(code)


def _loaded(module: str, name: str, otherwise: Any) -> Any:
    """Return a function of a module, which may be loaded, half loaded at this moment, or not."""
    return getattr(sys.modules.get(module), name, otherwise)


if is_command():
    end_at_once()
