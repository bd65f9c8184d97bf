"""Simulation speed of the processor cores: one core on one memory without latency, in one thread.

Measured is the time of the processor, and the best of several runs counts, so that what else the machine does
matters less. The last lines are the table.
"""

import time

from spinach_nic import Clock, Component, KiB, MHz, parameter, simulate
from spinach_nic.firmware import Executable, build
from spinach_nic.library import FunctionalCore, MultiportedMemory, PipelinedCore
from spinach_nic.processors import ComposedCore

KINDS: dict[str, type[ComposedCore | FunctionalCore | PipelinedCore]] = {
    "functional": FunctionalCore,
    "pipelined": PipelinedCore,
    "composed": ComposedCore,
}
MOST_CYCLES = {"functional": 800_000, "pipelined": 800_000, "composed": 60_000}
AIMS = {
    "functional": "60 M instructions/s",
    "pipelined": "15 M cycles/s",
    "composed": "0.8 M cycles/s",
}
PROGRAMS = ("memory_functions", "shift_registers")
REPETITIONS = 7


class Machine(Component):
    """A core and its memory."""

    core_kind: str = parameter(default="pipelined", doc="Kind of the core.", choices=tuple(KINDS))
    entry: int = parameter(default=0, doc="Entry address of the program.")

    def build(self) -> None:
        """Connect both ports to one memory that answers in the cycle in which it is asked."""
        self.clock = Clock("core", MHz(100))
        self.core = KINDS[self.core_kind](entry=self.entry)
        self.memory = MultiportedMemory(size=KiB(1024), latency=0)
        self.core.fetch >> self.memory.port
        self.core.data >> self.memory.port


def measure(kind: str, program: str) -> str:
    """One row of the table."""
    executable = Executable.load(build(f"tests/{program}").path)
    machine = Machine(core_kind=kind, entry=executable.entry)
    owner = machine.core.system if isinstance(machine.core, ComposedCore) else machine.core
    simulation = simulate(machine)
    for segment in executable.segments:
        simulation.write(machine.memory, segment.address, segment.data)
    start = simulation.checkpoint()
    simulation.run(cycles=MOST_CYCLES[kind])
    # Only cycles in which the program runs are timed: a core that has ended costs nothing.
    cycles = MOST_CYCLES[kind] - simulation.statistics()[f"{owner.path}.halted"]
    fastest = float("inf")
    for _ in range(REPETITIONS):
        simulation.restore(start)
        began = time.process_time()
        simulation.run(cycles=cycles)
        fastest = min(fastest, time.process_time() - began)
    instructions = simulation.statistics()[f"{owner.path}.instructions"]
    speeds = f"{cycles / fastest / 1e6:9.2f} {instructions / fastest / 1e6:15.2f}"
    return f"{kind:11} {program:17} {speeds}  {AIMS[kind]}"


def main() -> None:
    """Print the table."""
    rows = [measure(kind, program) for kind in KINDS for program in PROGRAMS]
    print(f"{'core':11} {'program':17} {'Mcycles/s':>9} {'Minstructions/s':>15}  aim")
    for row in rows:
        print(row)


if __name__ == "__main__":
    main()
