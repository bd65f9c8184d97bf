"""Percentiles and distributions of latencies, by rank, and profiles of a part of a run."""

from spinach_nic.runs.assembly import _latency
from spinach_nic.runs.result import Latency
from spinach_nic.runs.tasks import Context, Cost, Profile


def percentiles(buckets: dict[int, int], longest: int) -> tuple[int, int, int]:
    found = _latency(buckets, longest)
    assert isinstance(found, Latency)
    return found.p50, found.p99, found.max


def test_a_percentile_is_the_smallest_latency_that_so_many_frames_do_not_exceed() -> None:
    assert _latency({}, 0) is None
    assert percentiles({10: 1}, 10) == (10, 10, 10)
    # Of a hundred frames the fiftieth and the ninety-ninth.
    assert percentiles({10: 50, 20: 49, 30: 1}, 30) == (10, 20, 30)
    assert percentiles({10: 49, 20: 49, 30: 2}, 30) == (20, 30, 30)
    # Of 101 frames the 51st and the hundredth.
    assert percentiles({10: 50, 20: 50, 30: 1}, 30) == (20, 20, 30)
    assert percentiles({10: 51, 20: 48, 30: 2}, 30) == (10, 30, 30)


def test_no_latency_exceeds_the_longest_one() -> None:
    # The last bucket holds latencies of up to 40 ns, the longest of which was 33 ns.
    found = _latency({10: 1, 40: 3}, 33)
    assert isinstance(found, Latency)
    assert (found.p50, found.p99, found.max) == (33, 33, 33)
    assert found.distribution == ((10, 1), (33, 3))


def test_a_profile_since_another_has_the_costs_and_calls_between_them() -> None:
    def profile(scale: int) -> Profile:
        contexts = [[Context(0, 0, 0), Context(0, 0x100, 0x200)]]
        cost = Cost(instructions=3 * scale, memory_accesses=scale)
        by_core = [{0x200: cost}]
        return Profile({0x200: cost}, contexts, {(0, 1, 0x200): cost}, {(0, 1): 2 * scale}, by_core, [scale])

    assert profile(5) - profile(2) == profile(3)
    assert (profile(2) - profile(2)).calls == {}
