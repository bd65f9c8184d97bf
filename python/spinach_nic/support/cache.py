"""Cache of results between runs: compiled firmware, kernels, checkpoints of servers.

An entry is a file in a folder that is named by what it was made from and by what it contains. Its content is
compared with its name whenever it is used; one that differs counts as missing. Several processes can use the
cache at once. Where it cannot be written it is done without.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache as once
from pathlib import Path

from msgspec import Struct

from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import cannot_write, temporary_folder, write_whole

KINDS = {
    "firmware": ("firmware image", "firmware images"),
    "objects": ("object file of firmware", "object files of firmware"),
    "blocks": ("object file of a block in RTL", "object files of blocks in RTL"),
    "modules": ("driver for guests", "drivers for guests"),
    "kernels": ("decompressed kernel of guests", "decompressed kernels of guests"),
    "linux": ("kernel or initramfs file of servers", "kernel and initramfs files of servers"),
    "qemu": ("QEMU with devices of vfio-user", ""),
    "root": ("root file system of servers", "root file systems of servers"),
    "servers": ("checkpoint of servers", "checkpoints of servers"),
    "zig": ("files of the compiler", ""),
}
"""Folders, and nouns for one entry and several; no second noun if they are not counted. Earlier versions
filled `zig`."""

LARGEST = {"servers": 4 << 30}
"""Maximum bytes of kinds that grow with use: entries that were not used for longest are removed."""

LOCK = ".lock"
PROBE = f".probe-{os.getpid()}"
"""File that is written and removed again, as a test."""
_DIGITS = 32
"""Digits of a hash in a name."""
_WAIT_S = 10.0
"""Longest wait for processes that use the cache, before it is cleared, in seconds."""


_done_without: set[Path] = set()
"""Caches that could not be written: their entries are kept as long as this process lives."""


class CacheWarning(UserWarning):
    """The cache cannot be used."""


class Usage(Struct, frozen=True):
    """Disk usage of one kind of entries."""

    what: tuple[str, str]
    files: int
    bytes: int


def cache_folder() -> Path:
    """Return the cache folder of this user."""
    # As platformdirs chooses it: importing that takes 1.5 % of the start of a run.
    if sys.platform == "linux":
        home = os.environ.get("HOME", "")
        for base in (os.environ.get("XDG_CACHE_HOME", ""), os.path.join(home, ".cache")):
            if os.path.isabs(base):
                return Path(base, "spinach-nic")
    from platformdirs import user_cache_path

    return user_cache_path("spinach-nic")


class Cache:
    """A cache in a folder."""

    def __init__(self, folder: Path | None = None) -> None:
        """Open the user's cache, or that in another folder, which need not exist yet."""
        self.folder = cache_folder() if folder is None else folder

    def find(self, kind: str, key: str, name: str) -> tuple[Path, bytes] | None:
        """Return an entry and its content, if there is an intact one.

        Args:
            kind: One of `KINDS`.
            key: Hash of all its sources, in hexadecimal.
            name: Name of the file.
        """
        for folder in (self.folder, _instead()) if self.folder in _done_without else (self.folder,):
            for entry in sorted((folder / kind).glob(f"{key[:_DIGITS]}-*")):
                with suppress(OSError):
                    content = (entry / name).read_bytes()
                    if entry.name == _entry_name(key, content):
                        with suppress(OSError):
                            os.utime(entry)
                        return entry / name, content
        return None

    def keep(self, kind: str, key: str, name: str, content: bytes) -> Path:
        """Keep an entry; the returned file holds the content, at least as long as this process lives.

        Raises:
            SpinachError: It can be written neither to the cache nor among temporary files.
        """
        try:
            return self._keep_in(self.folder, kind, key, name, content)
        except OSError as error:
            self._do_without(error)
        try:
            return self._keep_in(_instead(), kind, key, name, content)
        except OSError as error:
            import tempfile

            raise cannot_write(tempfile.gettempdir(), error, "free some space, or set TMPDIR") from error

    def note_if_unwritable(self) -> None:
        """Warn now rather than at the first entry: processes that this one starts do not warn."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.folder / PROBE, b"")
            os.unlink(self.folder / PROBE)
        except OSError as error:
            self._do_without(error)

    def _do_without(self, error: OSError) -> None:
        if self.folder not in _done_without:
            _done_without.add(self.folder)
            reason = error.strerror or str(error)
            said = f"the cache {self.folder} cannot be written ({reason}): firmware is compiled every time"
            warnings.warn(CacheWarning(said), stacklevel=3)

    @staticmethod
    def _keep_in(folder: Path, kind: str, key: str, name: str, content: bytes) -> Path:
        entry = folder / kind / _entry_name(key, content)
        entry.mkdir(parents=True, exist_ok=True)
        write_whole(entry / name, content)
        if kind in LARGEST:
            _reduce(folder / kind, LARGEST[kind], keep=entry)
        return entry / name

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep other processes from clearing the cache."""
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
        with _locked(self.folder / LOCK, shared=True):
            yield

    def usage(self) -> list[Usage]:
        """Return the usage, by kind."""
        return [Usage(what, *_measured(self.folder / kind)) for kind, what in KINDS.items()]

    def clear(self) -> int:
        """Remove all our entries, and nothing else; return the number of bytes.

        Raises:
            SpinachError: It is in use, or something cannot be removed.
        """
        import shutil

        if not self.folder.is_dir():
            return 0
        with _locked(self.folder / LOCK, shared=False):
            freed = sum(usage.bytes for usage in self.usage())
            try:
                for kind in KINDS:
                    if (self.folder / kind).exists():
                        shutil.rmtree(self.folder / kind)
            except OSError as error:
                message = f"cannot remove {error.filename}: {error.strerror}"
                raise SpinachError(message, "check the permissions of the folder") from error
        return freed


@once
def _instead() -> Path:
    """Temporary folder in place of the cache, removed when the process ends."""
    import atexit

    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(temporary_folder("cache"))


def _entry_name(key: str, content: bytes) -> str:
    return f"{key[:_DIGITS]}-{hashlib.sha256(content).hexdigest()[:_DIGITS]}"


def _reduce(folder: Path, limit: int, keep: Path) -> None:
    """Remove entries from the one that was not used for longest on, until the rest fits, but not `keep`.

    Other processes may read or remove the same: what is gone counts as missing.
    """
    import shutil

    used: list[tuple[float, int, Path]] = []
    for entry in folder.iterdir():
        with suppress(OSError):
            used.append((entry.stat().st_mtime, _measured(entry)[1], entry))
    size = sum(size for _, size, _ in used)
    for _, own, entry in sorted(used):
        if size <= limit:
            return
        if entry != keep:
            shutil.rmtree(entry, ignore_errors=True)
            size -= own


def _measured(folder: Path) -> tuple[int, int]:
    sizes = []
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                sizes.append(os.lstat(os.path.join(path, name)).st_size)
    return len(sizes), sum(sizes)


@contextmanager
def _locked(path: Path, *, shared: bool) -> Iterator[None]:
    """Hold a lock if possible: a cache that cannot be written has none and needs none."""
    try:
        import fcntl

        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except (ImportError, OSError):
        yield
        return
    try:
        until = time.monotonic() + _WAIT_S
        while True:
            try:
                fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not shared and time.monotonic() > until:
                    message = f"the cache {path.parent} is in use by another process"
                    raise SpinachError(message, "retry when that process has ended") from None
                time.sleep(0.02)
            except OSError:  # a file system without locks
                break
        yield
    finally:
        os.close(descriptor)
