"""Files are written whole or not at all, and never over one another.

A file is written to a neighbour, `NAME.partial-PID`, which then takes its place in one step. What was there
before survives a full disk, an interrupt and a kill. What is written over the length of a run, as captures
and traces, does the same natively.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path

from spinach_nic.errors import SpinachError

STANDARD_OUTPUT = "-"
"""As the name of a file."""

_partials: set[Path] = set()
"""Neighbours that this process is writing."""


def write_whole(path: Path | str, content: str | bytes) -> None:
    """Write a file so that there is all of it or what was there before. A link stays a link.

    What is no ordinary file, such as a device or a pipe, is written directly.

    Args:
        path: The file.
        content: Text becomes UTF-8.

    Raises:
        OSError: It cannot be written.
    """
    contents = content.encode() if isinstance(content, str) else content
    target = Path(os.path.realpath(path))
    old = _checked_old(target)
    if old is not None and not stat.S_ISREG(old.st_mode):
        with open(target, "wb") as special:
            special.write(contents)
        return
    partial, descriptor = _create_partial(target)
    try:
        with open(descriptor, "wb") as file:
            file.write(contents)
            file.flush()
            os.fsync(descriptor)
        if old is not None:
            with suppress(OSError):
                os.chmod(partial, stat.S_IMODE(old.st_mode))
        os.replace(partial, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(partial)
        raise
    finally:
        _partials.discard(partial)


def write_output(path: Path | str, content: str | bytes, *, help: str = "name another file") -> None:
    """Write a file that a person asked for, as `write_whole` does.

    Raises:
        SpinachError: It cannot be written.
    """
    try:
        write_whole(path, content)
    except (OSError, ValueError) as error:
        raise cannot_write(path, error, help) from error


def cannot_write(path: Path | str, error: OSError | ValueError, help: str) -> SpinachError:
    """What to say about it. A name with a null character in it is a `ValueError`."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return SpinachError(f"cannot write {path}: {reason}", help)


def check_outputs(outputs: Mapping[str, Path | str], inputs: Mapping[str, Path | str]) -> None:
    """See before a run that its results can be written, and over nothing that it reads or writes itself.

    Files are compared by identity, not by name: `x`, `./x` and a link to it are one.

    Args:
        outputs: By what a person calls them, such as `--json`. `-` is standard output.
        inputs: By what a person calls them, such as `the capture`.

    Raises:
        SpinachError: Two are one file, or an output cannot be written.
    """
    seen: dict[tuple[object, ...], str] = {}
    for names, path, is_output in (
        *((name, path, False) for name, path in inputs.items()),
        *((name, path, True) for name, path in outputs.items()),
    ):
        identity = _identity(path)
        if identity is None:
            continue
        if is_output and identity in seen:
            message = f"{names} would write over {seen[identity]}: {path} is the same file"
            raise SpinachError(message, "name another file")
        seen[identity] = names
    for path in outputs.values():
        if str(path) != STANDARD_OUTPUT:
            _prove_writable(path)


def discard_partials() -> None:
    """Remove what is being written, because the process ends at once."""
    for partial in [*_partials]:
        with suppress(OSError):
            os.unlink(partial)


def _prove_writable(path: Path | str) -> None:
    try:
        target = Path(os.path.realpath(path))
        old = _checked_old(target)
        if old is not None and not stat.S_ISREG(old.st_mode):
            return
        partial, descriptor = _create_partial(target)
        os.close(descriptor)
        os.unlink(partial)
        _partials.discard(partial)
    except (OSError, ValueError) as error:
        raise cannot_write(path, error, "name another file") from error


def _checked_old(target: Path) -> os.stat_result | None:
    """The file that is there. Being allowed to write to its folder is not enough."""
    try:
        old = os.stat(target)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(21, "Is a directory", str(target))
    if stat.S_ISREG(old.st_mode):
        with open(target, "r+b"):
            return old
    return old


def _create_partial(target: Path) -> tuple[Path, int]:
    """A new file beside `target`, under a name that no other process and no other part of this one uses."""
    for attempt in count(1):
        again = f"-{attempt}" if attempt > 1 else ""
        partial = target.with_name(f"{target.name}.partial-{os.getpid()}{again}")
        try:
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            continue
        _partials.add(partial)
        return partial, descriptor
    raise AssertionError("counting does not end")


def _identity(path: Path | str) -> tuple[object, ...] | None:
    """What tells a file from others; `None` if it is a device, which takes anything, or cannot be."""
    if str(path) == STANDARD_OUTPUT:
        return (STANDARD_OUTPUT,)
    try:
        place = os.path.realpath(path)
        try:
            found = os.stat(place)
        except FileNotFoundError:
            folder, name = os.path.split(place)
            parent = os.stat(folder)
            return parent.st_dev, parent.st_ino, name
    except (OSError, ValueError):
        return None
    return None if stat.S_ISCHR(found.st_mode) else (found.st_dev, found.st_ino)
