"""The steady window: from when all directions run at full depth until the first source runs dry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from msgspec import Struct

from spinach_nic.result import MeasuredWindow
from spinach_nic.running.accounting import DirectionCounts
from spinach_nic.running.tasks import Cost, Profile, Stack
from spinach_nic.simulation import Statistics
from spinach_nic.traffic import Direction, FramePlan
from spinach_nic.units import Time


@dataclass(frozen=True)
class Snapshot:
    """Everything that is counted, at one moment."""

    counters: Statistics
    profile: Profile
    """What the firmware cost until `profiled`: it is too much to be taken at every look."""
    profiled: Statistics
    """The counters when the profile was taken: `counters`, or those of the look after."""


class SavedCounters(Struct, frozen=True):
    """The counters of a moment, as a checkpoint of a run has them."""

    femtoseconds: int
    values: list[int]

    @classmethod
    def of(cls, counters: Statistics) -> SavedCounters:
        """These."""
        return cls(counters.time.femtoseconds, counters.values_in_order)

    def counters(self, others: Statistics) -> Statistics:
        """As counters of the simulation that has `others`."""
        return others.at(Time(self.femtoseconds), self.values)


class SavedSnapshot(Struct, frozen=True):
    """A snapshot, as a checkpoint of a run has it."""

    counters: SavedCounters
    costs: dict[int, Cost]
    stacks: list[tuple[Stack, int, Cost]]
    calls: list[tuple[Stack, int]]
    by_core: list[dict[int, Cost]]
    profiled: SavedCounters

    @classmethod
    def of(cls, snapshot: Snapshot | None) -> SavedSnapshot | None:
        """This, if there is one."""
        if snapshot is None:
            return None
        counters, profiled = (SavedCounters.of(one) for one in (snapshot.counters, snapshot.profiled))
        profile = snapshot.profile
        stacks = [(stack, address, cost) for (stack, address), cost in profile.stacks.items()]
        return cls(counters, profile.costs, stacks, list(profile.calls.items()), profile.by_core, profiled)

    def snapshot(self, others: Statistics) -> Snapshot:
        """As a snapshot of the simulation that has the counters `others`."""
        counters, profiled = (one.counters(others) for one in (self.counters, self.profiled))
        stacks = {(stack, address): cost for stack, address, cost in self.stacks}
        return Snapshot(counters, Profile(self.costs, stacks, dict(self.calls), self.by_core), profiled)


class SavedWindow(Struct, frozen=True):
    """What was measured until a run was saved."""

    zero: SavedSnapshot
    before: Mapping[Direction, int]
    opened: SavedSnapshot | None
    closed: SavedSnapshot | None
    previous: SavedCounters | None


class Window:
    """Watches a run at moments just after deliveries, and keeps the snapshots at both ends of the window.

    It opens at the first moment at which every direction with traffic has delivered as many frames as may be
    under way in it, and closes at the last before a source has sent its last frame. In a run in which
    it never opens, the window is the whole run.
    """

    def __init__(
        self,
        zero: Snapshot,
        before: Mapping[Direction, DirectionCounts],
        plans: Mapping[Direction, FramePlan],
        depths: Mapping[Direction, int],
        take: Callable[[Statistics], Snapshot],
    ) -> None:
        """Watch the directions in `plans`.

        Args:
            zero: Of the moment at which measuring begins.
            before: What had become of the frames then.
            plans: What is sent in each direction that has traffic.
            depths: How many frames may be under way in each.
            take: Takes a snapshot at the moment of these counters.
        """
        self._zero = zero
        self._before = {way: counts.delivered for way, counts in before.items()}
        self._plans = plans
        self._depths = depths
        self._take = take
        self._opened: Snapshot | None = None
        self._closed: Snapshot | None = None
        self._previous: Statistics | None = None

    @property
    def zero(self) -> Statistics:
        """The counters of the moment at which measuring began."""
        return self._zero.counters

    def save(self) -> SavedWindow:
        """What was measured until now."""
        zero = SavedSnapshot.of(self._zero)
        assert zero is not None
        opened, closed = SavedSnapshot.of(self._opened), SavedSnapshot.of(self._closed)
        previous = None if self._previous is None else SavedCounters.of(self._previous)
        return SavedWindow(zero, self._before, opened, closed, previous)

    def go_on(self, saved: SavedWindow) -> None:
        """Have measured until now what was measured then, in a run that is the same."""
        others = self._zero.counters
        self._zero = saved.zero.snapshot(others)
        self._before = dict(saved.before)
        self._opened = None if saved.opened is None else saved.opened.snapshot(others)
        self._closed = None if saved.closed is None else saved.closed.snapshot(others)
        self._previous = None if saved.previous is None else saved.previous.counters(others)

    def watch(self, counters: Statistics, counts: Mapping[Direction, DirectionCounts]) -> None:
        """Look at the counters of a moment."""
        if self._closed is not None:
            return
        is_dry = any(counts[direction].offered >= plan.count for direction, plan in self._plans.items())
        if self._opened is not None:
            if is_dry:
                self._closed = replace(self._take(counters), counters=self._previous or counters)
        elif not is_dry and all(
            counts[way].delivered - self._before[way] >= self._depths[way] for way in self._plans
        ):
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
        start = self._zero
        return start, end, _window(start, end, is_steady=False)


def _window(start: Snapshot, end: Snapshot, *, is_steady: bool) -> MeasuredWindow:
    moments = [snapshot.counters.time.femtoseconds // 10**6 for snapshot in (start, end)]
    return MeasuredWindow(moments[0], moments[1], is_steady)
