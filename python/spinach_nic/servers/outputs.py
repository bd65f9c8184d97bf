"""Outputs of servers that are written while they run: frames of the link, a profile, a timeline.

An output is a class here, and an option of `spinach boot` that makes one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from spinach_nic import _native
from spinach_nic.servers import timeline
from spinach_nic.servers.profile import profile_of, shown
from spinach_nic.support.files import write_output
from spinach_nic.support.units import Rate, Time

_Machine = TypeVar("_Machine", contravariant=True)


class Output(ABC, Generic[_Machine]):
    """An output of servers of a type, such as `_native.Server`."""

    @abstractmethod
    def begin(self, machine: _Machine) -> None:
        """Begin to observe servers that are about to run.

        Raises:
            SpinachError: The output cannot be written.
        """

    @abstractmethod
    def finish(self, machine: _Machine) -> Sequence[str]:
        """Write the output, whatever ended the servers; return lines about it for the user.

        Raises:
            SpinachError: It cannot be written.
        """


@dataclass
class Frames(Output[_native.Server]):
    """Frames on the link of two servers, as pcapng."""

    path: Path
    _capture: _native.CaptureWriter | None = field(default=None, init=False)

    def begin(self, machine: _native.Server) -> None:
        """Open the file."""
        self._capture = machine.capture(self.path)

    def finish(self, machine: _native.Server) -> Sequence[str]:
        """Close it."""
        if self._capture is not None:
            self._capture.finish()
        return ()


@dataclass(frozen=True)
class Profile(Output[_native.Server]):
    """Time of the (first) server, by function and category."""

    path: Path
    server: str
    """Name of the run in the document."""
    symbols: bytes
    """Functions of its kernel and programs."""
    is_timed: bool

    def begin(self, machine: _native.Server) -> None:
        """Count from now on."""
        machine.set_profiled(True)

    def finish(self, machine: _native.Server) -> Sequence[str]:
        """Write the document; return lines with the largest costs."""
        profile = profile_of(machine, self.symbols, name=self.server, is_timed=self.is_timed)
        write_output(self.path, profile.to_json())
        return shown(profile).splitlines()


@dataclass(frozen=True)
class Timeline(Output[_native.Server]):
    """Activity of harts and link in a window of simulated time."""

    path: Path
    begin_after: Time
    length: Time
    symbols: bytes
    rate: Rate | None
    """Rate of the link between two servers."""

    def begin(self, machine: _native.Server) -> None:
        """Keep the window's activity."""
        timeline.record(machine, self.symbols, self.begin_after, self.length, self.rate)

    def finish(self, machine: _native.Server) -> Sequence[str]:
        """Write it."""
        return (timeline.write(machine, self.path, self.length),)
