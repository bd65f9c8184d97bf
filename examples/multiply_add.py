"""A multiply-add unit made of a multiplier and an adder, as in section 2.2.2 of the Spinach thesis.

`MultiplyAdd` is a component: it is used like any module, without knowledge of its inside.
Run it with `python examples/multiply_add.py`.

Prints:
    0 * 0 + 100 = 100 in cycle 0
    1 * 1 + 100 = 101 in cycle 1
    2 * 2 + 100 = 104 in cycle 2
    3 * 3 + 100 = 109 in cycle 3
"""

from spinach_nic import Clock, Component, MHz, ns, simulate
from spinach_nic.library import Function, Receiver, Sender


class MultiplyAdd(Component):
    """The product of two words, plus a third."""

    def build(self) -> None:
        """Feed the product into the adder."""
        self.multiply = Function(policy=lambda a, b: a * b)
        self.add = Function(policy=lambda product, addend: product + addend)
        self.multiply.output >> self.add.input[0]
        self.left, self.right = self.multiply.input[0], self.multiply.input[1]
        self.addend, self.output = self.add.input[1], self.add.output


class Bench(Component):
    """Squares of the numbers from 0 on, plus 100."""

    def build(self) -> None:
        """Put senders in front of the unit and a receiver behind it."""
        self.clock = Clock("core", MHz(100))
        self.unit = MultiplyAdd()
        self.number = [Sender(policy="index"), Sender(policy="index")]
        self.hundred = Sender(policy=lambda index, cycle: 100)
        self.results = Receiver()
        self.number[0].output >> self.unit.left
        self.number[1].output >> self.unit.right
        self.hundred.output >> self.unit.addend
        self.unit.output >> self.results.input


bench = Bench()
simulation = simulate(bench)
recorder = simulation.record(bench.unit.output)
simulation.run(ns(40))
for n, result in enumerate(recorder.transfers()):
    print(f"{n} * {n} + 100 = {result.word} in cycle {result.cycle}")
