"""Two benches, joined by a cable between their cards."""

from __future__ import annotations

from spinach_nic.benches.server import ServerBench
from spinach_nic.library import AsynchronousFifo, Receiver
from spinach_nic.model import Component


class _Nodes:
    # Annotated outside of `Described`, as attributes of instances are not arguments.
    node: list[ServerBench]
    """The servers, with their cards."""


class Pair(_Nodes, Component):
    """Two servers, and a cable between their cards, which may be of different kinds.

    Each end of the cable is on the clock of the card there.
    """

    def build(self) -> None:
        """Connect the wires."""
        wires = [node.open_wire() for node in self.node]
        self.cable = [AsynchronousFifo(), AsynchronousFifo()]
        # Frames are on the wire whether or not the other end receives.
        self.link_signal = [Receiver(clock=wire.clock) for wire in wires]
        for number, cable in enumerate(self.cable):
            wires[number].sent >> cable.input
            cable.output >> wires[1 - number].received
            wires[number].link_up >> self.link_signal[number].input


def joined(first: ServerBench, second: ServerBench) -> Pair:
    """Return both benches with a cable between them."""
    pair = Pair()
    pair.node = [first, second]
    return pair
