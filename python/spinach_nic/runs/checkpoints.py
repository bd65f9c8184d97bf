"""Checkpoints of runs as files: the state of the simulation, the request, and what was measured."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec
from msgspec import Struct

from spinach_nic import _native
from spinach_nic.cards.drivers import DriverLog
from spinach_nic.runs.session import SavedSession
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import read_file, write_output
from spinach_nic.support.units import Time
from spinach_nic.traffic import Direction

MAGIC = b"spinach-run-checkpoint 1\n"
MOST_BYTES = 2**31
"""Size of the largest checkpoint in bytes, packed and unpacked."""


class SavedPlan(Struct, frozen=True):
    """The frames of a direction, and how many of them were made."""

    traffic: str
    frames: bytes
    seed: int
    made: int


class SavedRun(Struct, frozen=True, kw_only=True):
    """A run at the moment at which it was saved."""

    version: str
    """Version of Spinach."""
    nic: str
    at_fs: int
    model: Mapping[str, str]
    """Properties that must be equal, by name."""
    config: Mapping[str, bool | int | str]
    """Settable parameters, by path."""
    firmware: str | None
    """The digest of the image."""
    request: Mapping[str, str | tuple[str, ...]]
    parameters: Mapping[str, Mapping[str, str]]
    """Parameters of all modules: equal ones, with equal plans, make the continuation the same run."""
    plans: Mapping[Direction, SavedPlan]
    session: SavedSession
    drivers: tuple[DriverLog, ...]
    state: bytes
    """State of the simulation."""

    def write(self, path: Path) -> None:
        """Write it to a file.

        Raises:
            SpinachError: It cannot be written.
        """
        packed = zlib.compress(msgspec.msgpack.encode(self), 1)
        write_output(path, MAGIC + hashlib.sha256(packed).digest() + packed)

    @classmethod
    def read(cls, path: Path) -> SavedRun:
        """Read it from a file.

        Raises:
            SpinachError: It cannot be read, or is not a checkpoint of this version.
        """
        help = "name a file that --save-at wrote"
        content = read_file(path, help, limit=MOST_BYTES, magics=(MAGIC,), what="the checkpoint to restore")
        if not content.startswith(MAGIC):
            help = "name a file that --save-at of this version of Spinach wrote"
            raise SpinachError(f"{path} is not a checkpoint of a run", help)
        digest, packed = content[len(MAGIC) : len(MAGIC) + 32], content[len(MAGIC) + 32 :]
        damaged = SpinachError(f"the checkpoint {path} is damaged", "copy it again, or save it again")
        if hashlib.sha256(packed).digest() != digest:
            raise damaged
        try:
            unpacking = zlib.decompressobj()
            saved = msgspec.msgpack.decode(unpacking.decompress(packed, MOST_BYTES), type=cls)
        except (zlib.error, msgspec.DecodeError, ValueError) as error:
            raise damaged from error
        if saved.version != _native.version():
            message = f"{path} was saved by version {saved.version}, this is {_native.version()}"
            raise SpinachError(message, "save it again with this version")
        return saved

    @property
    def at(self) -> Time:
        """The moment at which it was saved."""
        return Time(self.at_fs)


@dataclass(frozen=True)
class SavedFile:
    """A saved run and the file that it came from, which is read once: it may be a pipe."""

    path: Path
    saved: SavedRun

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a checkpoint of a run.

        Raises:
            SpinachError: The file cannot be read, or is not a checkpoint of this version.
        """
        return cls(path, SavedRun.read(path))

    def __str__(self) -> str:
        """Return the path."""
        return str(self.path)


@dataclass(frozen=True)
class SaveRequest:
    """Time and file of a checkpoint."""

    time: Time
    path: Path
