"""Growth of the simulation cost with cores, banks, frames in flight and modules; a sweep on two processors.

Cost is host instructions per simulated cycle, which depend neither on how fast the machine is nor on what
else it does. Each system runs twice under `valgrind --tool=cachegrind`, once for longer, so that what both
runs have in common (start-up, set-up, the result) cancels out. The sweep is measured in wall time: on a
machine with other work, read only its processor time.

With the name of a file it also draws the first tables into it, as SVG.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import spinach_nic
from spinach_nic import Clock, Component, MHz, Result, parameter, simulate, us
from spinach_nic.library import Fifo, Receiver, Sender
from spinach_nic.studies.sweeping import Description, sweep

ROUNDS = int(os.environ.get("ROUNDS", "3"))
MEASURES = "measure"


class Row(Component):
    """Queues, one behind the other, between a sender that always sends and a receiver that always takes."""

    queues: int = parameter(default=48, doc="Number of queues.")

    def build(self) -> None:
        """Connect them."""
        self.clock = Clock("core", MHz(200))
        self.sender, self.receiver = Sender(policy="index"), Receiver()
        self.queue = [Fifo(depth=2) for _ in range(self.queues)]
        source = self.sender.output
        for queue in self.queue:
            source >> queue.input
            source = queue.output
        source >> self.receiver.input


@dataclass(frozen=True)
class Point:
    """A system whose cost is measured."""

    name: str
    set: Mapping[str, str] = field(default_factory=dict)
    traffic: str = "udp:1472"
    queues: int = 0
    """Number of queues in a row, in place of the NIC."""
    nic: str = "tengig"
    lengths: tuple[int, int] = (500, 1000)
    """Lengths of the shorter and the longer run. The NIC has frames both ways from the former on. What is
    done once for many frames falls into a shorter span or does not."""

    def run(self, length: int) -> tuple[int, float]:
        """Simulate `length` microseconds of the NIC, or hundreds of cycles of the row.

        Returns:
            The cycles, and how many frames were under way on average.
        """
        if self.queues:
            simulate(Row(queues=self.queues)).run(cycles=100 * length)
            return 100 * length, 0.0
        result = spinach_nic.run(self.nic, set=dict(self.set), traffic=self.traffic, time=us(length))
        return result.simulated_cycles["core"], under_way(result)


def under_way(result: Result) -> float:
    """Frames in flight on average, both directions: deliveries times latency, by the time of the whole run.

    At 0.1 Gb/s too few frames come for a window with rates.
    """
    directions = (result.tx, result.rx)
    return sum(it.frames * it.latency_ns.p50 for it in directions if it.latency_ns) / result.simulated_ns


def of_nic(number: str, values: Sequence[int]) -> list[Point]:
    """Return the 10 Gb/s NIC, 200 MHz, with different numbers of something."""
    common = {"core_clock": "200MHz", "cores": "6"}
    return [Point(str(value), common | {number: str(value)}) for value in values]


def of_load(rates: Sequence[str]) -> list[Point]:
    """Return the same with frames that come at different rates."""
    usual = {"core_clock": "200MHz", "cores": "6"}
    return [Point(f"{rate} Gb/s", usual, f"udp:1472@{rate}Gbps") for rate in rates]


TABLES = {
    "cores": of_nic("cores", (1, 2, 4, 6, 8, 12, 16)),
    "cores of hundredgig": [
        Point(cores, {"cores": cores}, nic="hundredgig", lengths=(400, 450)) for cores in ("4", "16", "64")
    ],
    "banks, with six cores": of_nic("banks", (1, 2, 4, 8, 16)),
    "frames, with six cores": of_load(("0.1", "1", "2.5", "5", "9.5")),
    "queues in a row": [
        Point(str(queues), queues=queues, lengths=(100, 300)) for queues in (12, 48, 192, 768)
    ],
}


@dataclass(frozen=True)
class Cost:
    """Cost of a system."""

    instructions: float
    """Host instructions per cycle."""
    under_way: float
    """Frames, on average."""


def counted(table: str, number: int, length: int) -> tuple[int, int, float]:
    """Run one point in a separate process; return host instructions, cycles, frames under way."""
    cachegrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    command = [*cachegrind, sys.executable, __file__, MEASURES, table, str(number), str(length)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    found = re.search(r"I\s+refs:\s+([\d,]+)", run.stderr)
    if found is None:
        sys.exit(f"error: valgrind counted no instructions:\n{run.stderr}")
    cycles, frames = run.stdout.split()
    return int(found[1].replace(",", "")), int(cycles), float(frames)


def cost(table: str, number: int) -> Cost:
    """Measure one point."""
    shorter, longer = TABLES[table][number].lengths
    before, few, _ = counted(table, number, shorter)
    after, many, frames = counted(table, number, longer)
    return Cost((after - before) / (many - few), frames)


def costs() -> dict[str, list[Cost]]:
    """Measure all of them, two at a time."""
    for point in (point for points in TABLES.values() for point in points):
        point.run(1)  # What compiles firmware is counted by neither run, as both find it in the cache.
    with ThreadPoolExecutor(2) as pool:
        running = {
            table: [pool.submit(cost, table, number) for number in range(len(points))]
            for table, points in TABLES.items()
        }
        return {table: [one.result() for one in them] for table, them in running.items()}


def print_tables(measured: Mapping[str, Sequence[Cost]]) -> None:
    """Print a table for each thing that there can be more of."""
    for table, points in TABLES.items():
        has_frames = table.startswith("frames")
        print(f"| {table} | {'in flight | ' if has_frames else ''}host instructions per cycle |")
        print(f"|---|{'---|' if has_frames else ''}---|")
        for point, it in zip(points, measured[table], strict=True):
            frames = f"{it.under_way:.1f} | " if has_frames else ""
            print(f"| {point.name} | {frames}{it.instructions:,.0f} |")
        print()


def draw(measured: Mapping[str, Sequence[Cost]], path: Path) -> None:
    """Draw them side by side."""
    from matplotlib import rc_context  # Only those who draw wait for it.
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "scaling", "font.size": 9}):
        figure = Figure(figsize=(9, 2.6), layout="constrained")
        for axes, (table, points) in zip(figure.subplots(1, len(TABLES)), TABLES.items(), strict=True):
            instructions = [it.instructions for it in measured[table]]
            frames = [it.under_way for it in measured[table]]
            numbers = frames if table.startswith("frames") else [float(point.name) for point in points]
            axes.plot(numbers, instructions, marker="o", markersize=3)
            axes.set_xlabel("frames in flight" if table.startswith("frames") else table)
            axes.set_ylim(bottom=0)
            axes.set_xlim(left=0)
            axes.grid(alpha=0.3)
        figure.axes[0].set_ylabel("host instructions per cycle")
        figure.savefig(path, format="svg", metadata={"Date": None})


# A sweep.

SWEPT = Description(
    nic="tengig",
    options={"frames": 300, "traffic": ["udp:1472", "udp:700", "udp:200", "udp:18"]},
    parameters={"cores": [1, 2, 4, 6]},
)


@contextmanager
def timed() -> Iterator[list[float]]:
    """Gives wall time and processor time, those of children that ended among them."""
    spent: list[float] = []
    before, began = os.times(), time.perf_counter()
    yield spent
    after = os.times()
    processor = sum(after[:4]) - sum(before[:4])
    spent += [time.perf_counter() - began, processor]


def swept(jobs: int) -> tuple[float, float]:
    """Wall time and processor time of the sweep, in seconds."""
    with tempfile.TemporaryDirectory() as folder, timed() as spent:
        result = sweep(SWEPT, table=Path(folder) / "table.parquet", jobs=jobs)
    if result.failed:
        sys.exit(f"error: {result.failed} configurations of the sweep failed")
    wall, processor = spent
    return wall, processor


def print_sweep() -> None:
    """Run it in turns by one process and by two."""
    pairs = [(swept(1), swept(2)) for _ in range(ROUNDS)]
    wall = statistics.median(two[0] / one[0] for one, two in pairs)
    processor = statistics.median(two[1] / one[1] for one, two in pairs)
    (alone, of_processor), _ = min(pairs)
    print(f"a sweep of {len(list(SWEPT.points()))} configurations: one after another in {alone:.1f} s")
    print(f"({of_processor / alone:.0%} of a processor); two at a time in {wall:.2f} of the wall time")
    print(f"and {processor:.2f} of the processor time, medians of {ROUNDS}")


def main() -> None:
    """Simulate for valgrind if given a point, else measure everything and print it."""
    match sys.argv[1:]:
        case [what, table, number, length] if what == MEASURES:
            print(*TABLES[table][int(number)].run(int(length)))
        case [] | [_]:
            if shutil.which("valgrind") is None:
                sys.exit("error: valgrind is not installed\nhelp: install it, as in `apt install valgrind`")
            measured = costs()
            print_tables(measured)
            if sys.argv[1:]:
                draw(measured, Path(sys.argv[1]))
            print_sweep()
        case _:
            sys.exit("error: too many arguments\nhelp: give the name of a file to draw into, or nothing")


if __name__ == "__main__":
    main()
