"""Reader of timelines: the journeys of frames through a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spinach_nic import _native
from spinach_nic.support.arguments import checked
from spinach_nic.support.files import regular_file


@dataclass(frozen=True)
class Stage:
    """A frame between two places."""

    channel: str
    """Last channel that the frame had moved through: `OUTPUT -> INPUT`."""
    duration_ns: int
    """Time until it moved on."""


@dataclass(frozen=True)
class Journey:
    """A frame on its way through a system."""

    name: str
    """Its number in the timeline, its source and its destination."""
    begin_ns: int
    duration_ns: int
    stages: Sequence[Stage]


@checked
def journeys(timeline: Path) -> list[Journey]:
    """Return the journeys of all frames in a timeline that a run wrote, in the order of their ends.

    Raises:
        SpinachError: The file cannot be read or is not a timeline.
    """
    with regular_file(timeline, "give a file that --timeline wrote") as file:
        found = _native.read_journeys(file)
    return [
        Journey(name, begin, duration, tuple(Stage(channel, took) for channel, took in stages))
        for name, begin, duration, stages in found
    ]
