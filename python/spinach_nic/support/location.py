"""Source locations in the user's code."""

import dataclasses
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from types import FrameType, TracebackType

from spinach_nic import _native
from spinach_nic.support.errors import SpinachError

Place = tuple[str, int]
"""File and line."""

COMMAND_LINE: Place = ("", 0)
"""Place of a statement on the command line, not in a file."""

_INSIDE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# The shipped models are users like any other; everything else of the package acts on behalf of one.
_MODELS = tuple(_INSIDE + room + os.sep for room in ("cards", "processors", "experiments"))
_NO_MODELS = tuple(
    _INSIDE + os.path.join(*path)
    for path in (
        ("cards", "base", ""),
        ("cards", "drivers", ""),
        ("cards", "catalogue.py"),
        ("experiments", "runner", ""),
    )
)
# Modules that describe designs for a user without Python source: at a terminal, or in another process.
_COMMANDS = (_INSIDE + os.path.join("cli", ""), _INSIDE + os.path.join("support", "parallel.py"))


@lru_cache(maxsize=1024)
def is_machinery(file: str) -> bool:
    """Return true if code in `file` describes designs on behalf of the user."""
    return file.startswith(_INSIDE) and (file.startswith(_NO_MODELS) or not file.startswith(_MODELS))


def is_inside_package(file: str) -> bool:
    """Return True for a file of this package."""
    return os.path.abspath(file).startswith(_INSIDE)


_RECORD = ("<string>", "__init__")
"""File and name of the functions that `dataclass` generates for records, which act on behalf of a user as
`replace` does."""


def user_place() -> Place:
    """Return the line of user code that is running; `COMMAND_LINE` if there is none.

    It is a walk over a few frames, so that it costs little.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (
        is_machinery(frame.f_code.co_filename)
        or frame.f_code.co_filename == dataclasses.__file__
        or (frame.f_code.co_filename, frame.f_code.co_name) == _RECORD
    ):
        if frame.f_code.co_filename.startswith(_COMMANDS):
            return COMMAND_LINE
        frame = frame.f_back
    if frame is None:
        return COMMAND_LINE
    return frame.f_code.co_filename, frame.f_lineno


def shown(place: Place) -> str:
    """`file:line: `, the file relative to the working directory if it is inside; empty for a command."""
    return "" if place == COMMAND_LINE else f"{shown_file(place[0])}:{place[1]}: "


def shown_file(file: str) -> str:
    """Return the file, relative to the working directory if it is inside."""
    inside = os.getcwd() + os.sep
    return file.removeprefix(inside)


class CompositionError(SpinachError):
    """A mistake in a description, at a line of the user's source."""

    def __init__(self, message: str, help: str, place: Place | None = None) -> None:
        """Create the error; its place is the running line of user code unless given."""
        self.place = place if place is not None else user_place()
        self.what = message
        super().__init__(f"{shown(self.place)}{message}", help)

    def at(self, place: Place | None) -> "CompositionError":
        """Return the same mistake, made at another line."""
        return CompositionError(self.what, self.help, place)

    def __reduce__(self) -> tuple[type[SpinachError], tuple[str, str]]:
        """Between processes it is its two lines: the frames that it came from are not there."""
        return SpinachError, (self.message, self.help)


@cache
def _not_the_users() -> tuple[str, ...]:
    """Return the folders of this package, of Python, and of installed packages."""
    import sysconfig

    return (_INSIDE, *(sysconfig.get_path(name) + os.sep for name in ("stdlib", "purelib")))


@contextmanager
def user_code() -> Iterator[None]:
    """Runs what a person wrote: whatever it raises becomes an error with its own line.

    A mistake that no line of the person's is part of is ours, and passes through.

    Raises:
        CompositionError: The person's code raised something, or wanted to end the process.
    """
    try:
        yield
    except SpinachError:
        raise
    except (Exception, SystemExit) as error:
        mistake = user_mistake(error)
        if mistake is None:
            raise
        raise mistake from error


def user_mistake(error: BaseException, place: Place | None = None) -> CompositionError | None:
    """Return the error that shows an exception of user code, or `None` if no line of it is the user's.

    Args:
        error: The exception.
        place: Shown line if no line of the user's is part of the exception.
    """
    place = _last_user_place(error.__traceback__) or place
    if place is None:
        return None
    said = f"{type(error).__name__}: {error}".removesuffix(": ")
    if isinstance(error, SystemExit):
        said = "the file calls sys.exit()"
    return CompositionError(said, correction(error), place)


def correction(error: BaseException) -> str:
    """Return the instruction for an exception of user code: a name that is nearly the one in it, if any."""
    if isinstance(error, AttributeError) and error.obj is not None and error.name is not None:
        known = [name for name in dir(error.obj) if name != error.name and not name.startswith("_")]
        if near := _native.similar(error.name, known):
            return f"did you mean {near[0]}?"
    return "correct the Python source"


def _last_user_place(trace: TracebackType | None) -> Place | None:
    place = None
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(_not_the_users()) and not file.startswith("<"):
            place = file, trace.tb_lineno
        trace = trace.tb_next
    return place
