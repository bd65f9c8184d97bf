"""Translation of accounts by calls of addresses into functions that call each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, cached_property

from spinach_nic.firmware import Executable
from spinach_nic.firmware.tasks import tasks_of
from spinach_nic.runs.profiling.model import CallCost, Place, StackCost
from spinach_nic.runs.profiling.places import place_of
from spinach_nic.runs.tasks import Context, Cost, Profile


class _Names:
    """Stacks of names, each a number; 0 is empty. They share their callers."""

    def __init__(self) -> None:
        self._stacks: list[tuple[int, str]] = [(0, "")]
        self._numbers: dict[tuple[int, str], int] = {}

    def push(self, stack: int, name: str) -> int:
        """Return the stack with a name more."""
        number = self._numbers.setdefault((stack, name), len(self._stacks))
        if number == len(self._stacks):
            self._stacks.append((stack, name))
        return number

    def pop(self, stack: int) -> tuple[int, str]:
        """Return the stack without its last name, and that name."""
        return self._stacks[stack]

    def of(self, stack: int) -> tuple[str, ...]:
        """Return the names of a stack, from the outside in."""
        names: list[str] = []
        while stack:
            stack, name = self._stacks[stack]
            names.append(name)
        return tuple(reversed(names))


class Callers:
    """The stacks of a profile, with names."""

    def __init__(self, executable: Executable, profile: Profile) -> None:
        """The stacks of `profile`, whose addresses are those of `executable`."""
        self._profile = profile
        tasks = tasks_of(executable)
        self._place = cache(lambda address: place_of(executable, tasks, address))
        self._names = _Names()
        self._named = [self._name(contexts) for contexts in profile.contexts]

    def _name(self, contexts: Sequence[Context]) -> list[int]:
        """Return the stack of each context. A function that jumped to the next without a call is in it."""
        stacks = [0]
        for parent, site, entry in contexts[1:]:
            stack = stacks[parent]
            caller = self._place(site).function
            if self._names.pop(stack)[1] != caller:
                stack = self._names.push(stack, caller)
            stacks.append(self._names.push(stack, self._place(entry).function))
        return stacks

    @cached_property
    def stacks(self) -> tuple[StackCost, ...]:
        """Cost of each place by the calls that led to it, in the order of their names."""
        costs: dict[tuple[int, Place], Cost] = defaultdict(Cost)
        for (core, context, address), cost in self._profile.stacks.items():
            place = self._place(address)
            stack = self._named[core][context]
            callers, last = self._names.pop(stack)
            costs[callers if last == place.function else stack, place] += cost
        names = {stack: self._names.of(stack) for stack, _ in costs}
        stacks = (StackCost(names[stack], place, cost) for (stack, place), cost in costs.items())
        return tuple(sorted(stacks, key=lambda it: (it.callers, it.place)))

    def inclusive(self) -> dict[str, Cost]:
        """Return the cost of each function including its callees; recursion counts once."""
        costs: dict[str, Cost] = defaultdict(Cost)
        for stack in self.stacks:
            for function in {*stack.functions}:
                costs[function] += stack.cost
        return costs

    def calls(self) -> tuple[CallCost, ...]:
        """Return the calls by line and function, those that cost the most cycles first."""
        counts: dict[tuple[str, str, str], int] = defaultdict(int)
        for (core, context), count in self._profile.calls.items():
            counts[self._edge(self._profile.contexts[core][context])] += count
        by_context: dict[tuple[int, int], Cost] = defaultdict(Cost)
        for (core, context, _), cost in self._profile.stacks.items():
            by_context[core, context] += cost
        costs: dict[tuple[str, str, str], Cost] = defaultdict(Cost)
        for (core, context), cost in by_context.items():
            for edge in {*self._edges(self._profile.contexts[core], context)}:
                costs[edge] += cost
        edges = (CallCost(*edge, counts.get(edge, 0), cost) for edge, cost in costs.items())
        return tuple(sorted(edges, key=lambda it: (-it.inclusive.cycles, it.caller, it.line, it.callee)))

    def _edges(self, contexts: Sequence[Context], number: int) -> Iterator[tuple[str, str, str]]:
        while number:
            yield self._edge(contexts[number])
            number = contexts[number].parent

    def _edge(self, context: Context) -> tuple[str, str, str]:
        place = self._place(context.site)
        return place.function, place.line, self._place(context.entry).function
