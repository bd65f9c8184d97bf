"""Files: read within bounds, written whole or not at all, and never over an input or one another.

A file is written to a neighbour, `NAME.partial-PID`, which then takes its place in one step. The previous
file survives a full disk, an interrupt and a kill. Files written over the length of a run, as captures and
traces, do the same natively.

A command declares its outputs with `command_outputs`. From then on every file that it reads, however
indirectly, is compared with them.
"""

from __future__ import annotations

import errno
import io
import os
import select
import stat
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from spinach_nic.support import signals
from spinach_nic.support.errors import SpinachError

STANDARD_OUTPUT = "-"
"""File name of the standard output."""

LARGEST_DOCUMENT = 64 << 20
"""Bytes of the largest document: TOML, a result, a profile."""
LARGEST_PIPED = 1 << 30
"""Bytes of the largest input from a pipe that is kept until it has been read."""
LARGEST_DEVICE = 16 << 20
"""Bytes of the largest input from a device, such as a terminal: others, such as `/dev/zero`, do not end."""
LARGEST_INPUT = 8 << 30
"""Bytes of the largest input of a sweep, which is hashed."""
LARGEST_FOLDER = 1 << 30
"""Bytes of the largest folder that is copied."""
MOST_FILES = 100_000
"""Largest number of files in such a folder."""

_PIECE = 1 << 22
_TEMPORARY = "spinach-"
"""Prefix of folders for temporary files."""
_LOCK, _NEW_LOCK = ".in-use", ".in-use-new"
_FULL = (errno.ENOSPC, errno.EDQUOT)
"""Numbers of errors on full disks."""

_partials: set[Path] = set()
"""Neighbours that this process is writing."""

Identity = tuple[object, ...]
_outputs: ContextVar[Mapping[Identity, str]] = ContextVar("outputs", default={})  # noqa: B039, never changed
"""The outputs of the command that is carried out, by file."""
_noted: ContextVar[dict[str, Path] | None] = ContextVar("noted", default=None)
"""Inputs read since `inputs_noted`; `None` outside of it."""


def read_file(
    path: Path | str,
    help: str,
    *,
    limit: int = LARGEST_DOCUMENT,
    magics: Sequence[bytes] = (),
    what: str = "",
    is_updated: bool = False,
) -> bytes:
    """Read a whole file within a limit. The wait for the writer of a pipe can be interrupted.

    Args:
        path: The file.
        help: Instruction in errors, such as `name a TOML file`.
        limit: Largest size, in bytes.
        magics: Beginnings of such files; another file is not read any further.
        what: Name of the file in errors about outputs, such as `the checkpoint`.
        is_updated: True for a file that the command writes again on purpose.

    Raises:
        SpinachError: The file cannot be read, exceeds the limit, or is an output of the command.
    """
    if not is_updated:
        note_inputs({what or "an input": path})
    content = io.BytesIO()
    for piece in _pieces(path, help, limit, magics):
        content.write(piece)
    return content.getvalue()


def _pieces(path: Path | str, help: str, limit: int, magics: Sequence[bytes] = ()) -> Generator[bytes]:
    """Yield the content of a file as `read_file` does, in pieces, so that no memory is allocated twice."""
    try:
        with _interruptible(path), open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
                limit, help = min(limit, LARGEST_DEVICE), "give a regular file, not a device"
            piece, length = file.read(max(map(len, magics), default=0)), 0
            if magics and not piece.startswith(tuple(magics)):
                yield piece
                return
            # Pipes and devices have no size.
            while max(status.st_size, length + len(piece)) <= limit:
                length += len(piece)
                yield piece
                if not (piece := file.read(min(_PIECE, limit + 1 - length))):
                    return
    except (OSError, ValueError) as error:
        raise cannot_read(path, error, help) from error
    raise _too_large(path, limit, help)


def check_size(path: Path | str, help: str, *, limit: int = LARGEST_DOCUMENT) -> None:
    """Check a file that native code or another program reads.

    Args:
        path: The file.
        help: Instruction in errors.
        limit: Largest size, in bytes.

    Raises:
        SpinachError: It cannot be read, is not a regular file, or exceeds the limit.
    """
    if _regular_size(path, help) > limit:
        raise _too_large(path, limit, help)


def _regular_size(path: Path | str, help: str) -> int:
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        raise cannot_read(path, error, help) from error
    if not stat.S_ISREG(status.st_mode):
        raise SpinachError(f"{path} is not a regular file", help)
    return status.st_size


def _too_large(path: Path | str, limit: int, help: str) -> SpinachError:
    return SpinachError(f"{path} is larger than {limit >> 20} MiB, the limit", help)


def files_in(folder: Path, help: str, *, limit: int = LARGEST_FOLDER) -> list[Path]:
    """List the files in a folder that is copied, sorted. Links are followed; links to nothing are left out.

    Args:
        folder: The folder.
        help: Instruction in errors.
        limit: Largest size of all files together, in bytes.

    Raises:
        SpinachError: It has too many files, exceeds the limit, or has a file that is not regular or a link to
            a folder around it.
    """
    found: list[Path] = []
    size = seen = 0
    for place, folders, names in os.walk(folder, followlinks=True):
        seen += len(folders) + len(names)
        if seen > MOST_FILES:
            raise SpinachError(f"{folder} has more than {MOST_FILES} files, the limit", help)
        for link in filter(os.path.islink, (Path(place, name) for name in folders)):
            if link.resolve() in map(Path.resolve, link.parents):
                raise SpinachError(f"the link {link} leads to a folder around it", "remove the link")
        for path in filter(os.path.exists, (Path(place, name) for name in names)):
            size += _regular_size(path, help)
            found.append(path)
            if size > limit:
                raise _too_large(folder, limit, f"{help}; its last file is {path}")
    return sorted(found)


def cannot_read(path: Path | str, error: OSError | ValueError, help: str) -> SpinachError:
    """Describe why a file cannot be read. A null character in its name is a `ValueError`."""
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    return SpinachError(f"cannot read {path}: {reason}", help)


@contextmanager
def regular_file(path: Path, help: str) -> Iterator[Path]:
    """Provide an input as a regular file for native readers, which could not be interrupted in a pipe.

    Raises:
        SpinachError: The file cannot be read.
    """
    note_inputs({"an input": path})
    if not _is_special(path):
        yield path
        return
    with temporary_folder() as folder:
        copy = folder / "input"
        with open(copy, "wb") as target, closing(_pieces(path, help, LARGEST_PIPED)) as pieces:
            target.writelines(pieces)
        try:
            yield copy
        except SpinachError as error:
            message = error.message.replace(str(copy), str(path))
            raise SpinachError(message, error.help) from error


@contextmanager
def temporary_folder(purpose: str = "") -> Iterator[Path]:
    """Provide a folder for temporary files. Folders of processes that were killed are removed first.

    A folder belongs to the process that holds a lock on the file in it.

    Raises:
        SpinachError: The disk for temporary files is full, or takes no folder.
    """
    import shutil
    import tempfile

    _remove_abandoned(Path(tempfile.gettempdir()))
    try:
        folder = Path(tempfile.mkdtemp(prefix=f"{_TEMPORARY}{purpose}-" if purpose else _TEMPORARY))
        lock = _locked(folder / _NEW_LOCK)
        os.rename(folder / _NEW_LOCK, folder / _LOCK)
    except OSError as error:
        raise _no_space(error) from error
    try:
        yield folder
    except OSError as error:
        if error.errno in _FULL:
            raise _no_space(error) from error
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def check_space(folder: Path, said: str, kind: type[SpinachError] = SpinachError) -> None:
    """Check after a program has failed whether a full disk of temporary files is the reason.

    Args:
        folder: Temporary folder of the program.
        said: Output of the program.
        kind: Type of the error.

    Raises:
        SpinachError: The disk is full.
    """
    names = [*map(os.strerror, _FULL), "NoSpaceLeft"]
    if reason := next((name for name in names if name in said), ""):
        raise _no_space(reason, kind)
    try:
        # Programs may not report the reason.
        with open(folder / "probe", "wb") as probe:
            probe.write(bytes(1 << 16))
    except OSError as error:
        raise _no_space(error, kind) from error


def _no_space(error: OSError | str, kind: type[SpinachError] = SpinachError) -> SpinachError:
    import tempfile

    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    message = f"no space for temporary files in {tempfile.gettempdir()}: {reason}"
    return kind(message, "free some space, or set TMPDIR")


def _locked(path: Path) -> int | None:
    """Open a file and lock it; `None` if another process has the lock, or the system has no locks."""
    try:
        import fcntl
    except ImportError:
        return None
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _remove_abandoned(place: Path) -> None:
    import shutil

    with suppress(OSError):
        for folder in place.glob(f"{_TEMPORARY}*"):
            with suppress(OSError):
                lock = folder / _LOCK
                if os.lstat(folder).st_uid != os.getuid() or not stat.S_ISREG(os.lstat(lock).st_mode):
                    continue
                if (held := _locked(lock)) is not None:
                    shutil.rmtree(folder, ignore_errors=True)
                    os.close(held)


@contextmanager
def pipes_opened(paths: Iterable[Path | str]) -> Iterator[None]:
    """Wait for the readers of outputs that are pipes, so that native code can open them without waiting.

    Raises:
        SpinachError: A pipe cannot be opened.
    """
    with ExitStack() as opened:
        for path in paths:
            if str(path) != STANDARD_OUTPUT and _is_special(path):
                try:
                    with signals.let_in():
                        opened.enter_context(open(path, "wb"))
                except (OSError, ValueError) as error:
                    raise cannot_write(path, error, "name another file") from error
        yield


@contextmanager
def _interruptible(path: Path | str) -> Iterator[None]:
    """Let the first signal end the work on a file that may block, such as a pipe."""
    if not _is_special(path):
        yield
        return
    with signals.let_in():
        yield


def _is_special(path: Path | str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def command_outputs(outputs: Sequence[tuple[str, Path | str]]) -> Iterator[None]:
    """Declare the outputs of a running command.

    Args:
        outputs: Names for users, and paths. A path that was given twice is there twice.

    Raises:
        SpinachError: Two are the same file, or one cannot be written.
    """
    _check_outputs(outputs, ())
    named = {identity: name for name, path in outputs if (identity := _identity(path)) is not None}
    before = _outputs.set(named)
    try:
        yield
    finally:
        _outputs.reset(before)


def has_command_outputs() -> bool:
    """True if the running command has declared outputs."""
    return bool(_outputs.get())


@cache
def _note_opened_files() -> None:
    """Note files that any Python opens. The hook cannot be removed."""

    def opened(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and (noted := _noted.get()) is not None:
            path, _, flags = arguments
            is_module = str(path).endswith((".py", ".pyc"))
            if isinstance(path, str) and not is_module and flags & os.O_ACCMODE != os.O_WRONLY:
                noted.setdefault(f"the file {path} that is read", Path(path))

    sys.addaudithook(opened)


@contextmanager
def inputs_noted() -> Iterator[dict[str, Path]]:
    """Provide the inputs that are read meanwhile, by their names for people; without Python modules."""
    _note_opened_files()
    noted: dict[str, Path] = {}
    before = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(before)


def note_inputs(inputs: Mapping[str, Path | str]) -> None:
    """Compare inputs with the outputs of the command.

    Raises:
        SpinachError: One is an output.
    """
    outputs, noted = _outputs.get(), _noted.get()
    if noted is not None:
        noted |= {f"{name} {path}": Path(path) for name, path in inputs.items()}
    for name, path in inputs.items() if outputs else ():
        if (output := outputs.get(_identity(path) or ())) is not None and str(path) != STANDARD_OUTPUT:
            raise _overwrites(output, name, path)


def check_outside(outputs: Mapping[str, Path | str], folder: Path, name: str) -> None:
    """Check that no output is in a folder whose files others change during the command.

    Args:
        outputs: Paths by their names for users. `-` is standard output.
        folder: The folder.
        name: Name of the folder for users, such as `--share`.

    Raises:
        SpinachError: An output is in it.
    """
    around = _identity(folder)
    for output, path in outputs.items():
        if str(path) == STANDARD_OUTPUT:
            continue
        if around in map(_identity, Path(os.path.realpath(path)).parents):
            message = f"{output} {path} is in {folder}, the folder of {name}"
            raise SpinachError(message, "name a file outside of the folder")


def _overwrites(output: str, other: str, path: Path | str) -> SpinachError:
    return SpinachError(f"{output} would overwrite {other}: {path} is the same file", "name another file")


def write_whole(path: Path | str, content: str | bytes) -> None:
    """Write a file completely, or leave the previous one. A link stays a link.

    Special files, such as devices and pipes, are written directly. The wait for a pipe's reader can be
    interrupted.

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
        with _interruptible(target), open(target, "wb") as special:
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
    """Write a file of the user's choice, like `write_whole`.

    Raises:
        SpinachError: It cannot be written.
    """
    try:
        write_whole(path, content)
    except (OSError, ValueError) as error:
        raise cannot_write(path, error, help) from error


def has_no_reader(descriptor: int) -> bool:
    """Return true if a pipe has no reader, as after `head` has ended."""
    return _is_in(select.POLLERR, descriptor)


def is_closed(descriptor: int) -> bool:
    """Return true if the other end of a terminal or a pipe was closed."""
    return _is_in(select.POLLHUP, descriptor)


def _is_in(condition: int, descriptor: int) -> bool:
    waiting = select.poll()
    waiting.register(descriptor, 0)
    return any(event & condition for _, event in waiting.poll(0))


def cannot_write(path: Path | str, error: OSError | ValueError, help: str) -> SpinachError:
    """Describe why a file cannot be written. A null character in its name is a `ValueError`."""
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    return SpinachError(f"cannot write {path}: {reason}", help)


def output_path(text: str) -> Path:
    """Read the name of an output that is a file.

    Raises:
        ValueError: It is `-`, or ends in a slash, without which another file would be written.
    """
    if text.endswith(os.sep):
        raise ValueError(f"{text} ends in {os.sep}, so it names a folder; name a file")
    if text == STANDARD_OUTPUT:
        raise ValueError(f"this output cannot be written to standard output ({text}); name a file")
    return Path(text)


def check_outputs(outputs: Mapping[str, Path | str], inputs: Mapping[str, Path | str]) -> None:
    """Check before a run that its outputs can be written, without replacing an input or another output.

    Files are compared by identity, not by name: `x`, `./x` and a link to it are the same.

    Args:
        outputs: Paths by their names for users, such as `--json`. `-` is standard output.
        inputs: Paths by their names for people, such as `the capture`.

    Raises:
        SpinachError: Two are the same file, or an output cannot be written.
    """
    _check_outputs([*outputs.items()], [*inputs.items()])


def _check_outputs(
    outputs: Sequence[tuple[str, Path | str]], inputs: Sequence[tuple[str, Path | str]]
) -> None:
    seen: dict[Identity, str] = {}
    for names, path, is_output in (
        *((name, path, False) for name, path in inputs),
        *((name, path, True) for name, path in outputs),
    ):
        identity = _identity(path)
        if identity is None:
            continue
        if is_output and identity in seen:
            raise _overwrites(names, seen[identity], path)
        seen[identity] = names
    for _, path in outputs:
        if str(path) != STANDARD_OUTPUT:
            _prove_writable(path)


def discard_partials() -> None:
    """Remove unfinished files, because the process ends at once."""
    for partial in [*_partials]:
        with suppress(OSError):
            os.unlink(partial)


def _prove_writable(path: Path | str) -> None:
    if str(path).endswith(os.sep):
        raise cannot_write(path, ValueError("a name that ends in / is that of a folder"), "name a file")
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
    """Return the existing file. Permission to write to its folder is not enough."""
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
    """Create a file next to `target`, under a name that is not in use anywhere."""
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


def _identity(path: Path | str) -> Identity | None:
    """Identity of a file; `None` for devices, which take anything, and for impossible names."""
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
