"""Translation of accounts by address stacks into functions that call each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache

from spinach_nic.firmware import Executable
from spinach_nic.firmware.tasks import tasks_of
from spinach_nic.runs.profiling.model import CallCost, Place, StackCost
from spinach_nic.runs.profiling.places import place_of
from spinach_nic.runs.tasks import Cost, Profile, Stack


class Callers:
    """The stacks of a profile, with names."""

    def __init__(self, executable: Executable, profile: Profile) -> None:
        """The stacks of `profile`, whose addresses are those of `executable`."""
        self._profile = profile
        tasks = tasks_of(executable)
        self._place = cache(lambda address: place_of(executable, tasks, address))

    def stacks(self) -> tuple[StackCost, ...]:
        """Return the cost of each place by the calls that led to it, in the order of their names."""
        costs: dict[tuple[tuple[str, ...], Place], Cost] = defaultdict(Cost)
        for (stack, address), cost in self._profile.stacks.items():
            place = self._place(address)
            callers = self._names(stack)
            if callers and callers[-1] == place.function:
                callers = callers[:-1]
            costs[callers, place] += cost
        return tuple(StackCost(callers, place, cost) for (callers, place), cost in sorted(costs.items()))

    def _names(self, stack: Stack) -> tuple[str, ...]:
        """Return the functions of a stack. One that jumped to the next without a call is among them."""
        names: list[str] = []
        for site, entry in stack:
            names += [name for name in (self._place(site).function,) if names[-1:] != [name]]
            names.append(self._place(entry).function)
        return tuple(names)

    def inclusive(self) -> dict[str, Cost]:
        """Return the cost of each function including its callees; recursion counts once."""
        costs: dict[str, Cost] = defaultdict(Cost)
        for stack in self.stacks():
            for function in {*stack.functions}:
                costs[function] += stack.cost
        return costs

    def calls(self) -> tuple[CallCost, ...]:
        """Return the calls by line and function, those that cost the most cycles first."""
        counts: dict[tuple[str, str, str], int] = defaultdict(int)
        for stack, count in self._profile.calls.items():
            counts[self._edge(*stack[-1])] += count
        costs: dict[tuple[str, str, str], Cost] = defaultdict(Cost)
        for (stack, _), cost in self._profile.stacks.items():
            for edge in {*self._edges(stack)}:
                costs[edge] += cost
        edges = (CallCost(*edge, counts.get(edge, 0), cost) for edge, cost in costs.items())
        return tuple(sorted(edges, key=lambda it: (-it.inclusive.cycles, it.caller, it.line, it.callee)))

    def _edges(self, stack: Stack) -> Iterator[tuple[str, str, str]]:
        return (self._edge(site, entry) for site, entry in stack)

    def _edge(self, site: int, entry: int) -> tuple[str, str, str]:
        place = self._place(site)
        return place.function, place.line, self._place(entry).function
