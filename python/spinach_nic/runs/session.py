"""A run from its first frame until every frame is accounted for."""

from __future__ import annotations

import time as wall_clock
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Literal, Protocol

from msgspec import Struct

from spinach_nic.benches.base import Bench, BenchProbes
from spinach_nic.cards.drivers import DriverError, DriverLog, RunningDriver
from spinach_nic.model.simulation import Outcome, Simulation, Statistics
from spinach_nic.model.simulation.conditions import Condition, Counted
from spinach_nic.model.simulation.simulation import END_OF_TIME
from spinach_nic.runs.accounting import Accounts, DirectionCounts, check_counters
from spinach_nic.runs.faults import core_places, find_fault
from spinach_nic.runs.images import ChosenImage
from spinach_nic.runs.live import DEVICE_LOST_HELP, LiveRun, is_of_device
from spinach_nic.runs.result import Failure
from spinach_nic.runs.simbricks import LOST_HELP
from spinach_nic.runs.tasks import take_profile
from spinach_nic.runs.window import Ends, SavedWindow, Snapshot, Window
from spinach_nic.support import signals
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.representations import amount, microseconds
from spinach_nic.support.units import Time, ms, s, us
from spinach_nic.traffic import (
    DIRECTIONS,
    ENDLESS,
    FRAME_OVERHEAD_BYTES,
    Direction,
    FramePlan,
    Plans,
)

POLL_INTERVAL = us(100)
"""Maximum simulated time between two polls of a run."""
MOST_SKIPPED_POLLS = 100
"""Maximum polls skipped while idle."""
FRAMES_BETWEEN_POLLS = 8
"""Deliveries between two polls: see `_run_on`. Fast cards have more: `Passage.look_interval`."""
POLLS_IN_A_WINDOW = 32
"""Polls in a window of wanted deliveries, at least."""
LIVE_POLL_INTERVAL, LIVE_FRAMES_BETWEEN_POLLS = ms(1), 64
"""Poll intervals of a live run, in which a poll costs as much as the work of several frames."""
AFTER_THE_LAST_FRAME = us(1)
"""Continuation of a run, so that captures and traces see the last frame too."""
MOST_MISSING = 8
"""Maximum frames that a failure names."""
BETWEEN_REPORTS_S = 0.05
END_LANE = 2
"""Lane on which sources take the number of frames after which they end."""

Counts = Mapping[Direction, DirectionCounts]
Latencies = Mapping[int, int]
"""Number of frames in each bucket, by its longest latency in nanoseconds."""


class Progress(Struct, frozen=True):
    """Progress of a run."""

    simulated: Time
    frames: int
    """Delivered or dropped, in both directions."""
    fraction: float
    """Progress from 0 to 1."""
    counts: Counts
    """Account of the frames."""
    counters: Statistics
    """All counters."""
    probes: BenchProbes
    """Probes of the bench."""
    behind: Time | None = None
    """Lag of simulated time behind wall time; `None` if it does not follow wall time."""


class Sample(Struct, frozen=True):
    """Deliveries until a moment."""

    time_ns: int
    delivered: Mapping[Direction, int]


class Samples:
    """Samples over a run; their distance grows so that at most `MOST` are kept."""

    MOST = 2000

    def __init__(self) -> None:
        """Begin without samples."""
        self.taken: list[Sample] = []
        self._apart_ns = 0

    def take(self, time_ns: int, counts: Counts) -> None:
        """Keep a sample, unless the last is too near."""
        if self.taken and time_ns - self.taken[-1].time_ns < max(self._apart_ns, 1):
            return
        self.taken.append(Sample(time_ns, {way: count.delivered for way, count in counts.items()}))
        if len(self.taken) > self.MOST:
            self.taken = self.taken[::2]
            self._apart_ns = 2 * (self.taken[-1].time_ns // len(self.taken))


class SavedSession(Struct, frozen=True):
    """Progress of a run when it was saved."""

    window: SavedWindow
    samples: list[Sample]
    look_at_fs: int
    """Time of the next sample if nothing is delivered."""
    next_delivered: int
    last_change_fs: Mapping[Direction, int]
    last_progress: Mapping[Direction, int]
    latencies: Mapping[Direction, Latencies]
    """Latencies of frames of the warm-up."""
    warm_up: Mapping[Direction, int]
    """Deliveries of a direction with which its warm-up ends; none if it has ended."""
    counts: Mapping[Direction, int]
    """Frames after which each source ends."""


class Restored(Struct, frozen=True):
    """Start of a restored run, besides the state of its simulation."""

    session: SavedSession | None
    """Saved session; `None` if it continues as another run."""
    drivers: Sequence[DriverLog]
    ended: Collection[Direction] = ()
    """The directions in which no more frames are sent."""


class Saving(Struct, frozen=True):
    """Time and action of a checkpoint."""

    time: Time
    save: Callable[[SavedSession, tuple[DriverLog, ...]], None]


class Ending(Struct, frozen=True):
    """Ending of a run."""

    kind: Literal["complete", "interrupted", "fault", "stopped", "frames"]
    failure: Failure | None = None
    help: str = ""


class Controller(Protocol):
    """External controller of a simulation, such as a debugger or a device."""

    is_live: ClassVar[bool]
    """True if frames come from outside at any time."""
    goes_back: ClassVar[bool]
    """True if simulated time may go back."""

    def run(self, span: Time, until: Sequence[Condition]) -> Outcome:
        """Run on for a span of simulated time, or until a condition holds."""

    def finish(self, *, is_complete: bool) -> None:
        """End the connection with the simulation.

        Raises:
            SpinachError: The other side is gone, or a file cannot be written.
        """


class Session:
    """One run of a simulation that is loaded and has not begun."""

    def __init__(
        self,
        bench: Bench,
        simulation: Simulation,
        image: ChosenImage | None,
        plans: Plans,
        *,
        end: Time | None,
        stall_after: Time,
        controller: Controller | None = None,
        restored: Restored | None = None,
        saving: Saving | None = None,
    ) -> None:
        """Run `simulation` of `bench`.

        Args:
            bench: The simulated system.
            simulation: The simulation of the bench.
            image: The firmware of its cores.
            plans: The frames to send.
            end: Latest end of the run; `None` to end only when all frames are accounted for.
            stall_after: Maximum time without progress of a direction that has frames to deliver.
            controller: External controller of the simulation, if there is one.
            restored: The start of a restored run.
            saving: The time at which it is saved.
        """
        self._controller = controller
        self._poll_interval = LIVE_POLL_INTERVAL if self._is_live else POLL_INTERVAL
        self.bench = bench
        self.simulation = simulation
        self.probes = bench.probes()
        check_counters(self.probes)
        self._image = image
        self._end = end
        self.plans: dict[Direction, FramePlan] = {
            direction: plans[direction]
            for direction in DIRECTIONS
            if not plans[direction].is_silent and (restored is None or direction not in restored.ended)
        }
        self._counts = {way: plan.count for way, plan in self.plans.items()}
        self._frames_between_polls = self._look_interval()
        self._saving = saving
        self._logs = tuple(DriverLog() for _ in bench.drivers())
        self._drivers = self._begin_drivers(bench, restored)
        self._accounts = Accounts(self.probes)
        self._sinks: dict[Direction, str] = {"tx": self.probes.tx.sink.path, "rx": self.probes.rx.sink.path}
        self._next_delivered = 0
        self._at_delivery = True  # the start counts as a moment just after a delivery
        depths: dict[Direction, int] = {"tx": self.probes.tx.depth, "rx": self.probes.rx.depth}
        counters = simulation.statistics()
        zero, counts = self.snapshot(counters), self.counts(counters)
        self.window = Window(zero, counts, self.plans, depths, self.snapshot)
        longest_gap = max(map(_longest_gap, self.plans.values()), default=Time(0))
        self._stall_after = stall_after + longest_gap
        self._start_up = bench.start_up
        self._link_start_up = bench.link_start_up
        self._last_change = dict.fromkeys(self.plans, simulation.now)
        self._last_progress = dict.fromkeys(self.plans, -1)
        self.samples = Samples()
        self._latencies_before = self._latencies_so_far()
        # Frames that were inside when another run was saved arrive first.
        self._warm_up = {way: it.delivered + it.in_flight for way, it in counts.items() if it.in_flight > 0}
        self._look_at: Time | None = None
        if restored is not None and restored.session is not None:
            self._restore(restored.session)
        elif restored is not None:
            self._end_sources(self._counts)  # those that the saved run had ended continue

    def _begin_drivers(self, bench: Bench, restored: Restored | None) -> list[RunningDriver]:
        saved = restored.drivers if restored is not None else [None] * len(self._logs)
        return [
            RunningDriver(self.simulation, driver, log=log if self._saving else None, saved=then)
            for driver, log, then in zip(bench.drivers(), self._logs, saved, strict=True)
        ]

    def _restore(self, saved: SavedSession) -> None:
        self.window.restore(saved.window)
        self.samples.taken = list(saved.samples)
        self._at_delivery = False
        self._next_delivered = saved.next_delivered
        self._last_change = {way: Time(time_fs) for way, time_fs in saved.last_change_fs.items()}
        self._last_progress = dict(saved.last_progress)
        self._latencies_before = dict(saved.latencies)
        self._warm_up = dict(saved.warm_up)
        self._look_at = Time(saved.look_at_fs)
        self._counts = dict(saved.counts)

    def latencies(self, direction: Direction) -> Latencies:
        """Return the latencies of frames of a direction, without those of a warm-up."""
        if direction in self._warm_up:
            return {}
        before = self._latencies_before[direction]
        now: Latencies = dict(self._latency_state(direction).get("buckets", ()))
        since = {longest: count - before.get(longest, 0) for longest, count in now.items()}
        return {longest: count for longest, count in since.items() if count}

    def longest_latency(self, direction: Direction) -> int:
        """Return the longest latency of a direction, in nanoseconds; 0 if that is not measured."""
        return int(self._latency_state(direction).get("max_ns", 0))

    def _latency_state(self, direction: Direction) -> Mapping[str, Any]:
        return self.simulation.state(self._sinks[direction], "/checker/latency") or {}

    def _end_warm_up(self, counts: Counts) -> None:
        for way in [way for way, last in self._warm_up.items() if counts[way].delivered >= last]:
            self._latencies_before[way] = self._latencies_so_far()[way]
            del self._warm_up[way]

    def _latencies_so_far(self) -> dict[Direction, Latencies]:
        return {way: dict(self._latency_state(way).get("buckets", ())) for way in DIRECTIONS}

    def _save(self) -> None:
        assert self._saving is not None
        assert self._look_at is not None
        saved = SavedSession(
            self.window.save(),
            self.samples.taken,
            self._look_at.femtoseconds,
            self._next_delivered,
            {way: time.femtoseconds for way, time in self._last_change.items()},
            self._last_progress,
            self._latencies_before,
            self._warm_up,
            self._counts,
        )
        self._saving.save(saved, self._logs)
        self._saving = None

    @property
    def is_unsaved(self) -> bool:
        """Return true if the run was to be saved and has not reached that time."""
        return self._saving is not None

    def snapshot(self, counters: Statistics) -> Snapshot:
        """Return a snapshot of all counts; `counters` are the present counters."""
        return Snapshot(counters, take_profile(self.simulation, self.probes.cores), counters)

    def counts(self, counters: Statistics) -> Counts:
        """Return the account of the frames."""
        return self._accounts.counts(counters)

    def measured(self) -> Statistics:
        """Return the counts of the measured window of a run that has ended."""
        ends = self.ends()
        return ends.end.counters - ends.start.counters

    def ends(self) -> Ends:
        """Return both ends of the measured window of a run that has ended."""
        final = self.simulation.statistics()
        return self.window.ends(final, self.counts(final))

    def run(self, progress: Callable[[Progress], None] | None) -> Ending:
        """Run until it ends; an interruption is an ending too."""
        try:
            with signals.let_in():
                return self._run(progress)
        except KeyboardInterrupt:
            return Ending("interrupted")

    def _run(self, progress: Callable[[Progress], None] | None) -> Ending:
        last_report = 0.0
        while True:
            counters = self.simulation.statistics()
            counts = self.counts(counters)
            if self._look_at is not None:  # it was saved between two polls
                ending = self._run_on(counts, self._look_at)
                if ending is not None:
                    return ending
                continue
            now = counters.time
            self.samples.take(now.femtoseconds // 10**6, counts)
            self._end_warm_up(counts)
            self.window.watch(counters, counts)
            if self.window.is_over:
                self._stop_sources(counts)
            ending = self._ending(counts, now)
            wall_s = wall_clock.monotonic()
            if progress is not None and (ending or wall_s - last_report >= BETWEEN_REPORTS_S):
                last_report = wall_s
                progress(self._progress(counts, counters))
            if ending is not None:
                if ending.failure is None:  # the message of a failure has the counts of this moment
                    self._run_out()
                return ending
            self._look_at = now + self._poll_interval
            ending = self._pass_silence(counts) or self._run_on(counts, self._look_at)
            if ending is not None:
                return ending

    def _look_interval(self) -> int:
        """Return the deliveries between two polls: as the card has it, and several polls in a window."""
        if self._is_live:
            return LIVE_FRAMES_BETWEEN_POLLS
        wanted = [plan.measured // POLLS_IN_A_WINDOW for plan in self.plans.values() if plan.measured]
        interval = min([self.probes.tx.look_interval, self.probes.rx.look_interval, *wanted])
        return max(FRAMES_BETWEEN_POLLS, interval)

    def _stop_sources(self, counts: Counts) -> None:
        """End the sources that send for the window only, after the frame that they are about to send."""
        if self._end is not None and not any(plan.measured for plan in self.plans.values()):
            return
        ended = {
            way: min(max(counts[way].offered + 1, plan.measured), plan.count)
            for way, plan in self.plans.items()
            if not plan.is_live
            and self._counts[way] == plan.count
            and (plan.measured or plan.count == ENDLESS)
        }
        # A client of a debugger may have gone back to before they ended.
        if ended or (self._controller is not None and self._controller.goes_back):
            self._counts |= ended
            self._end_sources(self._counts)

    def _end_sources(self, counts: Mapping[Direction, int]) -> None:
        for way, count in counts.items():
            path = self.probes.tx if way == "tx" else self.probes.rx
            if not self.plans[way].is_live:
                self.simulation.inject(path.source, count.to_bytes(8, "little"), lane=END_LANE)

    def _pass_silence(self, counts: Counts) -> Ending | None:
        """Skip polls while no frame is inside and none is offered: their result would be the same."""
        is_alone = self._saving is None and (self._controller is None or self._is_live)
        if self._at_delivery or not is_alone or any(count.in_flight for count in counts.values()):
            return None
        begin, interval = self.simulation.now, self._poll_interval.femtoseconds
        # Independent of the end of the run, so that an interrupted run and its replay have equal polls.
        waiting = [self._last_change[way] for way in self.plans if not self._is_accounted(way, counts[way])]
        patience = (min(waiting, default=begin) + self._stall_after).femtoseconds - begin.femtoseconds
        polls = min(patience // interval, MOST_SKIPPED_POLLS)
        if polls < 2:
            return None
        sources = {"tx": self.probes.tx.source, "rx": self.probes.rx.source}
        offers = [Counted(sources[way], "offered", counts[way].offered + 1) for way in DIRECTIONS]
        end = begin + Time((polls - 1) * interval)
        ending = self._outcome_of(end if self._end is None else min(end, self._end), offers)
        self._at_delivery = False
        passed = (self.simulation.now.femtoseconds - begin.femtoseconds) // interval
        for number in range(1, passed + 1):
            self.samples.take((begin.femtoseconds + number * interval) // 10**6, counts)
        self._look_at = begin + Time((passed + 1) * interval)
        return ending

    def _run_on(self, counts: Counts, end: Time) -> Ending | None:
        """Run to the next look, at `end` at the latest.

        A host takes frames in bursts. A window that begins and ends at any moment would hold a burst more or
        less than it should; so it begins and ends just after the delivery of one.
        """
        if self._end is not None:
            end = min(end, self._end)
        warm_ups = [Counted(self._sinks[way], "delivered", last) for way, last in self._warm_up.items()]
        deliveries = [*warm_ups, *self._last_deliveries(counts)]
        if self.plans:
            watched: Direction = "rx" if "rx" in self.plans else "tx"
            if self._at_delivery:
                self._next_delivered = counts[watched].delivered + self._frames_between_polls
            deliveries.insert(0, Counted(self._sinks[watched], "delivered", self._next_delivered))
        self._look_at, ending = None, self._outcome_of(end, deliveries)
        return ending

    def _outcome_of(self, end: Time, until: Sequence[Counted]) -> Ending | None:
        """Run to `end` or until a condition holds, and say how the run has ended if it has."""
        try:
            outcome = self._advance(end, until)
        except DriverError as error:
            return Ending("stopped", Failure(error.message, ""), error.help)
        self._at_delivery = outcome.reason == "condition"
        if outcome.reason == "ended":
            return Ending("complete")
        if outcome.reason == "lost":
            return Ending("stopped", Failure(outcome.details, ""), LOST_HELP)
        if outcome.reason != "stopped":
            return None
        executable = self._image.executable if self._image else None
        fault = find_fault(self.simulation, self.probes.cores, executable)
        if fault is not None:
            help = "correct the firmware; the registers and the last instructions are in the result"
            return Ending("fault", Failure(fault.message, fault.details), help)
        if is_of_device(outcome.details):
            return Ending("stopped", Failure(outcome.details, ""), DEVICE_LOST_HELP)
        message = f"{outcome.details} (at {microseconds(self.simulation.now)})"
        places = core_places(self.simulation, self.probes.cores, executable)
        firmware = "the firmware, which may have given a wrong value to this module, or " * bool(places)
        help = f"correct {firmware}the composition"
        return Ending("stopped", Failure(message, places), help)

    def _last_deliveries(self, counts: Counts) -> list[Counted]:
        """Deliveries with which each unfinished direction ends if no frame is dropped."""
        return [
            Counted(self._sinks[way], "delivered", count)
            for way, count in self._counts.items()
            if count != ENDLESS and counts[way].delivered < count
        ]

    def _advance(self, end: Time, until: Sequence[Counted]) -> Outcome:
        """Run to `end` or until something is counted, and let drivers act on what they wait for."""
        # A driver may act every few clock cycles.
        is_direct = bool(self._drivers) and self._controller is None and self._saving is None
        counters = self.simulation.counters_of(until)
        end_fs = min(end, END_OF_TIME).femtoseconds
        while True:
            waiting = [driver for driver in self._drivers if not driver.is_over]
            if is_direct:
                outcome = self.simulation.run_to(end_fs, [*counters, *[driver.awaited for driver in waiting]])
            else:
                outcome = self._run_until(end, [*until, *(driver.condition for driver in waiting)])
            if outcome.reason != "condition" or not waiting:
                return outcome
            has_ended = self.simulation.holds(counters)
            for driver in waiting:
                if driver.is_due:
                    driver.resume()
            if has_ended:
                return outcome

    def _run_until(self, end: Time, until: Sequence[Condition]) -> Outcome:
        """Run until a moment or a condition, and save the run when its time has come."""
        saving = self._saving
        if saving is not None and saving.time <= end:
            outcome = self._runner.run(saving.time - self.simulation.now, until=until)
            if outcome.reason != "reached":
                return outcome
            self._save()
        return self._runner.run(end - self.simulation.now, until=until)

    @property
    def _runner(self) -> Simulation | Controller:
        return self._controller or self.simulation

    @property
    def _is_live(self) -> bool:
        return self._controller is not None and self._controller.is_live

    @property
    def live(self) -> LiveRun | None:
        """Connection to the world outside, if the run has one."""
        return self._controller if isinstance(self._controller, LiveRun) else None

    def finish(self, *, is_complete: bool) -> SpinachError | None:
        """End the connection with the controller; return the reason if it could not complete its output."""
        try:
            if self._controller is not None:
                self._controller.finish(is_complete=is_complete)
        except SpinachError as error:
            return error
        return None

    def _ending(self, counts: Counts, now: Time) -> Ending | None:
        wrong = self._wrong(counts)
        if wrong is not None:
            return wrong
        is_over = bool(self.plans) and all(self._is_accounted(way, counts[way]) for way in self.plans)
        if is_over or now == self._end:
            return Ending("complete")
        if not self.plans:
            return None
        progress = {way: counts[way].progress for way in self.plans}
        for way in self.plans:
            # From outside, frames come when they come.
            is_waiting = self._is_live and not counts[way].in_flight
            if (
                progress[way] != self._last_progress[way]
                or is_waiting
                or self._is_accounted(way, counts[way])
            ):
                self._last_progress[way], self._last_change[way] = progress[way], now
        patience = self._stall_after
        if not any(progress.values()):
            patience += self._start_up
        if not all(progress.values()):
            patience += self._link_start_up
        stalled = [way for way in self.plans if now - self._last_change[way] >= patience]
        return self._stalled(counts, stalled) if stalled else None

    def _run_out(self) -> None:
        if self._is_live:
            return
        span = AFTER_THE_LAST_FRAME
        if self._end is not None:
            span = min(span, self._end - self.simulation.now)
        if span:
            self.simulation.run(span)

    def _is_accounted(self, direction: Direction, counts: DirectionCounts) -> bool:
        return counts.offered >= self._counts[direction] and counts.in_flight <= 0

    def _wrong(self, counts: Counts) -> Ending | None:
        for direction, count in counts.items():
            said = ", ".join(f"{number} {what}" for what, number in count.wrong.items() if number)
            if not said and count.in_flight < 0:
                said = f"{-count.in_flight} more than were offered"
            if said:
                message = f"{direction}: of {amount(count.offered, 'frame')} offered, {said}"
                help = "every frame must arrive once, in order and whole: look at the firmware"
                details = self._missing(direction) if count.corrupted or count.lost else ""
                return Ending("frames", Failure(message, details), help)
        return None

    def _missing(self, direction: Direction) -> str:
        """Return the frames that have not arrived whole, with the times at which they left, if known."""
        checker = self.simulation.state(self._sinks[direction], "/checker")
        if not checker or direction not in self.plans or self.plans[direction].is_live:
            return ""
        following, words = checker["next"], checker["has_arrived"]
        window, departures = 64 * len(words), dict(checker["departures"])
        places = ((number, number % window) for number in range(max(0, following - window), following))
        missing = [number for number, place in places if not words[place // 64] >> place % 64 & 1]
        lines = [
            f"  {number}"
            + (f", left at {microseconds(Time(departures[number]))}" if number in departures else "")
            for number in missing[:MOST_MISSING]
        ]
        title = f"{direction} frames, by number from 0, that were overtaken by number {following - 1}:"
        more = [f"  and {len(missing) - len(lines):,} more"] if len(missing) > len(lines) else []
        return "\n".join([title, *lines, *more]) if missing else ""

    def _stalled(self, counts: Counts, stalled: Sequence[Direction]) -> Ending:
        inside = ", ".join(
            f"{direction} {amount(max(0, counts[direction].in_flight), 'frame')} inside, "
            + (f"{dropped:,} dropped, " if (dropped := counts[direction].dropped_frames) else "")
            + f"{counts[direction].offered} of {_number(count)} offered"
            for direction, count in self._counts.items()
        )
        which = "" if len(stalled) == len(self.plans) else f" of {stalled[0]}"
        since = microseconds(max(self._last_change[way] for way in stalled))
        message = f"no frame{which} has made progress since {since}: {inside}"
        deadlock = self.simulation.deadlock()
        executable = self._image.executable if self._image else None
        places = core_places(self.simulation, self.probes.cores, executable)
        waits = "" if deadlock is None else f"who waits for whom:\n{deadlock}"
        help = "frames are lost or stuck; --stall-after (`stall_after`) says how long to wait for one"
        return Ending("frames", Failure(message, "\n\n".join(filter(None, [places, waits]))), help)

    def _progress(self, counts: Counts, counters: Statistics) -> Progress:
        settled = {direction: _settled(counts[direction]) for direction in self.plans}
        shares = [settled[way] / plan.count for way, plan in self.plans.items() if plan.count != ENDLESS]
        fraction = min(shares, default=self.window.fraction(counts))
        if self._end is not None:
            fraction = max(fraction, float(self.simulation.now / self._end))
        frames, share = sum(settled.values()), min(fraction, 1.0)
        behind = None if self.live is None else self.live.behind
        return Progress(self.simulation.now, frames, share, counts, counters, self.probes, behind)


def _settled(counts: DirectionCounts) -> int:
    return counts.offered - counts.in_flight


def _longest_gap(plan: FramePlan) -> Time:
    """Longest time between two frames of a paced source."""
    gap = Fraction()
    if plan.frame_rate:
        gap = Fraction(1, plan.frame_rate)
    if plan.rate:
        longest = 65535 + FRAME_OVERHEAD_BYTES
        gap = max(gap, Fraction(8 * longest, plan.rate.bits_per_second))
    return Time(int(gap * s(1).femtoseconds))


def _number(count: int) -> str:
    return "endless" if count == ENDLESS else str(count)
