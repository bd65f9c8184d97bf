"""A 10 Gb/s NIC in which something goes wrong, and what must hold then."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from spinach_nic import parameter
from spinach_nic.cards.tengig import Tengig
from spinach_nic.library import Sender
from spinach_nic.runs import run
from spinach_nic.runs.result import MEASURED_FIELDS, FrameCounts, Result
from spinach_nic.traffic import DIRECTIONS, Direction

IMAGES = (
    "base",
    "optimized",
    "rmw",
    "locked",
    "event-queue",
    "published",
    "published-rmw",
    "published-locked",
)
"""Firmware of the 10 Gb/s NIC."""
CAPTURE = Path(__file__).parents[3] / "captures" / "web-ping-udp.pcap"
HALT, RESUME = 1 << 32, 2 << 32
STEP = 997
"""Cycles between two commands; a prime, so that they meet every state of the dispatch loop."""
NONE = {"tx": 0, "rx": 0}
NO_ROOM = ("ring_full", "buffer_full", "fifo_full")
"""Why the MAC drops whole frames."""


def settings_for(firmware: str, settings: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    """Return settings of a card on which an image runs."""
    return {**settings, "event_queue": firmware == "event-queue"}


def run_at_most(frames: int, request: Mapping[str, Any]) -> Result:
    """Run a request with at most `frames` frames each way."""
    return run(**{**request, "frames": min(request["frames"], frames)})


class OneCoreHalts(Tengig):
    """One core pauses from some moment on, for good or for a time."""

    summary = "The 10 Gb/s NIC with a core that halts"
    victim: int = parameter(default=0, doc="The number of the core.")
    after: int = parameter(default=20, doc="Number of steps before it halts.")
    steps: int = parameter(default=0, doc="For how many steps; 0 for ever.")

    def build(self) -> None:
        """Put a sender of commands in front of the core."""
        super().build()
        resumes = [RESUME] if self.steps else []
        commands = [RESUME] * self.after + [HALT] * max(self.steps, 1) + resumes
        self.commands = Sender(values=commands, every=STEP)
        self.commands.output >> self.processor[self.victim].model.control


class OneCoreIsSlow(Tengig):
    """One core pauses for nine tenths of the time, a little at a time."""

    summary = "The 10 Gb/s NIC with a slow core"
    victim: int = parameter(default=0, doc="The number of the core.")

    def build(self) -> None:
        """Put a sender of commands in front of the core."""
        super().build()
        self.commands = Sender(values=[RESUME] + [HALT] * 9, repeat=True, every=97)
        self.commands.output >> self.processor[self.victim].model.control


def dropped(counts: FrameCounts, direction: Direction = "rx") -> int:
    """Return the number of frames of a direction dropped anywhere."""
    return sum(sum(reasons.values()) for reasons in counts.dropped[direction].values())


def assert_nothing_wrong(counts: FrameCounts) -> None:
    """Assert that arrivals equal departures, in order; the rest is inside, or dropped and counted."""
    for wrong in (counts.corrupted, counts.reordered, counts.duplicated):
        assert wrong == NONE
    for way in DIRECTIONS:
        arrived = counts.delivered[way] + dropped(counts, way)
        assert arrived + counts.in_flight[way] == counts.offered[way]


def assert_accounted(result: Result, *reasons: str) -> None:
    """Nothing is wrong, nothing is left inside, and frames were dropped for no other reasons than these."""
    counts = result.frames
    assert_nothing_wrong(counts)
    assert counts.in_flight == NONE
    assert counts.dropped["tx"] == {}
    assert set(counts.dropped["rx"]) <= {"mac_receive"}
    assert set(counts.dropped["rx"].get("mac_receive", {})) <= set(reasons)


def timeless(result: Result) -> dict[str, Any]:
    """The document without the time it took to make."""
    return timeless_document(result.document())


def timeless_document(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document of a result without the time it took to make."""
    return {name: value for name, value in document.items() if name not in MEASURED_FIELDS}
