"""A checkpoint: warm a system up once, then continue from there as often as you like.

A checkpoint is the whole state as bytes; another simulation of the same description continues from it, in
another process too. Run it with `python examples/checkpoint.py`.

Prints:
    restored at 50 us with 2733 values received
    continued to 100 us with 5454 values received
    as the first did: True
"""

from spinach_nic import Clock, Component, MHz, simulate
from spinach_nic.library import Fifo, Receiver, Sender


class Row(Component):
    """A fast sender, a FIFO, a slow receiver: the FIFO fills slowly."""

    def build(self) -> None:
        """Connect them."""
        self.clock = Clock("core", MHz(100))
        self.sender = Sender(policy="index", percent=60, seed=1)
        self.fifo = Fifo(depth=1000)
        self.receiver = Receiver(percent=55, seed=2)
        self.sender.output >> self.fifo.input
        self.fifo.output >> self.receiver.input


first = simulate(Row())
first.run(cycles=5_000)
saved = first.checkpoint()
first.run(cycles=5_000)

second = simulate(Row())
second.restore(saved)
print("restored at", second.now, "with", second.statistics()["receiver.transfers"], "values received")
second.run(cycles=5_000)
print("continued to", second.now, "with", second.statistics()["receiver.transfers"], "values received")
print("as the first did:", second.checkpoint() == first.checkpoint())
