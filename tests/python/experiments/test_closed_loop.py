"""Streams of TCP between servers with RiceNICs: boots, and waits of TCP."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from spinach_nic.experiments import _closed_loop
from spinach_nic.experiments._closed_loop import Carried, ClosedLoop
from spinach_nic.experiments._servers import boots_of, quotable
from spinach_nic.experiments.runner.experiment import FULL, QUICK
from spinach_nic.runs.measuring import mean_of
from spinach_nic.servers import linux
from spinach_nic.servers.stalls import Packet
from spinach_nic.support.measured import Measured

LOOP = ClosedLoop("base", 1500, ("tx",), 1, windows=1, window_ms=1, warm_up_ms=12)


def test_the_mean_of_boots_has_their_differences_and_adds_their_frames() -> None:
    boot = Carried({"tx": Measured(1.0, 0.1), "rx": Measured(0.9)}, idle=0.5, dropped=1, dropped_before=2)
    other = replace(boot, line_rate_fraction={"tx": Measured(1.0, 0.1), "rx": Measured(0.6)}, idle=0.7)
    mean = mean_of([boot, other])
    assert mean.line_rate_fraction["tx"].error == pytest.approx(0.1 / 2**0.5)
    assert mean.line_rate_fraction["rx"].value == pytest.approx(0.75)
    # Student's quantile for one degree of freedom is 12.71.
    assert mean.line_rate_fraction["rx"].error == pytest.approx(12.706 * 0.15, rel=1e-3)
    assert mean.idle == pytest.approx(0.6)
    assert (mean.dropped, mean.dropped_before) == (2, 4)
    assert quotable(mean, {"idle": mean.idle}) == {"idle": mean.idle, "stall": None}
    stalled = mean_of([boot, replace(other, stall="TCP waited")])
    assert quotable(stalled, {"idle": 1.0}) == {"idle": None, "stall": "1 of 2 boots: TCP waited"}


def test_a_full_extent_has_several_boots() -> None:
    assert [boots_of(LOOP, extent).seeds for extent in (FULL, QUICK)] == [(0, 1, 2, 3, 4), (0,)]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(linux.kept() is None, reason="there is no kernel for the server: `make linux` builds it")
def test_the_link_is_watched_from_the_boot_and_each_boot_begins_at_another_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[int] = []

    def stall_of(packets: Iterator[Packet], begins_ns: int, ends_ns: int, *, has_lost: bool) -> str:
        times = [packet.time_ns for packet in packets]
        assert times[0] < begins_ns < times[-1] < ends_ns
        assert (begins_ns, ends_ns, has_lost) == (12_000_000, 13_000_000, False)
        opened.append(times[0])
        return "TCP waited"

    monkeypatch.setattr(_closed_loop, "stall_of", stall_of)
    boots = [replace(LOOP, seed=seed).carry_out() for seed in (0, 1)]
    assert [boot.stall for boot in boots] == ["TCP waited"] * 2
    assert opened[1] - opened[0] == pytest.approx(50_000, rel=0.5)
