"""Windows: sources send until they close, loads stay on, and no window means no rates and a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.python.runs.systems import Wires

from spinach_nic import Gbps, Result, SpinachError, run, us
from spinach_nic.benches import BenchProbes
from spinach_nic.cards import Counter
from spinach_nic.library import Fifo, Link, PacketSink, TrafficSource
from spinach_nic.model.simulation import Outcome, Simulation
from spinach_nic.runs import SaveRequest, execute, execution
from spinach_nic.runs.rates import RATE_TITLES
from spinach_nic.runs.session import Session
from spinach_nic.studies.comparing import compare
from spinach_nic.support.units import Time
from spinach_nic.traffic import DIRECTIONS


def same_rates(one: Result, other: Result) -> None:
    """Assert that all rates of two results agree within their errors."""
    for first, second in ((one.tx, other.tx), (one.rx, other.rx)):
        for name in RATE_TITLES:
            before, after = first.measured(name), second.measured(name)
            assert before is not None
            assert after is not None
            assert not before.differs_from(after), name
            assert before.error < 0.2 * before.value


def test_a_slow_and_a_fast_direction_have_the_rates_of_a_longer_run() -> None:
    """Most of what arrives is dropped: the wire would run dry long before the host, if it could."""
    settings = {"cores": 1, "core_clock": "200MHz"}
    traffic = ["udp:1472:tx@800Mbps", "udp:18:rx"]
    by_frames = run("tengig", traffic=traffic, set=settings, frames=300)
    by_time = run("tengig", traffic=traffic, set=settings, time=us(13_000))
    same_rates(by_frames, by_time)
    assert min(by_frames.tx.measured_frames, by_frames.rx.measured_frames) >= 300
    assert by_frames.frames.dropped["rx"]["mac_receive"]["ring_full"] > 10 * by_frames.frames.delivered["tx"]
    assert by_frames.frames.in_flight == {"tx": 0, "rx": 0}
    rx, offered = by_frames.rx, 10e9 / (8 * 84)
    assert rx.offered_per_s == pytest.approx(offered, rel=0.01)
    assert rx.dropped_per_s == pytest.approx(offered - rx.rate("frames_per_s"), rel=0.01)


def test_sources_end_with_the_window_and_every_frame_arrives() -> None:
    result = run(Wires, traffic=["udp:18:tx@1Gbps", "udp:1472:rx"], frames={"tx": 200, "rx": 500})
    window, ways = result.measured_window, (result.tx, result.rx)
    assert window.is_steady
    assert result.tx.measured_frames >= 200
    assert result.rx.measured_frames >= 500
    assert result.frames.delivered == result.frames.offered
    # The frame that is about to be sent, and those on the wire.
    assert result.simulated_ns - window.ends_ns < 5000
    assert all(way.rate("line_rate_fraction") <= 1 for way in ways)


@pytest.mark.parametrize("traffic", ["udp:18:tx", "imix:rx", "udp:300@500Mbps", "mix:1*raw:46+1*tcp:700"])
@pytest.mark.parametrize("limit", [{"frames": 200}, {"time": us(3000)}])
def test_no_rate_exceeds_the_link_and_all_fill_it(traffic: str, limit: Mapping[str, Any]) -> None:
    result = run(Wires, traffic=traffic, **limit)
    asked = 0.05 if "@" in traffic else 1
    for way, loaded in (("tx", not traffic.endswith("rx")), ("rx", not traffic.endswith("tx"))):
        rate = (result.tx if way == "tx" else result.rx).measured("line_rate_fraction")
        assert rate is not None
        assert rate.value <= 1
        assert rate.low <= asked <= rate.high or not loaded
        assert loaded or rate.value == 0


def test_a_run_that_is_saved_and_restored_within_its_window_is_the_same(tmp_path: Path) -> None:
    file = tmp_path / "within.checkpoint"
    request: dict[str, Any] = {"traffic": "imix", "frames": 400, "seed": 4}
    whole = run(Wires, **request)
    assert whole.measured_window.begins_ns < 100_000 < whole.measured_window.ends_ns
    run(Wires, **request, save_at=SaveRequest(us(100), file))
    restored = run(Wires, **request, restore=file)
    assert not compare(whole, restored).results
    draining = Time((whole.measured_window.ends_ns + 100) * 10**6)
    run(Wires, **request, save_at=SaveRequest(draining, file))
    assert not compare(whole, run(Wires, **request, restore=file)).results


class FallsSilent(Session):
    """A session whose sources stop unannounced, as those outside do."""

    def __init__(self, *values: Any, **named: Any) -> None:
        """Stop them after 470 frames."""
        super().__init__(*values, **named)
        self._end_sources({"tx": 470, "rx": 470})


def test_an_interrupted_run_is_equal_to_one_that_was_to_end_then(monkeypatch: pytest.MonkeyPatch) -> None:
    moment, run_on = us(5030), Simulation.run

    def run_until_the_moment(simulation: Simulation, time: Time, **options: Any) -> Outcome:
        outcome = run_on(simulation, min(time, moment - simulation.now), **options)
        if simulation.now == moment:
            raise KeyboardInterrupt
        return outcome

    monkeypatch.setattr(execution, "Session", FallsSilent)
    whole = run(Wires, traffic="imix@300Mbps", time=moment)
    monkeypatch.setattr(Simulation, "run", run_until_the_moment)
    interrupted = execute(Wires, traffic="imix@300Mbps", time=2 * moment).result
    assert whole.measured_window.is_steady
    assert not interrupted.complete
    assert interrupted.measured_window == whole.measured_window
    assert (interrupted.tx, interrupted.rx) == (whole.tx, whole.rx)


def test_sources_that_had_ended_send_again_in_a_run_that_differs(tmp_path: Path) -> None:
    file = tmp_path / "ended.checkpoint"
    first = execute(Wires, traffic="udp:1472@100Mbps", frames=100).result
    draining = Time((first.measured_window.ends_ns + 1000) * 10**6)
    run(Wires, traffic="udp:1472@100Mbps", frames=100, save_at=SaveRequest(draining, file))
    longer = run(Wires, traffic="udp:1472@200Mbps", frames=200, restore=file)
    assert min(longer.tx.measured_frames, longer.rx.measured_frames) >= 200
    assert longer.tx.rate("wire_gbps") == pytest.approx(0.2, rel=0.02)


def test_a_direction_in_which_nothing_arrives_gives_no_rates_and_ends() -> None:
    result = run(Wires, traffic=["udp:18:tx", "udp:18:rx,lost=100%"], frames=100)
    assert result.complete
    assert result.frames.delivered["rx"] == 0
    assert result.frames.delivered["tx"] < 2000
    (lost,) = result.frames.dropped["rx"].values()
    assert result.measured_window.reason == (
        f"rx delivered nothing: of {lost['lost']:,} frames offered, {lost['lost']:,} "
        "were dropped by wire_faults (lost)"
    )


class Filling(Wires):
    """A long queue before a link that is slower than what the host sends: it fills all the time."""

    def build(self) -> None:
        """Make the queue."""
        self.queue = Fifo(depth=4096)
        super().build()

    def _join(self, source: TrafficSource, link: Link, sink: PacketSink) -> None:
        if source is not self.host:
            super()._join(source, link, sink)
            return
        source.wire >> self.queue.input
        self.queue.output >> link.input
        link.output >> sink.wire
        source.departures >> sink.departures


def test_a_card_that_never_gets_steady_gives_no_rates_and_ends() -> None:
    result = run(Filling, traffic="udp:1472@9.9Gbps", set={"out.gap": 200}, frames=200)
    assert result.complete
    assert result.frames.delivered == result.frames.offered
    assert result.tx.frames_per_s is None
    assert "the run was not steady: tx: frames inside changed by +" in result.measured_window.reason
    assert 8 * 200 <= result.frames.delivered["rx"] < 20 * 200


class SlowerThanSaid(Wires):
    """The probes say that the link has half of its rate."""

    def probes(self) -> BenchProbes:
        """Say so."""
        return replace(super().probes(), link_rate=Gbps(5))


def test_more_than_the_link_can_carry_is_said_and_no_rate() -> None:
    result = run(SlowerThanSaid, frames=1000)
    assert result.complete
    assert all(way.measured("wire_gbps") is None for way in (result.tx, result.rx))
    assert "what a link of 5 Gbps can carry" in result.measured_window.reason
    assert any("correct the rate of the wires" in note for note in result.notes)


class Counting(Wires):
    """A separate counter."""

    named = "frames"

    def probes(self) -> BenchProbes:
        """Add it."""
        return replace(super().probes(), counters={"carried": Counter(self.out, self.named, "frames")})


class Miscounting(Counting):
    """A counter that is not there."""

    named = "framse"


class Misdiscarding(Wires):
    """A counter of drops that is not there."""

    def probes(self) -> BenchProbes:
        """Add it."""
        probes = super().probes()
        return replace(probes, tx=replace(probes.tx, discards={"full": (self.out, "dropd")}))


def test_counters_of_the_card_are_in_results_figures_and_comparisons() -> None:
    result, more = run(Counting, frames=100), run(Counting, frames=200)
    counter = result.counters["carried"]
    assert counter.unit == "frames"
    assert counter.value == result.frames.delivered["tx"]
    # The link hands over a frame in the cycle in which the sink takes it.
    assert abs(counter.measured - result.tx.measured_frames) <= 1
    assert result.figures()["counters.carried.value"] == counter.value
    assert "counters.carried.value" in {one.name for one in compare(result, more).results}
    with pytest.raises(SpinachError, match="out has no counter 'framse'"):
        run(Miscounting, frames=1)
    message = r"tx\.discards\['full'\] of the probes: out has no counter 'dropd'"
    with pytest.raises(SpinachError, match=message):
        run(Misdiscarding, frames=1)


def test_a_paced_source_loses_what_it_could_not_send_while_the_link_was_down() -> None:
    """The Tigon-2's link comes up after its driver has loaded the firmware; then frames come as asked."""
    result = run("tigon2", traffic="udp:18@20kpps", frames=200)
    for way in DIRECTIONS:
        rate = (result.tx if way == "tx" else result.rx).measured("frames_per_s")
        assert rate is not None
        assert rate.low <= 20_000 <= rate.high
        assert rate.error < 500
    late = result.simulated_ns - 10**9 * result.frames.offered["rx"] / 20_000
    assert late > -32 * 10**9 / 20_000
