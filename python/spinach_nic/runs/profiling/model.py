"""A profile of firmware, as typed data and as the document `spinach-profile/1`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from spinach_nic.runs.profiling.document import (
    CallCosts,
    Costs,
    FunctionCosts,
    LineCosts,
    PlaceCosts,
    ProfileDocument,
    StackCosts,
    Window,
)
from spinach_nic.runs.result import MeasuredWindow, Result
from spinach_nic.runs.tasks import CAUSES, Cost
from spinach_nic.support.representations import html_table

_SHOWN = 12
"""Maximum functions shown in a notebook."""


@dataclass(frozen=True, order=True)
class Place:
    """Function, line and task of an instruction."""

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
    """Cost of a function, with everything inlined into it and without its callees."""

    function: str
    """Its name; the source file for code that is in no function, `elsewhere` if that is not known either."""
    task: str
    address: int | None
    """Address of its first instruction; `None` for code outside of every function."""
    cost: Cost
    inclusive: Cost | None = None
    """Cost including called functions; `None` if calls were not recorded."""
    by_core: tuple[Cost, ...] = ()
    """Cost per core; empty if calls were not followed."""


@dataclass(frozen=True)
class StackCost:
    """Cost of a place when it was reached by these calls."""

    callers: tuple[str, ...]
    """The functions that wait for the one that the place is in, the outermost first."""
    place: Place
    cost: Cost

    @property
    def functions(self) -> tuple[str, ...]:
        """The callers, and the function that the place is in."""
        return (*self.callers, self.place.function)

    @property
    def frames(self) -> tuple[str, ...]:
        """All of it from the outside in, without what is not known."""
        return (*self.functions, *self.place.inlined, *filter(None, [self.place.line]))


@dataclass(frozen=True)
class CallCost:
    """Cost of the calls from one line to one function."""

    caller: str
    line: str
    """Source line of the call, as `send.c:42`; empty if unknown."""
    callee: str
    calls: int
    """Number of calls; interrupts are calls."""
    inclusive: Cost
    """Cost of the function, including its callees."""


@dataclass(frozen=True)
class LineCost:
    """Cost of a source line, wherever it was inlined."""

    line: str
    """The source line, as `send.c:42`; empty for all code without one."""
    cost: Cost


@dataclass(frozen=True, kw_only=True)
class FirmwareCosts:
    """Firmware costs of the cores of a card, all cores together."""

    total: Cost
    """Cost as the cores counted it: the sum of all functions, and of all places."""
    functions: tuple[FunctionCost, ...]
    """Functions, the most expensive first."""
    places: tuple[tuple[Place, Cost], ...]
    """Places with their costs, sorted by name."""
    stacks: tuple[StackCost, ...] = ()
    """The places by the calls that led there, with everything that the cores counted. Empty if calls were not
    followed."""
    calls: tuple[CallCost, ...] = ()
    """Calls, the most expensive first."""

    @property
    def lines(self) -> tuple[LineCost, ...]:
        """Source lines and code without one, those that cost the most cycles first: all costs, once each."""
        costs: dict[str, Cost] = {}
        for place, cost in self.places:
            costs[place.line] = costs.get(place.line, Cost()) + cost
        lines = (LineCost(line, cost) for line, cost in costs.items())
        return tuple(sorted(lines, key=lambda it: (-it.cost.cycles, it.line)))

    def documented(self) -> dict[str, Any]:
        """Return the fields of documents: `total`, `functions`, `lines`, `places`, `stacks` and `calls`."""
        return {
            "total": Costs(**_costs(self.total)),
            "functions": tuple(
                FunctionCosts(
                    function=it.function,
                    task=it.task,
                    address=it.address,
                    inclusive_cycles=None if it.inclusive is None else it.inclusive.cycles,
                    by_core=tuple(Costs(**_costs(cost)) for cost in it.by_core),
                    **_costs(it.cost),
                )
                for it in self.functions
            ),
            "lines": tuple(LineCosts(line=it.line, **_costs(it.cost)) for it in self.lines),
            "places": tuple(
                PlaceCosts(
                    task=place.task,
                    function=place.function,
                    inlined=place.inlined,
                    line=place.line,
                    **_costs(cost),
                )
                for place, cost in self.places
            ),
            "stacks": tuple(
                StackCosts(frames=it.frames, depth=len(it.callers), **_costs(it.cost)) for it in self.stacks
            ),
            "calls": tuple(
                CallCosts(
                    caller=it.caller,
                    line=it.line,
                    callee=it.callee,
                    calls=it.calls,
                    **_costs(it.inclusive),
                )
                for it in self.calls
            ),
        }


@dataclass(frozen=True, kw_only=True)
class FirmwareProfile(FirmwareCosts):
    """Firmware costs in the measured window, all cores together.

    The cores keep accounts of every instruction, and of the calls that led to it if they are asked to, as
    `profile` does. A function's cost is its own; `inclusive` has what it calls too.
    """

    result: Result
    """Result of the run."""
    window: MeasuredWindow
    """Time window of the costs: the measured window, up to the next sample."""

    def __repr__(self) -> str:
        """Return the subject and the largest cost, in a line."""
        most = f", most in {self.functions[0].function}" if self.functions else ""
        firmware = self.result.firmware.name if self.result.firmware else "no firmware"
        return f"<FirmwareProfile of {self.result.nic}, {firmware}: {self.total.cycles:,} cycles{most}>"

    def _repr_html_(self) -> str:
        """Return the functions that cost the most, for notebooks."""
        everything = self.total.cycles or 1
        headings = (
            "function",
            "task",
            "cycles",
            "with calls",
            *(cause.replace("_", " ") for cause in CAUSES),
        )
        rows = [
            (
                it.function,
                it.task.replace("_", " "),
                f"{it.cost.cycles / everything:.1%}",
                "-" if it.inclusive is None else f"{it.inclusive.cycles / everything:.1%}",
                *(f"{cycles / (it.cost.cycles or 1):.1%}" for cycles in it.cost.causes),
            )
            for it in self.functions[:_SHOWN]
        ]
        more = len(self.functions) - len(rows)
        return html_table(headings, rows, title=repr(self)[1:-1], note=f"and {more} more" if more else "")

    @property
    def frames(self) -> int:
        """Return the number of frames that arrived in the window, of both directions."""
        return self.result.tx.measured_frames + self.result.rx.measured_frames

    def typed_document(self) -> ProfileDocument:
        """Return the document for other programs."""
        return ProfileDocument(
            window_ns=Window(self.window.begins_ns, self.window.ends_ns),
            **self.documented(),
            result=self.result,
        )

    def document(self) -> dict[str, Any]:
        """Return the document as plain data."""
        return self.typed_document().document()

    def to_json(self) -> str:
        """Return the document as text."""
        return self.typed_document().to_json()


def sum_costs(costs: Iterable[Cost]) -> Cost:
    """Return all of them together."""
    return sum(costs, start=Cost())


def _costs(cost: Cost) -> dict[str, Any]:
    cycles = {"all": cost.cycles} | dict(zip(CAUSES, cost.causes, strict=True))
    return {
        "instructions": cost.instructions,
        "cycles": cycles,
        "memory_accesses": cost.memory_accesses,
    }
