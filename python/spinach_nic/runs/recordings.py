"""Recordings of live runs as typed data: the frames are native, their configuration and ending are JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from spinach_nic import _native
from spinach_nic.runs.result import LiveResult
from spinach_nic.support.documents import MALFORMED
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import regular_file

Subject = Literal["request", "server", "guest"]
"""Bench of a recorded run: that of the request for a run of a NIC, a simulated server, or a guest."""


class MadeWith(Struct, frozen=True):
    """Conditions of a recorded run: those of a run of a NIC, of a simulated server, or of a guest."""

    request: Mapping[str, Any] | None = None
    server: Mapping[str, Any] | None = None
    devices: Mapping[Literal["wire", "host"], str] = {}
    guest: Mapping[str, Any] | None = None
    firmware: Mapping[str, str] | None = None
    wire: str | None = None

    @property
    def noun(self) -> str:
        """The bench of the run, after `recording`."""
        return {"attach": "with a guest", "boot": "of a simulated server", "run": "without a guest"}[
            self.command
        ]

    @property
    def command(self) -> str:
        """The command that replays it."""
        return "attach" if self.guest is not None else "boot" if self.server is not None else "run"


class RecordedEnding(Struct, frozen=True):
    """End of a recorded run."""

    complete: bool
    live: LiveResult


class SavedRecording(Struct, frozen=True):
    """A recording that was read."""

    path: Path
    native: _native.Recording
    made_with: MadeWith
    ending: RecordedEnding | None
    """`None` for a truncated recording, such as that of a killed process."""
    arrivals_fs: Sequence[int] = ()
    """Times of arrivals in femtoseconds, in order, if they were requested."""

    @property
    def end_fs(self) -> int:
        """End of the recording, in femtoseconds."""
        return self.native.ending[0] if self.native.ending else (self.native.last or 0) + 1

    def conditions(self, subject: Subject) -> Mapping[str, Any]:
        """Return the conditions of the recorded run.

        Raises:
            SpinachError: It was a run of another subject.
        """
        conditions: Mapping[str, Any] | None = getattr(self.made_with, subject)
        if conditions is None:
            message = f"{self.path} is a recording {self.made_with.noun}"
            raise SpinachError(message, f"replay it with spinach {self.made_with.command} --replay")
        return conditions


def read_recording(path: Path, *, has_times: bool = False) -> SavedRecording:
    """Read a recording.

    Args:
        path: Its file.
        has_times: True if the times of arrivals are needed, as by a debugger.

    Raises:
        SpinachError: The file cannot be read, is not a recording, or is damaged.
    """
    help = "give a file that --record wrote"
    with regular_file(path, help) as file:
        native = _native.Recording.read(file)
    arrivals_fs = native.arrivals() if has_times else ()
    try:
        made_with = msgspec.json.decode(native.made_with, type=MadeWith)
        ending = None if native.ending is None else msgspec.json.decode(native.ending[1], type=RecordedEnding)
    except MALFORMED as error:
        raise SpinachError(f"the recording {path} is damaged: {error}", help) from error
    return SavedRecording(path, native, made_with, ending, arrivals_fs)
