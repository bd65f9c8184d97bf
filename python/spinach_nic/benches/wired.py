"""A server whose card has a wire to a device of this machine, or to another simulator."""

from __future__ import annotations

from spinach_nic.benches.server import ServerBench, ServerSystem
from spinach_nic.library import AsynchronousFifo, LiveWire


class WiredServer(ServerSystem):
    """A server, with the wire of its card connected to the world outside of the simulation."""

    ends = ("server 1", "the wire")

    def build(self) -> None:
        """Connect the wire."""
        end = self.node[0].open_wire()
        self.wire = LiveWire(clock=end.clock)
        out, back = AsynchronousFifo(), AsynchronousFifo()
        self.cable = [out, back]
        end.sent >> out.input
        out.output >> self.wire.received
        self.wire.sent >> back.input
        back.output >> end.received
        end.link_up >> self.wire.link_up


def wired(server: ServerBench) -> WiredServer:
    """Return a bench whose open wire leads out of the simulation."""
    system = WiredServer()
    system.node = [server]
    return system
