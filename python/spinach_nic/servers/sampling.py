"""Sampled simulation of timed servers: cores are timed in short windows, and keep caches warm in between.

The method is that of SMARTS (Wunderlich et al., ISCA 2003), with two differences. It samples rates of a
system whose parts wait for each other: between windows instructions and misses take the time that they took
in the windows before, so that queues stay as full as they would. And windows are at a random place in each
period: what repeats with the period is not mistaken for the mean.

Periods, warm-ups and windows are equal times at the pace: what the same instructions, misses and waits would
take between windows. So every part of a run is in a window with the same probability, slow or fast, and
quotients of sums over windows are ratio estimates of those of the run (Cochran, Sampling Techniques, 3rd
edition, 1977, section 6.3). Windows of equal simulated time would hold the fewest instructions where they are
slowest, though instructions choose the places of windows.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

from msgspec import Struct
from msgspec.structs import astuple

from spinach_nic.servers.console import Consoles
from spinach_nic.servers.counts import CountedServers, Counts
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.measured import BATCHES, Measured, ratio_of
from spinach_nic.support.units import Time, ms, parse_quantity, us

_PERIOD, _WARM_UP, _WINDOW = ms(2), us(300), us(200)
_LEAST_WINDOW = us(20)
_STEPS = 64
"""Minimum number of steps of a timed window, whose time at the pace is known at the end of each."""
_SINGULAR = 1e-9
"""Relative determinant below which instructions and misses of windows are proportional."""
_COUNTS = ("cycles", "device_cycles", "instructions", "second_level_misses")
LEAST_SAMPLES = BATCHES
"""Minimum number of windows for an error."""


@dataclass(frozen=True, kw_only=True)
class SamplingPlan:
    """Times of a sampled run."""

    period: Time = _PERIOD
    """Length of a period, which has one window at a random place."""
    warm_up: Time = _WARM_UP
    """Length of the warm-up: cores are timed before each window, until queues are as in a timed run."""
    window: Time = _WINDOW
    """Length of a window."""

    def __post_init__(self) -> None:
        """Reject invalid times.

        Raises:
            SpinachError: A window is too short, or does not fit into a period.
        """
        if self.window < _LEAST_WINDOW:
            raise SpinachError(f"a window of {self.window} is too short", f"make it at least {_LEAST_WINDOW}")
        if self.warm_up.femtoseconds + self.window.femtoseconds >= self.period.femtoseconds:
            raise SpinachError(
                f"a period of {self.period} leaves no time between warm-up and window of "
                f"{self.warm_up} and {self.window}",
                "lengthen the period",
            )

    @classmethod
    def of(cls, text: str) -> SamplingPlan:
        """Return a plan from the command line: a period as "2ms", or all times as "2ms,300us,200us".

        Raises:
            SpinachError: The text is not of that form, or the times do not fit.
        """
        parts = [parse_quantity(part, Time) for part in text.split(",")]
        if len(parts) not in (1, 3):
            raise SpinachError(
                f"invalid times of samples {text!r}", "write a period, or all times: 2ms,300us,200us"
            )
        given = dict(zip(("period", "warm_up", "window"), parts, strict=False))
        return cls(**given)


class SampledServers(Consoles, CountedServers, Protocol):
    """Servers whose cores can be timed in windows, as `_native.Server` has them."""

    def set_pace(self, pace: tuple[float, float] | None, node: int = 0) -> None:
        """Execute instructions of a timed server at a fixed pace; `None` times its cores again."""


class Sample(Struct, frozen=True):
    """Counts of a window."""

    nanoseconds: float
    counts: Mapping[str, int]


class _Spent(Struct, frozen=True):
    """Cycles of a run; cycles of its instructions without waits for devices, their number and misses."""

    cycle: int
    cycles: int
    instructions: int
    misses: int

    def __sub__(self, earlier: _Spent) -> _Spent:
        """Return the difference to an earlier moment."""
        return _Spent(*(now - then for now, then in zip(astuple(self), astuple(earlier), strict=True)))

    def at(self, pace: tuple[float, float] | None) -> float:
        """Return the cycles of the run at a pace of its instructions and misses."""
        if pace is None or not self.cycles:
            return self.cycle
        longer = self.instructions * pace[0] + self.misses * pace[1] - self.cycles
        # Several harts execute at once.
        return max(self.cycle + longer * min(self.cycle / self.cycles, 1.0), 0.0)


@dataclass
class _Pace:
    """Cycles of an instruction, and of a miss of the second level, by least squares over all windows.

    The variance of a window's cycles is taken to be proportional to its instructions, so that all windows
    together take as long at the pace as they did (Cochran, section 6.7). Misses take at most half of it, as
    instructions that seem to take no time would never be in a window (Hesterberg, Technometrics 37, 1995).

    Both are properties of core and program, not of the state that the system is in: a mean over the last
    windows would feed back into what the next ones meet.
    """

    sums: list[float] = field(default_factory=lambda: [0.0] * 5)
    """Sums over windows: instructions, misses, cycles; for each instruction, squares of misses, and products
    of cycles and misses."""

    def learn(self, window: _Spent) -> None:
        """Add a window."""
        if not window.instructions:
            return
        rate = window.misses / window.instructions
        terms = (
            window.instructions,
            window.misses,
            window.cycles,
            window.misses * rate,
            window.cycles * rate,
        )
        self.sums = [so_far + term for so_far, term in zip(self.sums, terms, strict=True)]

    def now(self) -> tuple[float, float]:
        """Return the cycles of an instruction, and of a miss."""
        instructions, misses, cycles, squares, products = self.sums
        if not instructions:
            return 1.0, 0.0
        determinant = instructions * squares - misses * misses
        if determinant <= _SINGULAR * instructions * squares:
            return cycles / instructions, 0.0
        of_miss = (instructions * products - misses * cycles) / determinant
        of_miss = min(max(of_miss, 0.0), cycles / misses / 2)
        return (cycles - of_miss * misses) / instructions, of_miss


class _Opened(Struct, frozen=True):
    """A window that has begun."""

    counts: Mapping[str, int]
    spent: _Spent


@dataclass
class Sampler:
    """Servers of which one has a timed core, in windows only.

    That server is timed already (`set_timed`).
    """

    servers: SampledServers
    plan: SamplingPlan
    counted: Callable[[], Mapping[str, int]]
    """Returns the sampled counts, which only rise."""
    node: int = 0
    """Number of the timed server."""
    seed: int = 0
    """Seed of the places of windows."""
    samples: list[Sample] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with a warm-up: the first window gives the pace of the rest."""
        self._pace = _Pace()
        self._random = random.Random(self.seed)
        self._period_number = 0
        self._opened: _Opened | None = None
        self._is_timed = True
        self._at: tuple[float, float] | None = None
        """Pace at which times are measured; the first window has the pace that it gives."""
        self._since = 0.0, self._spent()
        """Cycles of the run at the pace until the last change, and what was spent then."""
        self._next = self._length(self.plan.warm_up)

    @property
    def _cycles(self) -> int:
        return self.servers.time()[0]

    def _length(self, time: Time) -> int:
        return time.femtoseconds * self.servers.time()[1] // 10**15

    def run(self, cycles: int) -> str:
        """Run for a number of cycles, as `_native.Server.run`."""
        end = self._cycles + cycles
        is_idle = True
        while (now := self._cycles) < end:
            state = self.servers.run(max(min(end - now, self._step()), 1))
            if state not in ("time", "idle"):
                return state
            is_idle &= state == "idle"
            if self._paced >= self._next:
                self._change()
        return "idle" if is_idle else "time"

    @property
    def _paced(self) -> float:
        """Cycles of the run at the pace."""
        paced, spent = self._since
        passed = self._spent() - spent
        return paced + (passed.at(self._at) if self._is_timed else passed.cycle)

    def _step(self) -> int:
        """Return the cycles to run until the time at the pace is looked at."""
        left = math.ceil(self._next - self._paced)
        least = self._length(self.plan.window) // _STEPS
        return min(left, max(left // 4, least)) if self._is_timed else left

    def _change(self) -> None:
        """Begin the window after its warm-up, the pace after a window, or the next warm-up."""
        paced, spent = self._paced, self._spent()
        self._since = paced, spent
        if self._opened is not None:
            self._close(self._opened)
            self._set_timed(False)
            self._next = max(math.ceil(paced), self._place_in_next_period())
        elif self._is_timed:
            self._opened = _Opened(dict(self.counted()), spent)
            self._next = math.ceil(paced) + self._length(self.plan.window)
        else:
            self._set_timed(True)
            self._next = math.ceil(paced) + self._length(self.plan.warm_up)

    def _place_in_next_period(self) -> int:
        """Return the cycle at the pace in which the warm-up of the next period begins."""
        plan = self.plan
        period, timed = self._length(plan.period), self._length(plan.warm_up) + self._length(plan.window)
        self._period_number += 1
        return self._period_number * period + self._random.randrange(period - timed + 1)

    def _close(self, opened: _Opened) -> None:
        counts = {name: count - opened.counts[name] for name, count in self.counted().items()}
        spent = self._spent() - opened.spent
        self.samples.append(Sample(spent.cycle * 1e9 / self.servers.time()[1], counts))
        self._pace.learn(spent)
        self._opened = None

    def _set_timed(self, is_timed: bool) -> None:
        self._is_timed = is_timed
        if not is_timed:
            self._at = self._pace.now()
        self.servers.set_pace(None if is_timed else self._at, self.node)

    def _spent(self) -> _Spent:
        timing = self.servers.timing(self.node) or {}
        cycles, of_devices, *counts = (timing.get(name, 0) for name in _COUNTS)
        return _Spent(self._cycles, cycles - of_devices, *counts)

    def finish(self) -> None:
        """Return to timed cores, and leave out a window that has not ended."""
        self.servers.set_pace(None, self.node)
        self._opened = None

    def ratio(self, above: str, below: str | None = None, factor: float = 1.0) -> Measured | None:
        """Return the quotient of two counts, with its 95 % error by batch means.

        Without `below` it is for each nanosecond. `None` if there is nothing below.
        """
        numerators = [float(sample.counts[above]) for sample in self.samples]
        denominators = [
            float(sample.counts[below]) if below else sample.nanoseconds for sample in self.samples
        ]
        ratio = ratio_of(_batched(numerators), _batched(denominators))
        return None if ratio is None else ratio * factor

    # As of a server, for a console.
    def nodes(self) -> int:
        """Return the number of servers."""
        return self.servers.nodes()

    def take_output(self, node: int = 0) -> bytes:
        """Take what a server printed."""
        return self.servers.take_output(node)

    def type_in(self, characters: bytes, node: int = 0) -> None:
        """Type at a server's console."""
        self.servers.type_in(characters, node)

    def unread(self) -> int:
        """Return the number of typed characters not read yet."""
        return self.servers.unread()

    def time(self) -> tuple[int, int]:
        """Return the cycles since the start, and their number in a second."""
        return self.servers.time()


def sampled_counts(server: CountedServers, node: int = 0) -> dict[str, int]:
    """Return the counts of a timed server that only rise: of its cores, and bytes sent and received."""
    counts = Counts.of(server, node)
    return {**(counts.timing or {}), "sent": counts.sent_bytes, "received": counts.received_bytes}


def _batched(values: list[float]) -> list[float]:
    """Return sums of consecutive values in `BATCHES` groups of nearly equal size; fewer values stay alone."""
    count = min(BATCHES, len(values))
    ends = [len(values) * number // count for number in range(count + 1)] if count else []
    return [math.fsum(values[start:end]) for start, end in pairwise(ends)]
