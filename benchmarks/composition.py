"""Time to describe, elaborate and run a system, from Python.

The system is as many lanes as asked for, each a component of eight modules: a sender, two functions lifted
from Python, four buffers, and a receiver. Call it with numbers of modules, such as `50 800`.
"""

import sys
import time

from spinach_nic import Clock, Component, MHz, Signal, State, parameter, simulate
from spinach_nic.library import Fifo, Function, Pipe, Receiver, Sender
from spinach_nic.model.description import Description

MODULES_PER_LANE = 8
CYCLES = 20_000
REPETITIONS = 5


def running_sum(word: Signal, total: State = State(0)) -> Signal:
    """Return the running sum of all words."""
    total.next = total + word
    return total + word


class Lane(Component):
    """Words through functions and buffers."""

    def build(self) -> None:
        """Make the modules and connect them in a row."""
        self.sender = Sender(policy="index")
        self.function = [Function(policy=lambda word: (word * 3) ^ (word >> 2)), Function(policy=running_sum)]
        self.pipe = [Pipe(depth=2), Pipe(depth=1)]
        self.fifo = [Fifo(depth=4), Fifo()]
        self.receiver = Receiver(percent=90)
        row: list[Function | Pipe | Fifo] = []
        for function, pipe, fifo in zip(self.function, self.pipe, self.fifo, strict=True):
            row += [function, pipe, fifo]
        source = self.sender.output
        for module in row:
            source >> module.input
            source = module.output
        source >> self.receiver.input


class Lanes(Component):
    """Many lanes."""

    count: int = parameter(default=1, doc="Number of modules.")

    def build(self) -> None:
        """Make them all, in one clock domain."""
        self.clock = Clock("core", MHz(200))
        self.lane = [Lane() for _ in range(self.count)]


def measure(modules: int) -> str:
    """One row of the table: the best of several repetitions."""
    describing, elaborating, running = [], [], []
    count = max(1, modules // MODULES_PER_LANE)
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        system = Lanes(count=count)
        Description(system)
        described = time.perf_counter()
        simulation = simulate(system)
        elaborated = time.perf_counter()
        simulation.run(cycles=CYCLES)
        running.append(time.perf_counter() - elaborated)
        describing.append(described - start)
        elaborating.append(elaborated - described)
    actual = count * MODULES_PER_LANE
    per_module_cycle = min(running) / CYCLES / actual * 1e9
    columns = [min(describing) * 1e3, min(elaborating) * 1e3, per_module_cycle, CYCLES / min(running) / 1e6]
    return f"{actual:>8} {columns[0]:>12.1f} {columns[1]:>13.1f} {columns[2]:>16.2f} {columns[3]:>18.2f}"


def main() -> None:
    """Print the table for the numbers of modules on the command line."""
    rows = [measure(int(modules)) for modules in sys.argv[1:] or ["50", "800"]]
    print(" modules  describe ms  elaborate ms  ns/module-cycle  million cycles/s")
    print("\n".join(rows))


main()
