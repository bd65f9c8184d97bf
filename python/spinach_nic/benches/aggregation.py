"""The other end of an aggregated link (IEEE 802.1AX)."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.cards.base.faces import Wire
from spinach_nic.library import Arbiter, Fifo, FlowControl, FlowSteering, Pipe, Receiver
from spinach_nic.model import Component, parameter
from spinach_nic.support.units import Rate

_QUEUE_FRAMES = 64
"""Frames that wait for each wire."""
NO_WIRES: Sequence[Wire] = ()


class Aggregation(Component):
    """Joins the wires of an aggregated link to one.

    Frames to the card take the wire that the hash of their flow selects. A queue in front of each wire keeps
    the others busy while one is chosen several times; a full queue holds up all, as a switch without loss
    does.
    """

    card_wires: Sequence[Wire] = parameter(default=NO_WIRES, kind="object", doc="Wires of the card.")

    def build(self) -> None:
        """Connect both directions, with pause frames if the card has them."""
        wires = self.card_wires
        self.clock = wires[0].clock
        self.steering = FlowSteering(lanes=len(wires))
        self.queue = [Fifo(depth=_QUEUE_FRAMES) for _ in wires]
        self.merge, self.stage = Arbiter(), Pipe()
        controlled = [wire for wire in wires if wire.pause_bytes_per_cycle]
        self.control = [FlowControl(bytes_per_cycle=wire.pause_bytes_per_cycle) for wire in controlled]
        for number, (wire, queue) in enumerate(zip(wires, self.queue, strict=True)):
            self.steering.output >> queue.input
            if controlled:
                queue.output >> self.control[number].send
                self.control[number].sent >> wire.received
                wire.sent >> self.control[number].arriving
                self.control[number].received >> self.merge.initiator_request
            else:
                queue.output >> wire.received
                wire.sent >> self.merge.initiator_request
        self.merge.target_request >> self.stage.input
        # Frames are on a wire whether or not it is received; the first wire says when the card receives.
        self.link_signal = [Receiver() for _ in wires[1:]]
        for wire, signal in zip(wires[1:], self.link_signal, strict=True):
            wire.link_up >> signal.input

    def wire(self, rate: Rate) -> Wire:
        """Return the wire, which has the rate of the whole link."""
        first = self.card_wires[0]
        return Wire(
            clock=first.clock,
            rate=rate,
            sent=self.stage.output,
            received=self.steering.input,
            link_up=first.link_up,
            leaving=self.merge.target_request,
        )
