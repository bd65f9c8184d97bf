"""Checkpoints of runs as files: the state of the simulation, the request, and what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Self

from msgspec import Struct

from spinach_nic.cards.drivers import DriverLog
from spinach_nic.runs.result import Setting
from spinach_nic.runs.saved import MOST_BYTES, Saved
from spinach_nic.runs.session import SavedSession
from spinach_nic.support.files import read_file, write_output
from spinach_nic.support.units import Time
from spinach_nic.traffic import Direction

MAGIC = b"spinach-run-checkpoint 1\n"


class SavedPlan(Struct, frozen=True):
    """The frames of a direction, and how many of them were made."""

    traffic: str
    frames: bytes
    seed: int
    made: int
    measured: int
    """Deliveries that the window of the rates needs; 0 for any number."""


class SavedRun(Saved, frozen=True, kw_only=True):
    """A run at the moment at which it was saved."""

    magic = MAGIC
    noun = "a checkpoint of a run"

    nic: str
    at_fs: int
    model: Mapping[str, str]
    """Properties that must be equal, by name."""
    config: Mapping[str, Setting]
    """Parameters with plain values, by path."""
    firmware: str | None
    """The digest of the image."""
    firmware_name: str | None
    """Name of the image."""
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
        write_output(path, self.packed())

    @classmethod
    def read(cls, path: Path) -> SavedRun:
        """Read it from a file.

        Raises:
            SpinachError: It cannot be read, or is not a checkpoint of this version.
        """
        help = "name a file that --save-at of this version of Spinach wrote"
        content = read_file(path, help, limit=MOST_BYTES, magics=(MAGIC,), what="the checkpoint to restore")
        return cls.unpacked(str(path), content, help)

    @property
    def at(self) -> Time:
        """The moment at which it was saved."""
        return Time(self.at_fs)


class SavedFile(Struct, frozen=True):
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


class SaveRequest(Struct, frozen=True):
    """Time and file of a checkpoint."""

    time: Time
    path: Path
