"""The window in which rates are measured: begun by a test for steadiness, closed after enough deliveries."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from spinach_nic.model.simulation import Statistics
from spinach_nic.runs.accounting import DirectionCounts
from spinach_nic.runs.result import MeasuredWindow
from spinach_nic.runs.steadiness import Moment, find_trend, relative_error
from spinach_nic.runs.tasks import Context, Cost, Profile
from spinach_nic.support.measured import BATCHES
from spinach_nic.support.representations import amount
from spinach_nic.support.units import Time
from spinach_nic.traffic import FEWEST_MEASURED, Direction, FramePlan

MOST_MOMENTS = 2048
"""Maximum moments kept; beyond it, every second one is dropped."""
MOST_CANDIDATES = 8
"""Maximum candidates kept; beyond it, every second one is dropped, and their distance doubles."""
CANDIDATES_PER_WINDOW = 4
"""Candidates for the beginning in the length of a window."""
MOST_WINDOWS = 8
"""Window lengths, besides the frames inside, after which the search for a steady window ends."""
MOST_UNEQUAL = 256
"""Window lengths that one direction delivers or drops at most until every direction has filled one."""
MOST_IN_VAIN = 8
"""Window lengths that one direction delivers at most until every direction has delivered a frame."""


class Snapshot(Struct, frozen=True):
    """All counts at one moment."""

    counters: Statistics
    profile: Profile
    """Cost of the firmware until `profiled`: too expensive to be taken at every poll."""
    profiled: Statistics
    """The counters when the profile was taken: `counters`, or those of the look after."""


class SavedCounters(Struct, frozen=True):
    """The counters of a moment, as a checkpoint of a run has them."""

    femtoseconds: int
    values: list[int]

    @classmethod
    def of(cls, counters: Statistics) -> SavedCounters:
        """Save the counters."""
        return cls(counters.time.femtoseconds, counters.values_in_order)

    def counters(self, others: Statistics) -> Statistics:
        """Return the counters for the simulation that has `others`."""
        return others.at(Time(self.femtoseconds), self.values)


class SavedSnapshot(Struct, frozen=True):
    """A snapshot, as a checkpoint of a run has it."""

    counters: SavedCounters
    costs: dict[int, Cost]
    contexts: list[list[Context]]
    stacks: list[tuple[tuple[int, int, int], Cost]]
    calls: list[tuple[tuple[int, int], int]]
    by_core: list[dict[int, Cost]]
    ahead: list[int]
    profiled: SavedCounters

    @classmethod
    def of(cls, snapshot: Snapshot) -> SavedSnapshot:
        """Return this snapshot."""
        counters, profiled = (SavedCounters.of(one) for one in (snapshot.counters, snapshot.profiled))
        profile = snapshot.profile
        return cls(
            counters,
            dict(profile.costs),
            [list(contexts) for contexts in profile.contexts],
            list(profile.stacks.items()),
            list(profile.calls.items()),
            [dict(costs) for costs in profile.by_core],
            list(profile.ahead),
            profiled,
        )

    def snapshot(self, others: Statistics) -> Snapshot:
        """Return the snapshot for the simulation that has the counters `others`."""
        counters, profiled = (one.counters(others) for one in (self.counters, self.profiled))
        accounts = (self.contexts, dict(self.stacks), dict(self.calls), self.by_core, self.ahead)
        return Snapshot(counters, Profile(self.costs, *accounts), profiled)


class SavedCandidate(Struct, frozen=True):
    """A possible beginning of the window, as a checkpoint of a run has it."""

    snapshot: SavedSnapshot
    moment: Moment


class SavedWindow(Struct, frozen=True):
    """Measurement until a run was saved."""

    zero: SavedSnapshot
    before: Moment
    first: Moment | None
    early: list[Moment]
    candidates: list[SavedCandidate]
    moments: list[Moment]
    spacing: int
    previous: SavedCounters | None
    closed: SavedSnapshot | None
    reason: str
    is_over: bool


class Candidate(Struct, frozen=True):
    """A possible beginning of the window."""

    snapshot: Snapshot
    moment: Moment


class Ends(Struct, frozen=True):
    """Both ends of the measured window."""

    start: Snapshot
    end: Snapshot
    moments: Sequence[Moment]
    """Counts from the beginning of the window to its end; none if no rates were measured."""
    reason: str
    """Reason for missing rates."""

    @property
    def measured(self) -> MeasuredWindow:
        """Window in the form of the result."""
        begin, end = (it.counters.time.femtoseconds // 10**6 for it in (self.start, self.end))
        return MeasuredWindow(begin, end, is_steady=bool(self.moments), reason=self.reason)


class Window:
    """Observer of a run that keeps the snapshots at both ends of the measured window.

    The first candidate for its beginning is the time at which every direction has delivered as many frames
    as can be in flight in it; others follow. After the beginning neither deliveries nor frames in flight
    have a trend, in any direction, and no direction begins to drop frames for lack of room. The window
    closes when every direction has delivered the number of frames of its plan after the earliest candidate.
    If no plan has a number, or fewer frames come, it closes at the end of the run or at the last observation
    before a source has sent its last frame; its beginning is then the candidate with the smallest errors.
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
            zero: Snapshot of the moment at which the run begins.
            before: Frame counts at that moment.
            plans: Frames of each direction that has traffic.
            depths: Frames that may be under way, by direction.
            take: Takes a snapshot at the moment of these counters.
        """
        self._zero = zero
        self._before = Moment.of(zero.counters.time, before)
        self._plans = plans
        self._depths = depths
        self._take = take
        self._wanted = {way: plan.measured for way, plan in plans.items() if plan.measured}
        self._first: Moment | None = None
        self._early: list[Moment] = []
        """Moments before the first candidate."""
        self._candidates: list[Candidate] = []
        self._moments: list[Moment] = []
        self._spacing = max(1, FEWEST_MEASURED // CANDIDATES_PER_WINDOW)
        self._previous: Statistics | None = None
        self._closed: Snapshot | None = None
        self._reason = "" if plans else "there was no traffic"
        self.is_over = not plans
        """True if measuring has ended."""

    def save(self) -> SavedWindow:
        """Return the measurement until now."""
        zero = SavedSnapshot.of(self._zero)
        candidates = [SavedCandidate(SavedSnapshot.of(it.snapshot), it.moment) for it in self._candidates]
        return SavedWindow(
            zero,
            self._before,
            self._first,
            list(self._early),
            candidates,
            list(self._moments),
            self._spacing,
            None if self._previous is None else SavedCounters.of(self._previous),
            None if self._closed is None else SavedSnapshot.of(self._closed),
            self._reason,
            self.is_over,
        )

    def restore(self, saved: SavedWindow) -> None:
        """Restore the measurement of the saved run."""
        others = self._zero.counters
        self._zero = saved.zero.snapshot(others)
        self._before, self._first = saved.before, saved.first
        self._candidates = [Candidate(it.snapshot.snapshot(others), it.moment) for it in saved.candidates]
        self._early, self._moments = list(saved.early), list(saved.moments)
        self._spacing = saved.spacing
        self._previous = None if saved.previous is None else saved.previous.counters(others)
        self._closed = None if saved.closed is None else saved.closed.snapshot(others)
        self._reason, self.is_over = saved.reason, saved.is_over

    def watch(self, counters: Statistics, counts: Mapping[Direction, DirectionCounts]) -> None:
        """Process the counters of a moment."""
        if self.is_over:
            return
        now = Moment.of(counters.time, counts)
        if any(counts[way].offered >= plan.count for way, plan in self._plans.items()):
            self._end_early(now, counters)
            return
        self._add(now, counters)
        while self._candidates and self._has_enough(self._candidates[0], now):
            if self._find_trend(self._candidates[0], now):
                del self._candidates[0]
                continue
            self._closed = self._take(counters)
            self.is_over = True
            return
        self._give_up_if_hopeless(now)
        self._previous = counters

    def fraction(self, counts: Mapping[Direction, DirectionCounts]) -> float:
        """Return the progress of the oldest candidate towards the wanted deliveries, from 0 to 1."""
        begin = self._candidates[0].moment.ways if self._candidates else None
        shares = (
            (counts[way].delivered - begin[way].delivered) / wanted if begin else 0.0
            for way, wanted in self._wanted.items()
        )
        return 1.0 if self.is_over else min(shares, default=0.0)

    def ends(self, final: Statistics, counts: Mapping[Direction, DirectionCounts]) -> Ends:
        """Return both ends of the measured window of a run that ended with these counters, just now."""
        if not self.is_over and self._previous is not None and self._previous.time < final.time:
            self._add(Moment.of(final.time, counts), final)
            self._previous = final
        if self._candidates and self._closed is not None:
            return self._ends_after(self._candidates[0], self._closed)
        if not self.is_over and self._moments:
            end = self._take(final)
            found = self._best()
            if found is not None:
                return self._ends_after(found, end)
        reason = self._why_nothing(counts) or self._reason or self._why_none(Moment.of(final.time, counts))
        return Ends(self._zero, self._take(final), (), reason)

    def _ends_after(self, begin: Candidate, end: Snapshot) -> Ends:
        return Ends(begin.snapshot, end, self._moments_since(begin), "")

    def _moments_since(self, begin: Candidate) -> list[Moment]:
        return [it for it in self._moments if it.time_fs >= begin.moment.time_fs]

    def _add(self, now: Moment, counters: Statistics) -> None:
        """Keep a moment, and also a candidate if one is due."""
        if self._first is None:
            if any(self._since(self._before, now, way) < self._depths[way] for way in self._ways(now)):
                self._early.append(now)
                if len(self._early) > MOST_MOMENTS:
                    self._early = self._early[::2]
                return
            self._first = now
        self._moments.append(now)
        is_due = not self._candidates or self._least(self._candidates[-1].moment, now) >= self._distance
        if is_due:
            self._candidates.append(Candidate(self._take(counters), now))
        if len(self._candidates) > MOST_CANDIDATES:
            self._candidates = self._candidates[::2]
            self._spacing *= 2
        if len(self._moments) > MOST_MOMENTS:
            kept = {it.moment.time_fs for it in self._candidates}
            halved = enumerate(self._moments)
            self._moments = [it for place, it in halved if place % 2 == 0 or it.time_fs in kept]

    @property
    def _distance(self) -> int:
        """Deliveries of the slowest direction between two candidates."""
        wanted = min(self._wanted.values(), default=0)
        return max(wanted // CANDIDATES_PER_WINDOW, self._spacing if not wanted else 1)

    def _ways(self, now: Moment) -> list[Direction]:
        """Return the directions that carry a load; those from outside do if any frame has come."""
        return [way for way, plan in self._plans.items() if not plan.is_live or now.ways[way].has_begun]

    @staticmethod
    def _since(begin: Moment, now: Moment, way: Direction) -> int:
        return now.ways[way].delivered - begin.ways[way].delivered

    def _least(self, begin: Moment, now: Moment) -> int:
        return min((self._since(begin, now, way) for way in self._ways(now)), default=0)

    def _has_enough(self, begin: Candidate, now: Moment) -> bool:
        """Return true if every direction has reached its wanted deliveries, if there are any."""
        return bool(self._wanted) and all(
            self._since(begin.moment, now, way) >= wanted for way, wanted in self._wanted.items()
        )

    def _find_trend(self, begin: Candidate, now: Moment) -> bool:
        since = self._moments_since(begin)
        before = self._moments[: len(self._moments) - len(since)]
        trend = find_trend(since, self._ways(now), [*self._early, *before])
        if trend is not None:
            self._reason = f"the run was not steady: {trend}"
        return trend is not None

    def _best(self) -> Candidate | None:
        """Return the candidate with the smallest errors among those with enough deliveries and no trend."""
        last = self._moments[-1]
        ways = self._ways(last)
        best, least_error = None, math.inf
        for candidate in self._candidates:
            since = self._moments_since(candidate)
            if self._least(candidate.moment, last) < FEWEST_MEASURED or len(since) <= BATCHES:
                break
            error = sum(relative_error(since, way) for way in ways)
            if error < least_error and not self._find_trend(candidate, last):
                best, least_error = candidate, error
        return best

    def _end_early(self, now: Moment, counters: Statistics) -> None:
        """Close before a source has sent its last frame: with the last look."""
        self.is_over = True
        found = self._best() if self._moments else None
        if found is None:
            self._reason = self._reason or self._why_none(now)
            self._candidates = []
            return
        self._candidates = [found]
        self._closed = replace(self._take(counters), counters=self._previous or counters)

    def _give_up_if_hopeless(self, now: Moment) -> None:
        if not self._wanted:
            return
        if self._first is not None:
            first = self._first
            # Drops may begin when the queues are full, and the frames that came before are delivered first.
            since = {way: self._since(first, now, way) - now.ways[way].inside for way in self._wanted}
            self.is_over = min(since[way] / it for way, it in self._wanted.items()) >= MOST_WINDOWS
        has_delivered = all(self._since(self._before, now, way) for way in self._plans)
        most = MOST_UNEQUAL if has_delivered else MOST_IN_VAIN
        for way, wanted in self._wanted.items():
            settled = now.ways[way].settled - self._before.ways[way].settled
            self.is_over |= settled >= most * (wanted + self._depths[way])
        if self.is_over:
            # Counts of the moment: frames that are delivered later would contradict them.
            ended = f"measuring ended at {now.time_fs / 10**12:.3f} ms"
            self._reason = self._reason or f"{ended}: {self._why_none(now)}; --time (`time`) measures longer"
            self._candidates = []

    def _why_nothing(self, counts: Mapping[Direction, DirectionCounts]) -> str:
        """Return the whereabouts of the frames of a direction that delivered none; empty if all did."""
        for way, plan in self._plans.items():
            if not counts[way].delivered and (counts[way].offered or not plan.is_live):
                return f"{way} delivered nothing: {_whereabouts(counts[way])}"
        return ""

    def _why_none(self, now: Moment) -> str:
        """Return the reason why no window was found until now."""
        left = (plan.count - self._before.ways[way].settled for way, plan in self._plans.items())
        fewest = min(left, default=FEWEST_MEASURED)
        if fewest < FEWEST_MEASURED:
            sent = f"{fewest} {'was' if fewest == 1 else 'were'} sent"
            return f"a rate needs {FEWEST_MEASURED} deliveries in each direction, and {sent}"
        ways = self._ways(now)
        if not ways:
            return "no frames came from outside"
        if self._first is None:
            missing = {way: self._depths[way] - self._since(self._before, now, way) for way in ways}
            way = max(missing, key=missing.__getitem__)
            depth = self._depths[way]
            delivered = amount(depth - missing[way], "frame")
            begin = f"measuring starts after {depth:,} deliveries (the most frames in flight)"
            return f"{way} delivered {delivered}; {begin}"
        since = {way: self._since(self._first, now, way) for way in ways}
        way = min(since, key=since.__getitem__)
        return (
            f"{way} delivered {amount(since[way], 'frame')} after the start of the run, and "
            f"a rate needs {FEWEST_MEASURED} in more than {BATCHES} observations"
        )


def _whereabouts(counts: DirectionCounts) -> str:
    """Return the places of the offered frames of a direction that delivered none, in a clause."""
    places = [
        f"{number:,} {'was' if number == 1 else 'were'} dropped by {place} ({reason.replace('_', ' ')})"
        for place, reasons in counts.dropped.items()
        for reason, number in reasons.items()
    ]
    if counts.in_flight > 0:
        places.append(f"{counts.in_flight:,} {'is' if counts.in_flight == 1 else 'are'} inside")
    return (
        f"of {amount(counts.offered, 'frame')} offered, {', '.join(places)}" if places else "none was offered"
    )
