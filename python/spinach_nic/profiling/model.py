"""A profile of firmware, as typed data and as the document `spinach-profile/1`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from spinach_nic.profiling.document import (
    Costs,
    FunctionCosts,
    LineCosts,
    PlaceCosts,
    ProfileDocument,
    Window,
)
from spinach_nic.result import MeasuredWindow, Result
from spinach_nic.running.tasks import CAUSES, Cost

ELSEWHERE = "elsewhere"
"""The task of functions that belong to none, and the function of code of which nothing is known."""


@dataclass(frozen=True, order=True)
class Place:
    """Where an instruction belongs."""

    task: str
    """The task of its function, or `elsewhere`."""
    function: str
    inlined: tuple[str, ...]
    """The functions inlined there that it comes from, the outermost first."""
    line: str
    """The source line, as `send.c:42`; empty if it is not known."""

    @property
    def frames(self) -> tuple[str, ...]:
        """All of it from the outside in, without what is not known."""
        return tuple(name for name in (self.task, self.function, *self.inlined, self.line) if name)


@dataclass(frozen=True)
class FunctionCost:
    """What a function cost, with everything inlined into it and without what it calls."""

    function: str
    """Its name; the source file for code that is in no function, `elsewhere` if that is not known either."""
    task: str
    address: int | None
    """Of its first instruction; `None` for code outside of every function."""
    cost: Cost


@dataclass(frozen=True)
class LineCost:
    """What a source line cost, wherever it was inlined."""

    line: str
    cost: Cost


@dataclass(frozen=True)
class FirmwareProfile:
    """What the firmware cost in the measured window, all cores together.

    The cores keep accounts of every instruction. They do not know who called whom: a function's cost is its
    own.
    """

    result: Result
    """What the run did."""
    window: MeasuredWindow
    """When the costs arose: the measured window, up to the look after it."""
    total: Cost
    """As the cores counted it: the sum of all functions, and of all places."""
    functions: tuple[FunctionCost, ...]
    """Those that cost the most cycles first."""
    places: tuple[tuple[Place, Cost], ...]
    """In the order of their names."""

    def __repr__(self) -> str:
        """What was profiled, and what cost the most, in a line."""
        most = f", most in {self.functions[0].function}" if self.functions else ""
        firmware = self.result.firmware.name if self.result.firmware else "no firmware"
        return f"<FirmwareProfile of {self.result.nic}, {firmware}: {self.total.cycles:,} cycles{most}>"

    @property
    def lines(self) -> tuple[LineCost, ...]:
        """Source lines, those that cost the most cycles first."""
        costs: dict[str, Cost] = {}
        for place, cost in self.places:
            costs[place.line] = costs.get(place.line, Cost()) + cost
        known = [LineCost(line, cost) for line, cost in costs.items() if line]
        return tuple(sorted(known, key=lambda it: (-it.cost.cycles, it.line)))

    def typed_document(self) -> ProfileDocument:
        """As other programs read it."""
        return ProfileDocument(
            window_ns=Window(self.window.start_ns, self.window.end_ns),
            total=Costs(**_costs(self.total)),
            functions=tuple(
                FunctionCosts(function=it.function, task=it.task, address=it.address, **_costs(it.cost))
                for it in self.functions
            ),
            lines=tuple(LineCosts(line=it.line, **_costs(it.cost)) for it in self.lines),
            places=tuple(
                PlaceCosts(
                    task=place.task,
                    function=place.function,
                    inlined=place.inlined,
                    line=place.line,
                    **_costs(cost),
                )
                for place, cost in self.places
            ),
            result=self.result,
        )

    def document(self) -> dict[str, Any]:
        """As plain data, in the form of the document."""
        return self.typed_document().document()

    def to_json(self) -> str:
        """The document as text."""
        return self.typed_document().to_json()


def sum_costs(costs: Iterable[Cost]) -> Cost:
    """All of them together."""
    return sum(costs, start=Cost())


def _costs(cost: Cost) -> dict[str, Any]:
    cycles = {"all": cost.cycles} | dict(zip(CAUSES, cost.causes, strict=True))
    return {
        "instructions": cost.instructions,
        "cycles": cycles,
        "memory_accesses": cost.memory_accesses,
    }
