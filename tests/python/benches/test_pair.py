"""Cable between two servers: its latency, and the rates of the wires at its ends."""

from fractions import Fraction
from typing import cast

import pytest

from spinach_nic import Clock, Component, Frequency, SpinachError, Time, simulate
from spinach_nic.benches.pair import Link, Pair, joined
from spinach_nic.benches.server import ServerBench
from spinach_nic.cards import shipped_card
from spinach_nic.cards.base.faces import Wire
from spinach_nic.library import PacketSink, Sender, TrafficSource
from spinach_nic.model import parameter
from spinach_nic.model.simulation.recorder import Transfer
from spinach_nic.support.units import Gbps, MHz, ms, ns, us
from spinach_nic.traffic import FramePlan, Udp

CLOCKS = (MHz(156.25), MHz(66.7))
FRAMES = 50


class End(Component):
    """Source and sink of frames at one end of a cable."""

    name: str = parameter(default="one", doc="Name of the clock.")
    frequency: Frequency = parameter(default=MHz(100), doc="Its frequency.")

    def build(self) -> None:
        """Make the parts."""
        self.clock = Clock(self.name, self.frequency)
        plan = FramePlan(Udp((18, 700)), count=FRAMES, frame_rate=10**6)
        self.feeder, self.sink = TrafficSource(**plan.source()), PacketSink(**plan.expected())
        self.signal = Sender(values=[1])

    def open_wire(self) -> Wire:
        """Return the wire."""
        self._ensure_built()
        assert isinstance(self.clock, Clock)
        return Wire(
            clock=self.clock,
            rate=Gbps(1),
            sent=self.feeder.wire,
            received=self.sink.wire,
            link_up=self.signal.output,
        )


def pair_of(latency: Time) -> tuple[Pair, tuple[End, End]]:
    ends = (End(name="one", frequency=CLOCKS[0]), End(name="two", frequency=CLOCKS[1]))
    pair = joined(*(cast(ServerBench, end) for end in ends))
    pair.set("link_latency", latency)
    return pair, ends


@pytest.mark.parametrize("latency", [Time(0), ns(1), ns(45), us(1), us(30)])
def test_frames_take_the_latency_and_at_most_two_cycles_more(latency: Time) -> None:
    pair, ends = pair_of(latency)
    simulation = simulate(pair)
    ports = [port for end in ends for port in (end.feeder.wire, end.sink.wire)]
    recorder = simulation.record(*ports)
    simulation.run(ms(1))

    def moved(number: int) -> list[Transfer]:
        return recorder.transfers(ports[number])

    for sent, received, clock in ((moved(0), moved(3), CLOCKS[1]), (moved(2), moved(1), CLOCKS[0])):
        cycle, whole = Fraction(10**15) / clock.hertz, Fraction(latency.femtoseconds)
        assert len(sent) == len(received) == FRAMES
        took = [to.time.femtoseconds - at.time.femtoseconds for at, to in zip(sent, received, strict=True)]
        least = max(whole, 2 * cycle)
        # Edges are at whole femtoseconds.
        assert least - 1 <= min(took)
        assert max(took) <= max(whole + 2 * cycle, 3 * cycle) + 1
    assert simulation.statistics()["node[0].sink.corrupted"] == 0


def test_a_latency_beyond_the_longest_cable_is_refused() -> None:
    pair, _ = pair_of(ms(1))
    with pytest.raises(SpinachError, match=r"latency of 1 ms at a card with a clock of 66.7 MHz") as found:
        simulate(pair)
    assert found.value.help == "choose a latency of at most 982 us"


def test_the_rate_of_a_link_is_that_of_the_wires_of_both_cards() -> None:
    dp83820, ricenic = (shipped_card(name)() for name in ("dp83820", "ricenic"))
    link = Link(rate=Gbps(1))
    link.set_rate([dp83820, ricenic])
    link.check_rate([dp83820, ricenic])
    assert dp83820.faces().wires[0].rate == Gbps(1)
    with pytest.raises(SpinachError, match=r"cannot have 2 Gbps: Ricenic has a wire of 1 Gbps"):
        Link(rate=Gbps(2)).check_rate([ricenic])
