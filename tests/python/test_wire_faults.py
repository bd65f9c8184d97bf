"""A wire with faults loses, doubles, reorders and delays the frames that are chosen, and no others."""

from typing import Any

import pytest

from spinach_nic import Clock, Component, MHz, ms, simulate, us
from spinach_nic.library import PacketSink, TrafficSource, WireFaults
from spinach_nic.model import parameter
from spinach_nic.traffic import FramePlan, Udp

FRAMES = 2000


class Wire(Component):
    """A source, a wire and a sink."""

    faults: dict[str, Any] = parameter(default={}, kind="object", doc="Faults.")

    def build(self) -> None:
        """Connect them."""
        self.clock = Clock("wire", MHz(100))
        plan = FramePlan(Udp((18, 700)), count=FRAMES, frame_rate=10**6)
        self.feeder, self.sink = TrafficSource(**plan.source()), PacketSink(**plan.expected())
        self.wire = WireFaults(**self.faults)
        self.feeder.wire >> self.wire.input
        self.wire.output >> self.sink.wire
        self.feeder.departures >> self.sink.departures


def counters(**faults: Any) -> dict[str, int]:
    """Return the counts after all frames were sent, by module and counter; the same without sleep."""
    found = []
    for sleeping in (True, False):
        simulation = simulate(Wire(faults=faults))
        simulation.set_sleeping(sleeping)
        simulation.run(ms(3))
        found.append(dict(simulation.statistics()))
    assert found[0] == found[1]
    return found[0]


def latency(**faults: Any) -> dict[str, int]:
    wire = Wire(faults=faults)
    simulation = simulate(wire)
    simulation.run(ms(3))
    state: dict[str, Any] = simulation.state(wire.sink)["checker"]["latency"]
    return state


def test_without_faults_every_frame_passes_in_order_one_cycle_later() -> None:
    counted = counters()
    assert counted["sink.delivered"] == counted["wire.frames"] == FRAMES
    assert counted["sink.skipped"] == counted["wire.faulty"] == 0
    assert latency()["max_ns"] == 10


def test_lost_frames_do_not_arrive() -> None:
    counted = counters(lost=[0, 5, 6, FRAMES - 1])
    assert counted["wire.dropped_lost"] == 4
    assert (counted["sink.delivered"], counted["sink.skipped"]) == (FRAMES - 4, 3)


def test_doubled_frames_arrive_twice() -> None:
    counted = counters(duplicated=[0, 7, FRAMES - 1])
    assert (counted["sink.delivered"], counted["sink.duplicated"]) == (FRAMES, 3)


@pytest.mark.parametrize("by", [1, 2, 10])
def test_reordered_frames_are_overtaken_by_as_many_as_asked(by: int) -> None:
    counted = counters(reordered=[3, 50], reordered_by=by)
    assert (counted["sink.delivered"], counted["sink.reordered"]) == (FRAMES, 2)
    assert counted["sink.skipped"] == 2
    in_order = counters()
    assert all(counted[name] == in_order[name] for name in ("sink.bytes", "sink.payload_bytes"))
    # A frame comes every microsecond.
    assert latency(reordered=[3], reordered_by=by)["max_ns"] == pytest.approx(1000 * by, abs=30)


def test_a_frame_that_nothing_overtakes_goes_on_after_a_while() -> None:
    last = {"reordered": [FRAMES - 1], "held_at_most": us(40)}
    counted = counters(**last)
    assert (counted["sink.delivered"], counted["sink.reordered"]) == (FRAMES, 0)
    assert latency(**last)["max_ns"] == pytest.approx(40_000, abs=30)


def test_a_delay_holds_up_what_follows_and_keeps_the_order() -> None:
    late = {"delayed": [100], "delay": us(20)}
    counted = counters(**late)
    assert (counted["sink.delivered"], counted["sink.skipped"], counted["sink.reordered"]) == (FRAMES, 0, 0)
    assert latency(**late)["max_ns"] == pytest.approx(20_000, abs=30)


def test_damaged_short_and_long_frames_are_no_longer_those_that_were_sent() -> None:
    counted = counters(damaged=[1, 2], shortened=[3], lengthened=[4])
    assert counted["wire.faulty"] == counted["sink.corrupted"] == 4
    assert counted["sink.delivered"] == FRAMES - 4


def test_shares_follow_from_the_seed() -> None:
    shares = {f"{fault}_per_million": 50_000 for fault in ("lost", "duplicated", "reordered", "damaged")}
    one, again, other = (counters(**shares, seed=seed) for seed in (1, 1, 2))
    assert one == again != other
    for name in ("wire.dropped_lost", "wire.duplicated", "wire.reordered", "wire.faulty"):
        assert 60 < one[name] < 140
    arrived = one["sink.delivered"] + one["sink.corrupted"]
    assert arrived == FRAMES - one["wire.dropped_lost"]
