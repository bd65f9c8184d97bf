"""The steady window: from when all directions run at full depth until the first source runs dry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from spinach_nic.result import MeasuredWindow
from spinach_nic.running.accounting import DirectionCounts
from spinach_nic.running.tasks import Profile
from spinach_nic.simulation import Statistics
from spinach_nic.traffic import Direction, FramePlan


@dataclass(frozen=True)
class Snapshot:
    """Everything that is counted, at one moment."""

    counters: Statistics
    profile: Profile
    """What the firmware cost until `profiled`: it is too much to be taken at every look."""
    profiled: Statistics
    """The counters when the profile was taken: `counters`, or those of the look after."""


class Window:
    """Watches a run at moments just after deliveries, and keeps the snapshots at both ends of the window.

    It opens at the first moment at which every direction with traffic has delivered as many frames as may be
    under way in it, and closes at the last before a source has sent its last frame. In a run in which
    it never opens, the window is the whole run.
    """

    def __init__(
        self,
        zero: Statistics,
        plans: Mapping[Direction, FramePlan],
        depths: Mapping[Direction, int],
        take: Callable[[Statistics], Snapshot],
    ) -> None:
        """Watch the directions in `plans`.

        Args:
            zero: The counters before the run.
            plans: What is sent in each direction that has traffic.
            depths: How many frames may be under way in each.
            take: Takes a snapshot at the moment of these counters.
        """
        self._zero = zero
        self._plans = plans
        self._depths = depths
        self._take = take
        self._opened: Snapshot | None = None
        self._closed: Snapshot | None = None
        self._previous: Statistics

    def watch(self, counters: Statistics, counts: Mapping[Direction, DirectionCounts]) -> None:
        """Look at the counters of a moment."""
        if self._closed is not None:
            return
        is_dry = any(counts[direction].offered >= plan.count for direction, plan in self._plans.items())
        if self._opened is not None:
            if is_dry:
                self._closed = replace(self._take(counters), counters=self._previous)
        elif not is_dry and all(counts[way].delivered >= self._depths[way] for way in self._plans):
            self._opened = self._take(counters)
        self._previous = counters

    def ends(self, final: Statistics) -> tuple[Snapshot, Snapshot, MeasuredWindow]:
        """The snapshots at both ends of the window of a run that ended with these counters, just now."""
        start, end = self._opened, self._closed
        if start is not None and end is not None and start.counters.time < end.counters.time:
            return start, end, _window(start, end, is_steady=True)
        end = self._take(final)
        if start is not None and self._closed is None and start.counters.time < final.time:
            return start, end, _window(start, end, is_steady=True)
        start = Snapshot(self._zero, Profile(), self._zero)
        return start, end, _window(start, end, is_steady=False)


def _window(start: Snapshot, end: Snapshot, *, is_steady: bool) -> MeasuredWindow:
    moments = [snapshot.counters.time.femtoseconds // 10**6 for snapshot in (start, end)]
    return MeasuredWindow(moments[0], moments[1], is_steady)
