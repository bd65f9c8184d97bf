"""Simulation speed of the shipped NICs, and the cost of more cores and more banks.

Every number is the best of several repetitions, because a machine can only be slower than it is. Frames go
both ways as fast as the link allows, so that nothing rests for long.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import spinach_nic
from spinach_nic import Time, us

REPETITIONS = 3
# Long enough that what happens once in a run does not weigh.
SIMULATED = us(4000)
SIMULATED_FOR_SCALING = us(300)
NUMBERS = (1, 2, 4, 6, 8, 12, 16)


@dataclass(frozen=True)
class Case:
    """A row of the table of NICs."""

    name: str
    nic: str
    set: Mapping[str, str]
    simulated: Time = SIMULATED
    traffic: str = "udp:1472"


CASES = (
    Case("ricenic", "ricenic", {}),
    Case("tengig", "tengig", {}),
    Case("tengig, 6 x 200 MHz", "tengig", {"cores": "6", "core_clock": "200MHz"}),
    # Longer, because its driver starts it, and the link is slower.
    Case("tigon2", "tigon2", {}, us(12_000)),
    # The smallest packets, so that all cores have work in every cycle.
    Case("rosebud, 16 cores", "rosebud", {}, us(200), "udp:22"),
    # The largest packets of both ports at line rate: cores poll most of the time.
    Case("rosebud, 16 cores, line rate", "rosebud", {}, us(2_000)),
    # The model of its driver is in Python, and takes a third of the time.
    Case("hundredgig, 16 cores", "hundredgig", {"cores": "16"}, us(500)),
)


@dataclass(frozen=True)
class Speed:
    """Simulation speed of one NIC."""

    cycles: int
    """Simulated core cycles."""
    wall_s: float
    frames: int
    """Delivered in both directions."""

    @property
    def megahertz(self) -> float:
        """Millions of core cycles per second of wall time."""
        return self.cycles / self.wall_s / 1e6

    @property
    def nanoseconds_per_cycle(self) -> float:
        """Wall time for one core cycle of the whole NIC."""
        return self.wall_s / self.cycles * 1e9


def measure(nic: str, settings: Mapping[str, str], simulated: Time, traffic: str = "udp:1472") -> Speed:
    """Simulate `nic` for a span, several times."""
    results = [
        spinach_nic.run(nic, set=dict(settings), time=simulated, traffic=traffic) for _ in range(REPETITIONS)
    ]
    best = min(results, key=lambda result: result.wall_s)
    frames = best.tx.frames + best.rx.frames
    return Speed(best.simulated_cycles["core"], best.wall_s, frames)


def scaling(parameter: str) -> list[tuple[int, Speed]]:
    """Return the speed of the 10 Gb/s NIC at 200 MHz with different numbers of cores or of banks."""
    common = {"core_clock": "200MHz"}
    return [
        (number, measure("tengig", common | {parameter: str(number)}, SIMULATED_FOR_SCALING))
        for number in NUMBERS
    ]


def main() -> None:
    """Measure, then print the tables."""
    start = time.perf_counter()
    speeds = [(case, measure(case.nic, case.set, case.simulated, case.traffic)) for case in CASES]
    cores, banks = scaling("cores"), scaling("banks")
    print(f"measured in {time.perf_counter() - start:.0f} s, one thread")
    print()
    print(f"{'NIC':<28} {'core cycles':>12} {'frames':>8} {'wall s':>8} {'million cycles per wall s':>26}")
    for case, speed in speeds:
        row = f"{case.name:<28} {speed.cycles:>12,} {speed.frames:>8,} {speed.wall_s:>8.2f}"
        print(f"{row} {speed.megahertz:>26.2f}")
    print()
    print("tengig at 200 MHz, wall nanoseconds per simulated core cycle")
    print(f"{'':>8} {'by number of cores':>20} {'per core':>10} {'by number of banks, 6 cores':>29}")
    for (number, with_cores), (_, with_banks) in zip(cores, banks, strict=True):
        whole, per_core = with_cores.nanoseconds_per_cycle, with_cores.nanoseconds_per_cycle / number
        print(f"{number:>8} {whole:>20.0f} {per_core:>10.0f} {with_banks.nanoseconds_per_cycle:>29.0f}")


if __name__ == "__main__":
    main()
