"""The test for steadiness finds trends and not noise; rates have the errors of batch means."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import pytest

from spinach_nic.runs.steadiness import Carried, Gap, Moment, Onset, Trend, excess, find_trend, measure
from spinach_nic.support.measured import BATCHES
from spinach_nic.support.units import Gbps

WIRE_BITS = 8 * 1538
US = 10**9


def moments(
    pace: Callable[[int], float],
    inside: Callable[[int], float] = lambda _: 5,
    drops: Callable[[int], int] = lambda _: 0,
) -> list[Moment]:
    """Return a moment every 10 us of a millisecond, with `frames` delivered and `drops` in each 10 us."""
    delivered, frames, last, found, refused = 0.0, 0, 0, [], 0
    for number in range(101):
        delivered += pace(number) if number else 0
        refused += drops(number) if number else 0
        time = number * 10 * US
        last, frames = time if int(delivered) > frames else last, int(delivered)
        bits = frames * 8 * 1472, frames * WIRE_BITS
        carried = Carried(frames, *bits, last, int(inside(number)), refused, refused)
        found.append(Moment(time, {"tx": carried, "rx": Carried(0, 0, 0, 0, 0)}))
    return found


def noise(size: float, seed: int) -> Callable[[int], float]:
    chance = random.Random(seed)
    return lambda _: 100 + chance.gauss(0, size)


def test_noise_is_no_trend_and_rates_have_its_error() -> None:
    taken = sum(find_trend(moments(noise(10, seed)), ["tx"]) is not None for seed in range(200))
    assert taken <= 8, "one in a hundred is expected"
    inside = 0
    for seed in range(200):
        rate = measure(moments(noise(10, seed)), "tx", Gbps(1000))["frames_per_s"]
        inside += rate.low <= 10e6 <= rate.high
        # Deviation of the mean of 100 draws of 10 in 100, times Student's factor for ten batches.
        assert rate.error / 10e6 == pytest.approx(0.01 * 2.262, rel=0.95)
    assert 180 <= inside <= 199, "the true rate is in 95 of 100 intervals"


@pytest.mark.parametrize("size", [0.0, 2.0, 10.0])
def test_growing_deliveries_are_a_trend(size: float) -> None:
    base = noise(size, 1)
    trend = find_trend(moments(lambda number: base(number) + 0.3 * number), ["tx"])
    assert isinstance(trend, Trend)
    assert (trend.way, trend.what) == ("tx", "deliveries")
    assert trend.change == pytest.approx(30 / 115, rel=0.35)
    assert "tx: deliveries changed by +" in str(trend)


def test_a_queue_that_fills_is_a_trend_and_a_full_one_is_not() -> None:
    filling = find_trend(moments(lambda _: 100, lambda number: 5 * number), ["tx"])
    assert isinstance(filling, Trend)
    assert filling.what == "frames inside"
    assert find_trend(moments(lambda _: 100, lambda number: 500 + number % 3), ["tx"]) is None


def filled(number: int) -> int:
    """Frames inside a card that fills for 250 us, then drops a tenth of what comes."""
    return min(10 * number, 250)


def test_drops_that_begin_within_the_window_are_an_onset() -> None:
    looks = moments(lambda _: 100, filled, lambda number: 10 * (number > 25))
    onset = find_trend(looks, ["tx"])
    # 2750 frames came before the first drop, 10,250 until the end of the window.
    assert onset == Onset("tx", 2750 / 10_250)
    assert str(onset) == "tx: drops began after 27 % of the frames of the window had come"


def test_frames_inside_at_the_begin_of_a_window_came_before_it() -> None:
    """From look 25 on every look has drops; until look 27 frames are delivered that came before them."""
    looks = moments(lambda _: 100, filled, lambda number: 10 * (number > 25))
    assert find_trend(looks[25:], ["tx"], looks[:25]) == Onset("tx", 250 / 7750)
    assert find_trend(looks[27:], ["tx"], looks[:27]) is None
    assert find_trend(looks[25:], ["tx"]) is None, "earlier drops are not known"


def test_few_drops_are_no_onset() -> None:
    """A hundredth of the frames of the window, in its last quarter."""

    def at_the_end(each: int) -> Onset | Trend | Gap | None:
        return find_trend(moments(lambda _: 100, drops=lambda number: each * (number > 75)), ["tx"])

    assert at_the_end(4) is None
    assert at_the_end(5) == Onset("tx", 0.75)


@pytest.mark.parametrize("fraction", [0.05, 0.3, 0.9])
@pytest.mark.parametrize(("looks", "most"), [(1, 8), (5, 25)])
def test_random_drops_are_rarely_an_onset(fraction: float, looks: int, most: int) -> None:
    """Looks with drops, each for itself or in clusters of several, which resemble an onset more often."""

    def found(seed: int) -> Onset | Trend | Gap | None:
        chance, drops = random.Random(seed), [False]
        for _ in range(200):
            is_new = chance.random() < 1 / looks
            drops.append(chance.random() < fraction if is_new else drops[-1])
        return find_trend(moments(lambda _: 100, drops=lambda number: 50 * drops[100 + number]), ["tx"])

    assert sum(found(seed) is not None for seed in range(500)) <= most


def test_a_short_rest_behind_sparse_samples_does_not_hide_a_queue_that_empties() -> None:
    sparse = moments(lambda _: 100, lambda number: 5000 - 50 * number)[:100:11]
    last = sparse[-1].ways["tx"]
    rest = Moment(sparse[-1].time_fs + 1, {"tx": last, "rx": Carried(0, 0, 0, 0, 0)})
    trend = find_trend([*sparse, rest], ["tx"])
    assert isinstance(trend, Trend)
    assert trend.what == "frames inside"
    assert trend.change == pytest.approx(-0.5, rel=0.2)


def test_an_outage_is_no_steady_traffic() -> None:
    """A fifth of the window without deliveries, in the middle of dense traffic and at its end."""
    middle = find_trend(moments(lambda number: 0 if number in range(40, 60) else 100), ["tx"])
    assert str(middle) == "tx: no delivery for 0.210 ms, 21 % of the window"
    end = find_trend(moments(lambda number: 0 if number > 80 else 100), ["tx"])
    assert str(end) == "tx: no delivery for 0.200 ms, 20 % of the window"
    assert find_trend(moments(lambda number: 0 if 40 < number <= 45 else 100), ["tx"]) is None


@pytest.mark.parametrize("apart", [15, 25, 34])
@pytest.mark.parametrize("frames", [1, 30, 1000])
def test_slow_bursts_are_no_outages(apart: int, frames: int) -> None:
    """Batches are empty between them."""
    assert find_trend(moments(lambda number: 0 if number % apart else frames), ["tx"]) is None
    burst = moments(lambda number: 0 if number % apart > 9 else frames)
    assert find_trend(burst, ["tx"]) is None


@pytest.mark.parametrize("number", [10, 30, 100])
def test_random_times_are_no_outages(number: int) -> None:
    taken = 0
    for seed in range(500):
        chance = random.Random(seed)
        times = sorted(chance.randrange(10**12) for _ in range(number))
        at = [Moment(it, {"tx": Carried(place, 0, 0, it, 1)}) for place, it in enumerate(times)]
        taken += isinstance(find_trend(at, ["tx"]), Gap)
    assert taken <= 8, "one in a hundred is expected at most"


@pytest.mark.parametrize(("change", "is_trend"), [(0.9, False), (1.1, True)])
def test_a_change_of_less_than_a_percent_is_no_trend(change: float, is_trend: bool) -> None:
    """Fitted through batches of 1000 frames, from the middle of the first to that of the last."""
    slope = change / 90
    found = find_trend(moments(lambda number: 100 + slope * (number - 50)), ["tx"])
    assert (found is not None) is is_trend


def test_a_window_is_not_shorter_than_its_frames_take_on_the_link() -> None:
    """A backlog of 50 frames is handed over in a window of 10,000: the rate is that of the link."""
    per_10_us = 10e-6 * 10e9 / WIRE_BITS
    backlog = moments(lambda number: per_10_us + (50 if number == 37 else 0), lambda number: 60)
    rates = measure(backlog, "tx", Gbps(10))
    assert rates["line_rate_fraction"].value == pytest.approx(1, abs=1e-12)
    assert excess(backlog, "tx", Gbps(10), 1514) <= 1
    assert measure(backlog, "tx", Gbps(20))["line_rate_fraction"].value > 0.5
    assert excess(backlog, "tx", Gbps(5), 1514) > 1.5, "the link is slower than the probes say"


def test_deliveries_are_compared_with_what_the_link_and_the_card_held() -> None:
    # In 1 ms 10,000 frames; the link carries 10^7 bits, the card held 5 frames and part of the longest.
    bits = 10_000 * WIRE_BITS
    held = 5 * WIRE_BITS + 8 * (1514 + 24)
    found = excess(moments(lambda _: 100), "tx", Gbps(10), 1514)
    assert found == pytest.approx(bits / (10**7 + held), rel=1e-12)
    assert excess(moments(lambda _: 100), "rx", Gbps(10), 1514) == 0.0
    alone = excess(moments(lambda _: 100), "tx", Gbps(10), 1514, with_backlog=False)
    assert alone == pytest.approx(bits / (10**7 + 8 * (1514 + 24)), rel=1e-12)


def test_a_steady_rate_is_exact_to_a_frame() -> None:
    rate = measure(moments(lambda _: 100), "tx", Gbps(1000))["frames_per_s"]
    assert rate.value == pytest.approx(10e6)
    assert rate.error == pytest.approx(1000)
    silent = measure(moments(lambda _: 100), "rx", Gbps(10))
    assert {(rate.value, rate.error) for rate in silent.values()} == {(0.0, 0.0)}


def test_ends_of_a_direction_are_its_deliveries() -> None:
    """Between looks a slow direction has delivered at other moments: the looks do not count."""

    def at(time: int, delivered: int, last: int) -> Moment:
        return Moment(time, {"tx": Carried(delivered, 0, delivered * WIRE_BITS, last, 1)})

    looks: Sequence[Moment] = [
        at(0, 10, -3 * US),
        *(at(n * US, 10 + n, n * US) for n in range(1, BATCHES)),
        at(11 * US, 20, 7 * US),
    ]
    assert measure(looks, "tx", Gbps(100))["frames_per_s"].value == pytest.approx(1e6)
    assert not math.isinf(measure(looks, "tx", Gbps(100))["frames_per_s"].error)
