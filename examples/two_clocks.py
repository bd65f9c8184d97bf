"""A FIFO across two clocks: how deep it must be to carry everything, and what the crossing costs in time.

The sides know of each other only by counters that take two flip-flops to come over, so a shallow FIFO waits
for its own news. Run it with `python examples/two_clocks.py`.

Prints:
    depth  1:  20% of the sender's cycles, the first value after 15 ns
    depth  2:  41% of the sender's cycles, the first value after 15 ns
    depth  4:  80% of the sender's cycles, the first value after 15 ns
    depth  8: 100% of the sender's cycles, the first value after 15 ns
    depth 16: 100% of the sender's cycles, the first value after 15 ns
"""

from spinach_nic import Clock, Component, MHz, parameter, simulate, us
from spinach_nic.library import AsynchronousFifo, Receiver, Sender


class Across(Component):
    """A sender at 166 MHz, a FIFO, a receiver at 200 MHz."""

    depth: int = parameter(default=8, doc="Number of values in the FIFO.")

    def build(self) -> None:
        """Give each side its clock; the FIFO takes those of its neighbours."""
        self.sender = Sender(policy="index", clock=Clock("slow", MHz(166)))
        self.fifo = AsynchronousFifo(depth=self.depth)
        self.receiver = Receiver(clock=Clock("fast", MHz(200)))
        self.sender.output >> self.fifo.input
        self.fifo.output >> self.receiver.input


for depth in (1, 2, 4, 8, 16):
    system = Across(depth=depth)
    simulation = simulate(system)
    recorder = simulation.record(system.fifo.output)
    simulation.run(us(10))
    transfers = recorder.transfers()
    share = len(transfers) / simulation.cycles("slow")
    print(f"depth {depth:2}: {share:4.0%} of the sender's cycles, the first value after {transfers[0].time}")
