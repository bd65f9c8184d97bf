"""Costs of the firmware's tasks, from the cores' accounts by instruction address."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat, takewhile
from operator import add, sub
from struct import Struct as Layout
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from spinach_nic.firmware import Executable
from spinach_nic.firmware.tasks import tasks_of
from spinach_nic.library import PipelinedCore
from spinach_nic.model import Module
from spinach_nic.model.simulation import Simulation
from spinach_nic.runs.result import Task
from spinach_nic.traffic import Direction

HALTED = "halted"
"""The counter of the cycles of a core that does not run."""
CAUSES = tuple(takewhile(lambda counter: counter != HALTED, PipelinedCore.counters))
"""Uses of the cycles of a running core: the first counters of each core."""
ELSEWHERE = "elsewhere"
"""Name for the cost of code that belongs to no task."""
_ACCOUNT = Layout(f"<QQ{len(CAUSES)}QQ")
"""Account of an address as a simulation packs it."""


class Cost(Struct, frozen=True, gc=False):
    """Cost of some instructions."""

    instructions: int = 0
    """Completed."""
    causes: tuple[int, ...] = (0,) * len(CAUSES)
    """Cycles by cause, in the order of `CAUSES`."""
    memory_accesses: int = 0
    """Loads, stores and atomic operations completed."""

    @property
    def cycles(self) -> int:
        """Cycles of all causes."""
        return sum(self.causes)

    def __bool__(self) -> bool:
        """Return true if there is any cost."""
        return self != _NO_COST

    def __add__(self, other: Cost) -> Cost:
        """Return both together."""
        causes = tuple(map(add, self.causes, other.causes))
        accesses = self.memory_accesses + other.memory_accesses
        return Cost(self.instructions + other.instructions, causes, accesses)

    def __sub__(self, earlier: Cost) -> Cost:
        """Return the cost since `earlier`."""
        causes = tuple(map(sub, self.causes, earlier.causes))
        accesses = self.memory_accesses - earlier.memory_accesses
        return Cost(self.instructions - earlier.instructions, causes, accesses)


_NO_COST = Cost()


class Context(NamedTuple):
    """A function of a core as it was called; the first of each core is code without a caller."""

    parent: int
    """Number of the context that called, which comes before."""
    site: int
    """Address of the instruction that called."""
    entry: int
    """Address of the called function."""


class _Costs(Mapping[int, Cost]):
    """Costs by address, unpacked when they are first read: a run takes many profiles and reads few."""

    def __init__(self, packed: bytes) -> None:
        """Keep the accounts of a simulation as it packs them."""
        self._packed = packed

    @cached_property
    def _costs(self) -> dict[int, Cost]:
        rows = _ACCOUNT.iter_unpack(self._packed)
        return {address: _cost(numbers) for address, *numbers in rows}

    def __getitem__(self, address: int) -> Cost:
        return self._costs[address]

    def __iter__(self) -> Iterator[int]:
        return iter(self._costs)

    def __len__(self) -> int:
        return len(self._costs)


class Profile(Struct, dict=True):
    """Cost of each instruction address, all cores together; addresses without cost are left out."""

    costs: Mapping[int, Cost] = {}
    contexts: Sequence[Sequence[Context]] = ()
    """Calls of each core, if they keep accounts by calls; later profiles of a run add to them."""
    stacks: dict[tuple[int, int, int], Cost] = {}
    """Costs by core, number of its context and address."""
    calls: dict[tuple[int, int], int] = {}
    """Number of times that a context was called, by core and number."""
    by_core: Sequence[Mapping[int, Cost]] = ()
    """Cost of each address per core, if they keep accounts by calls."""
    ahead: Sequence[int] = ()
    """Cycles per core that these accounts hold and the counters of that moment do not, as cores run ahead."""

    @cached_property
    def _addresses(self) -> list[int]:
        return sorted(self.costs)

    def total(self, ranges: Iterable[range]) -> Cost:
        """Return the cost of all instructions in some ranges of addresses."""
        addresses, last = self._addresses, 0
        inside: list[Cost] = []
        for wanted in sorted(ranges, key=lambda it: it.start):
            # Ranges may overlap.
            first = max(last, bisect_left(addresses, wanted.start))
            last = max(last, bisect_left(addresses, wanted.stop))
            inside += [self.costs[address] for address in addresses[first:last]]
        causes = tuple(map(sum, zip(*(cost.causes for cost in inside), strict=True))) or _NO_COST.causes
        instructions = sum(cost.instructions for cost in inside)
        return Cost(instructions, causes, sum(cost.memory_accesses for cost in inside))

    def __sub__(self, earlier: Profile) -> Profile:
        """Return the costs since `earlier`."""
        costs = {address: cost - earlier.costs.get(address, _NO_COST) for address, cost in self.costs.items()}
        ways = [*self.stacks, *(way for way in earlier.stacks if way not in self.stacks)]
        stacks = {way: self.stacks.get(way, _NO_COST) - earlier.stacks.get(way, _NO_COST) for way in ways}
        _settle(stacks)
        calls = {context: count - earlier.calls.get(context, 0) for context, count in self.calls.items()}
        by_core = [
            {address: cost - before.get(address, _NO_COST) for address, cost in after.items()}
            for after, before in zip(self.by_core, earlier.by_core or [{}] * len(self.by_core), strict=True)
        ]
        return Profile(
            {address: cost for address, cost in costs.items() if cost},
            self.contexts,
            {way: cost for way, cost in stacks.items() if cost},
            {context: count for context, count in calls.items() if count},
            [{address: cost for address, cost in core.items() if cost} for core in by_core],
            [now - before for now, before in zip(self.ahead, earlier.ahead or repeat(0), strict=False)],
        )


def _settle(stacks: dict[tuple[int, int, int], Cost]) -> None:
    """Take cycles before a window from the context in which their instruction completed in it.

    Until an instruction completes, its cycles belong to the function that the core is in.
    """
    owing = {(core, address) for (core, _, address), cost in stacks.items() if min(cost.causes) < 0}
    shared: dict[tuple[int, int], list[tuple[int, int, int]]] = {place: [] for place in owing}
    for way in stacks if owing else ():
        if (place := (way[0], way[2])) in owing:
            shared[place].append(way)
    for ways in shared.values():
        for cause in range(len(CAUSES)):
            cycles = [stacks[way].causes[cause] for way in ways]
            owed = -sum(count for count in cycles if count < 0)
            for way, count in zip(ways, cycles, strict=True):
                taken = min(owed, count) if count > 0 else count
                owed -= max(taken, 0)
                causes = [*stacks[way].causes]
                causes[cause] -= taken
                stacks[way] = replace(stacks[way], causes=tuple(causes))


def take_profile(simulation: Simulation, cores: Sequence[Module]) -> Profile:
    """Return the accounts of all cores until now. Cores that keep none add nothing."""
    profile = Profile(_Costs(simulation.profile(cores)), ahead=simulation.cycles_ahead(cores))
    calls = simulation.calls(cores)
    if not any(accounts for _, accounts in calls):
        return profile
    profile.contexts = [[Context(*context) for *context, _ in contexts] for contexts, _ in calls]
    for core, (contexts, accounts) in enumerate(calls):
        profile.calls.update({(core, number): count for number, (*_, count) in enumerate(contexts) if count})
        for context, address, numbers in accounts:
            way = (core, context, address)
            profile.stacks[way] = profile.stacks.get(way, _NO_COST) + _cost(numbers)
    profile.by_core = [_Costs(simulation.profile([core])) for core in cores]
    return profile


def _cost(numbers: Sequence[int]) -> Cost:
    instructions, *causes, accesses = numbers
    return Cost(instructions, tuple(causes), accesses)


def tasks_per_frame(
    executable: Executable, profile: Profile, frames: Mapping[Direction, int], cycles: int
) -> dict[str, Task]:
    """Return the cost of each task per frame.

    Tasks of sending are divided by the frames sent, those of receiving by the frames received, others by
    both together, and so are tasks of a direction without frames, such as polling. Tasks of such a direction
    that were not executed are left out. `ELSEWHERE` is the code that belongs to no task, if any was
    executed. `cycles` are those of all cores.
    """
    found = tasks_of(executable)
    costs = {
        name: (profile.total(task.pieces), sum(frames[direction] for direction in task.directions))
        for name, task in found.items()
    }
    everything = profile.total([range(1 << 64)])
    known = profile.total([piece for task in found.values() for piece in task.pieces])
    both = sum(frames.values())
    if costs and everything != known:
        costs[ELSEWHERE] = (everything - known, both)
    return {
        name: Task(
            cost.instructions / (divisor or both),
            cost.cycles / (divisor or both),
            cost.memory_accesses / (divisor or both),
            cost.cycles / cycles if cycles else 0.0,
        )
        for name, (cost, divisor) in costs.items()
        if divisor or (both and cost)
    }
