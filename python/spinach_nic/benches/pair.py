"""Two benches, joined by a cable between their cards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from spinach_nic.benches.server import ServerBench, ServerSystem
from spinach_nic.cards.base.card import Card
from spinach_nic.cards.base.faces import Wire
from spinach_nic.library import AsynchronousFifo, CableInput, CableOutput, Pipe, Receiver
from spinach_nic.model import Clock, Output, parameter
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Rate, Time, us

_FEMTOSECONDS = 10**15
"""Femtoseconds per second."""
_CROSSING_CYCLES = 2
"""Cycles of the clock at the other end that every frame takes at least, to cross into its domain."""
_LONGEST_DELAY = 65536
"""Largest depth of a `Pipe`."""


@dataclass(frozen=True, kw_only=True)
class Link:
    """Link of two servers with cards made of modules: the rate is that of the wires of both cards."""

    rate: Rate | None = None
    """Rate in each direction; `None` for that of each card."""
    latency: Time = Time(0)  # noqa: RUF009, quantities do not change

    def set_rate(self, cards: Sequence[Card]) -> None:
        """Set the rate of cards that are not built yet, where it is a parameter."""
        for card in cards:
            if self.rate is not None and "link_rate" in card.declarations:
                card.set("link_rate", self.rate)

    def check_rate(self, cards: Sequence[Card]) -> None:
        """Check the rate of cards that are built.

        Raises:
            SpinachError: One has another rate.
        """
        for card in cards:
            rate = card.faces().link_rates[0]
            if self.rate not in (None, rate):
                message = f"the link cannot have {self.rate}: {type(card).__name__} has a wire of {rate}"
                raise SpinachError(message, f"omit --link-rate, or give {rate}")


class Pair(ServerSystem):
    """Two servers, and a cable between their cards, which may be of different kinds.

    Each end of the cable is on the clock of the card there. Rates are those of the cards' wires.
    """

    ends = ("server 1", "server 2")

    link_latency: Time = parameter(
        default=Time(0),
        doc="Latency of the cable. A frame takes up to two cycles of the clock at the other end longer, and "
        "more than two of them also without latency. With more latency than that, each server and its card "
        "can have a thread, if the rates of both wires are equal.",
    )

    def build(self) -> None:
        """Connect the wires."""
        wires = [node.open_wire() for node in self.node]
        delays = [self._delay(wire) for wire in reversed(wires)]
        # Frames are on the wire whether or not the other end receives.
        self.link_signal = [Receiver(clock=wire.clock) for wire in wires]
        self.cable: Sequence[AsynchronousFifo | CableInput]
        # An end that is slower than the other has to hold it up.
        if wires[0].rate == wires[1].rate and min(delays) > _CROSSING_CYCLES:
            self.cable = [CableInput(clock=wire.clock) for wire in wires]
        else:
            self.cable = [AsynchronousFifo(), AsynchronousFifo()]
        for number, (cable, delay) in enumerate(zip(self.cable, delays, strict=True)):
            far = wires[1 - number]
            wires[number].sent >> cable.input
            self._delayed(cable, number, delay, far.clock) >> far.received
            wires[number].link_up >> self.link_signal[number].input

    def _delay(self, end: Wire) -> int:
        """Return the latency of the cable that leads to an end, in cycles of the clock there."""
        hertz = end.clock.frequency.hertz
        cycles = math.ceil(self.link_latency.femtoseconds * hertz / _FEMTOSECONDS)
        if cycles > _CROSSING_CYCLES + _LONGEST_DELAY:
            longest = us((_CROSSING_CYCLES + _LONGEST_DELAY) * 10**6 // hertz)
            message = f"a cable cannot have a latency of {self.link_latency} at a card with a clock of "
            raise SpinachError(f"{message}{end.clock.frequency}", f"choose a latency of at most {longest}")
        return cycles

    def _delayed(self, cable: AsynchronousFifo | CableInput, number: int, delay: int, clock: Clock) -> Output:
        """Return the output at which frames have spent the latency in the cable."""
        if isinstance(cable, CableInput):
            end = CableOutput(clock=clock, delay=delay)
            setattr(self, f"cable_end_{number}", end)
            cable.far >> end.near
            return end.output
        if delay <= _CROSSING_CYCLES:
            return cable.output
        pipe = Pipe(clock=clock, depth=delay - _CROSSING_CYCLES)
        setattr(self, f"cable_delay_{number}", pipe)
        cable.output >> pipe.input
        return pipe.output


def joined(first: ServerBench, second: ServerBench) -> Pair:
    """Return both benches with a cable between them."""
    pair = Pair()
    pair.node = [first, second]
    return pair
