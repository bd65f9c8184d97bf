"""The window of rates, on deliveries that a formula gives: where it begins and ends, to the look."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
import pytest

from spinach_nic.model.simulation import Statistics
from spinach_nic.runs.accounting import DirectionCounts
from spinach_nic.runs.tasks import Profile
from spinach_nic.runs.window import MOST_MOMENTS, Ends, SavedWindow, Snapshot, Window
from spinach_nic.support.units import Time
from spinach_nic.traffic import ENDLESS, Direction, FramePlan, live_frames

LOOK_FS = 10**10
"""Time between two looks."""
DEPTH = 8
Pace = Callable[[int], int]
"""Deliveries between look `n - 1` and look `n`."""


def _counts(delivered: int, at_fs: int, dropped: int = 0, inside: int = 5) -> DirectionCounts:
    return DirectionCounts(
        offered=delivered + dropped + inside,
        delivered=delivered,
        bytes=60 * delivered,
        payload_bytes=18 * delivered,
        corrupted=0,
        reordered=0,
        duplicated=0,
        skipped=0,
        doubled_on_wire=0,
        reordered_on_wire=0,
        last_delivery_fs=at_fs,
        dropped={"mac": {"full": dropped}} if dropped else {},
    )


class Run:
    """A run of which a window sees deliveries at given paces."""

    def __init__(
        self,
        paces: Mapping[Direction, Pace],
        measured: int,
        *,
        count: int = ENDLESS,
        drops: Pace = lambda _: 0,
        is_live: bool = False,
        settled: int = 0,
        inside: int = 5,
    ) -> None:
        """Create the run.

        Args:
            paces: Deliveries of each direction.
            measured: Deliveries to measure.
            count: Frames of each source.
            drops: Dropped frames of each direction between two looks.
            is_live: True if frames come from outside.
            settled: Frames of each direction delivered before the start, and as many dropped.
            inside: Frames of each direction inside; 0 if they come from outside.
        """
        self.paces, self.drops, self.look = paces, drops, 0
        generated = FramePlan(count=count, measured=measured)
        plans = {way: live_frames(1514) if is_live else generated for way in paces}
        self.inside = 0 if is_live else inside
        self.delivered = dict.fromkeys(paces, settled)
        self.dropped = settled
        zero = Snapshot(self.counters, Profile(), self.counters)
        self.taken = 0
        self.window = Window(zero, self.counts, plans, dict.fromkeys(paces, DEPTH), self._take)

    def _take(self, counters: Statistics) -> Snapshot:
        self.taken += 1
        return Snapshot(counters, Profile(), counters)

    @property
    def counters(self) -> Statistics:
        """The counters of now."""
        return Statistics(Time(self.look * LOOK_FS), {}, [])

    @property
    def counts(self) -> dict[Direction, DirectionCounts]:
        """The frames until now."""
        at = self.look * LOOK_FS
        return {way: _counts(number, at, self.dropped, self.inside) for way, number in self.delivered.items()}

    def step(self) -> None:
        """Pass the time until the next look, and look."""
        self.look += 1
        for way, pace in self.paces.items():
            self.delivered[way] += pace(self.look)
        self.dropped += self.drops(self.look)
        self.window.watch(self.counters, self.counts)

    def until_over(self) -> int:
        """Return the look at which the window is over."""
        while not self.window.is_over:
            assert self.look < 10_000, "the window never closes"
            self.step()
        return self.look

    def ends(self) -> Ends:
        """Ends of the window until now."""
        return self.window.ends(self.counters, self.counts)


def looks(ends: Ends) -> tuple[int, int]:
    """Return the looks at which a window begins and ends."""
    begin, end = (one.counters.time.femtoseconds // LOOK_FS for one in (ends.start, ends.end))
    return begin, end


@pytest.mark.parametrize(
    ("pace", "begin"),
    [
        (8, 1),  # as many as may be under way
        (7, 2),
        (4, 2),
        (3, 3),
        (1, 8),
    ],
)
def test_a_steady_window_has_the_wanted_deliveries_and_none_more(pace: int, begin: int) -> None:
    run = Run({"tx": lambda _: pace}, 840)
    assert run.until_over() == begin + 840 // pace
    assert looks(run.ends()) == (begin, run.look)
    assert len(run.ends().moments) == 840 // pace + 1
    assert run.ends().reason == ""


def test_the_slower_direction_begins_and_ends_the_window() -> None:
    run = Run({"tx": lambda _: 100, "rx": lambda _: 2}, 200)
    assert run.until_over() == 104
    assert looks(run.ends()) == (4, 104)


def test_the_next_begin_follows_after_a_quarter_of_the_window() -> None:
    run = Run({"tx": lambda look: 20 if look < 24 else 10}, 1000)
    run.until_over()
    # Candidates are look 1 with 20 frames, then each 250 frames later: look 14 with 280. After the first one
    # three batches of ten are faster, after the second one: no significant slope.
    assert looks(run.ends()) == (14, 105)


def test_a_window_begins_with_frames_that_came_after_the_first_drop() -> None:
    # Drops begin after look 20 with 200 frames delivered and 5 or 100 inside. Candidates are looks 1, 26, 51.
    for inside, begin in ((5, 26), (100, 51)):
        run = Run({"tx": lambda _: 10}, 1000, drops=lambda look: 5 * (look > 20), inside=inside)
        run.until_over()
        assert looks(run.ends()) == (begin, begin + 100)


def test_drops_before_the_first_candidate_are_known() -> None:
    # Look 4 has 4 frames delivered and 20 inside; look 8 is the first candidate, look 58 the next one.
    run = Run({"tx": lambda _: 1}, 200, drops=lambda look: int(look > 4), inside=20)
    run.until_over()
    assert looks(run.ends()) == (58, 258)
    run = Run({"tx": lambda _: 1}, 200, drops=lambda look: 1, inside=20)
    run.until_over()
    assert looks(run.ends()) == (8, 208)


def test_progress_is_the_fraction_of_the_slowest_direction() -> None:
    run = Run({"tx": lambda _: 10, "rx": lambda _: 20}, 100)
    assert run.window.fraction(run.counts) == 0.0
    fractions = []
    while not run.window.is_over:
        run.step()
        fractions.append(run.window.fraction(run.counts))
    assert fractions == pytest.approx([number / 10 for number in range(11)])


def test_a_run_that_is_never_steady_is_given_up_after_eight_windows() -> None:
    run = Run({"tx": lambda look: 10 + look // 4}, 1000)
    run.until_over()
    assert run.delivered["tx"] - 10 >= 8 * 1000
    assert run.delivered["tx"] - run.paces["tx"](run.look) - 10 < 8 * 1000
    assert run.ends().moments == ()
    assert run.ends().reason.startswith("the run was not steady: tx: deliveries changed by +")
    assert looks(run.ends()) == (0, run.look)


def test_a_run_is_given_up_at_exactly_eight_windows_and_the_frames_inside() -> None:
    # Look 4 has delivered 1 + 2 + 3 + 4 frames, look 100 has 5040 more, look 101 has 5141 more.
    for inside, last in ((0, 100), (1, 101), (101, 101), (102, 102)):
        run = Run({"tx": lambda look: look}, 5040 // 8, inside=inside)
        assert run.until_over() == last


def test_a_window_begins_behind_a_queue_longer_than_eight_windows() -> None:
    # Drops begin after look 5 with 50 frames delivered and 2000 inside: look 205 has delivered all of them.
    run = Run({"tx": lambda _: 10}, 120, drops=lambda look: 40 * (look > 5), inside=2000)
    run.until_over()
    assert looks(run.ends()) == (205, 217)


def test_frames_in_vain_end_a_run_after_eight_windows() -> None:
    # Settled frames are offered ones that are not in flight: 8 x (40 + 8) of them are too many.
    run = Run({"tx": lambda _: 6, "rx": lambda _: 0}, 40)
    assert run.until_over() == 8 * 48 // 6
    assert run.ends().reason == "rx delivered nothing: of 5 frames offered, 5 are inside"


def test_dropped_frames_are_in_vain_too() -> None:
    run = Run({"tx": lambda _: 0}, 40, drops=lambda _: 4)
    assert run.until_over() == 8 * 48 // 4
    assert run.ends().reason == (
        "tx delivered nothing: of 389 frames offered, 384 were dropped by mac (full), 5 are inside"
    )


def test_frames_before_the_start_are_not_in_vain() -> None:
    """A restored run begins after those of the saved one."""
    run = Run({"tx": lambda _: 10}, 840, settled=10_000)
    assert run.until_over() == 1 + 84
    assert looks(run.ends()) == (1, 85)
    run = Run({"tx": lambda _: 2, "rx": lambda _: 0}, 40, settled=10_000, drops=lambda _: 4)
    assert run.until_over() == 8 * 48 // 6


def test_a_silent_device_is_named() -> None:
    run = Run({"tx": lambda _: 0, "rx": lambda _: 0}, 0, is_live=True)
    for _ in range(20):
        run.step()
    assert run.ends().reason == "no frames came from outside"


def test_too_few_deliveries_for_a_beginning_are_counted() -> None:
    run = Run({"tx": lambda _: 6, "rx": lambda look: int(look == 1)}, 40)
    for _ in range(20):
        run.step()
    assert (
        run.ends().reason
        == "rx delivered 1 frame; measuring starts after 8 deliveries (the most frames in flight)"
    )


def test_an_unequal_direction_ends_a_run_after_256_windows() -> None:
    run = Run({"tx": lambda _: 48, "rx": lambda look: int(look == 1)}, 40)
    assert run.until_over() == 256 * 48 // 48
    assert run.ends().moments == ()
    # Later deliveries must not contradict the count in the reason.
    run.delivered["rx"] += 100
    ended = f"measuring ended at {256 * LOOK_FS / 10**12:.3f} ms: rx delivered 1 frame; measuring starts"
    assert run.ends().reason.startswith(ended)
    assert run.ends().reason.endswith("; --time (`time`) measures longer")


@pytest.mark.parametrize(
    ("count", "reason"),
    [
        (99, "a rate needs 100 deliveries in each direction, and 99 were sent"),
        (
            100,
            "tx delivered 90 frames after the start of the run, and "
            "a rate needs 100 in more than 10 observations",
        ),
    ],
)
def test_sources_that_end_leave_no_window(count: int, reason: str) -> None:
    run = Run({"tx": lambda _: 10}, 0, count=count)
    run.until_over()
    assert run.ends().moments == ()
    assert run.ends().reason == reason


def test_frames_that_were_sent_before_the_start_do_not_count_for_a_rate() -> None:
    run = Run({"tx": lambda _: 10}, 0, count=2 * 10_000 + 60, settled=10_000)
    run.until_over()
    assert run.ends().reason == "a rate needs 100 deliveries in each direction, and 60 were sent"


def test_without_a_number_the_window_with_the_smallest_error_is_chosen() -> None:
    # Noise until look 100, none from then on; the number of candidates is bounded.
    run = Run({"tx": lambda look: (5, 15)[look % 7 < 3] if look < 100 else 10}, 0)
    for _ in range(400):
        run.step()
    begin, end = looks(run.ends())
    assert end == 400
    assert begin >= 100
    assert run.taken < 50


def test_moments_are_bounded_and_those_of_candidates_are_kept() -> None:
    run = Run({"tx": lambda _: 1}, 10**6)
    for _ in range(3 * MOST_MOMENTS):
        run.step()
    ends = run.ends()
    assert looks(ends) == (8, run.look)
    assert MOST_MOMENTS // 2 < len(ends.moments) <= MOST_MOMENTS + 1
    assert ends.moments[0].time_fs == 8 * LOOK_FS
    # Twice, every second one was forgotten.
    assert {it.time_fs // LOOK_FS % 4 for it in ends.moments[:500]} == {0}


def test_candidates_are_bounded_and_evenly_spaced() -> None:
    run = Run({"tx": lambda _: 1}, 0)
    for _ in range(450):
        run.step()
    # Every 25 frames; from the ninth one on, look 208, every 50; from look 408 on every 100.
    assert [it.moment.time_fs // LOOK_FS for it in run.window.save().candidates] == [8, 108, 208, 308, 408]
    for _ in range(100):
        run.step()
    assert run.window.save().candidates[-1].moment.time_fs == 508 * LOOK_FS


def test_a_window_ends_with_the_run_after_the_last_look() -> None:
    run = Run({"tx": lambda _: 10}, 0)
    for _ in range(50):
        run.step()
    run.look += 1  # the run ends between two looks
    run.delivered["tx"] += 5
    ends = run.ends()
    assert looks(ends) == (1, 51)
    assert ends.moments[-1].ways["tx"].delivered == 505
    # A second question adds nothing.
    assert run.ends().moments == ends.moments
    assert (ends.measured.begins_ns, ends.measured.ends_ns) == (10_000, 510_000)
    assert ends.measured.is_steady


@pytest.mark.parametrize("looks_until_saved", [0, 1, 30, 101, 120])
def test_a_saved_window_is_restored_whole(looks_until_saved: int) -> None:
    def new() -> Run:
        return Run({"tx": lambda _: 9, "rx": lambda look: int(look > 20)}, 100)

    first, second = new(), new()
    for _ in range(looks_until_saved):
        first.step()
    saved = first.window.save()
    second.window.restore(msgspec.msgpack.decode(msgspec.msgpack.encode(saved), type=SavedWindow))
    assert second.window.save() == saved
    second.look, second.delivered = first.look, dict(first.delivered)
    assert first.until_over() == second.until_over()
    assert looks(first.ends()) == looks(second.ends())
