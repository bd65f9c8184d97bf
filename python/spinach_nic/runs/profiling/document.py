"""The document `spinach-profile/1`: a profile of firmware for other programs.

The classes are the document: it is written from them and read into them, and `document.schema.json` next to
this file is generated from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from spinach_nic.runs.result import Result
from spinach_nic.support.documents import Count, Document

SCHEMA_FILE = Path(__file__).with_suffix(".schema.json")
"""A JSON Schema of the document."""


@dataclass(frozen=True)
class Window:
    """Time window of the costs, from the start of the simulation."""

    start: Count
    end: Count


@dataclass(frozen=True, kw_only=True)
class Costs:
    """Costs of some instructions."""

    instructions: Count
    """Completed."""
    cycles: Mapping[str, Count]
    """Cycles by stall reason, and `all` of them."""
    memory_accesses: Count
    """Loads, stores and atomic operations completed."""


@dataclass(frozen=True, kw_only=True)
class FunctionCosts(Costs):
    """Costs of a function, with everything inlined into it and without its callees."""

    function: str
    """Its name; the source file for code that is in no function, `elsewhere` if that is not known either."""
    task: str
    """Its task, or `elsewhere`."""
    address: Count | None
    """Address of its first instruction; `None` for code outside of every function."""
    inclusive_cycles: Count | None = None
    """Cycles including called functions; `None` if calls were not recorded."""
    by_core: tuple[Costs, ...] = ()
    """Costs per core; empty if calls were not followed."""


@dataclass(frozen=True, kw_only=True)
class LineCosts(Costs):
    """Costs of a source line, wherever it was inlined."""

    line: str
    """Such as `send.c:42`; empty for all code without a line."""


@dataclass(frozen=True, kw_only=True)
class PlaceCosts(Costs):
    """Costs of a source line in one place: all costs of the run, once each."""

    task: str
    """The task of its function, or `elsewhere`."""
    function: str
    inlined: tuple[str, ...]
    """The functions inlined there that it comes from, the outermost first."""
    line: str
    """Empty if it is not known."""


@dataclass(frozen=True, kw_only=True)
class StackCosts(Costs):
    """Costs of a source line when it was reached by certain calls."""

    frames: tuple[str, ...]
    """The functions from the outside in, the functions inlined in the last, and the line."""
    depth: Count
    """Number of them that are callers of the line's function."""


@dataclass(frozen=True, kw_only=True)
class CallCosts(Costs):
    """Costs of the calls from one line to one function, including its callees."""

    caller: str
    line: str
    """Source line of the call; empty if unknown."""
    callee: str
    calls: Count
    """Number of calls; interrupts are calls."""


class ProfileDocument(Document, frozen=True, kw_only=True, tag="spinach-profile/1"):
    """Firmware costs in the measured window of a run, and the run's result."""

    window_ns: Window
    total: Costs
    """Costs as the cores counted them: the sum of all functions, and of all places."""
    functions: tuple[FunctionCosts, ...]
    """Functions, the most expensive first."""
    lines: tuple[LineCosts, ...]
    """Source lines, the most expensive first."""
    places: tuple[PlaceCosts, ...]
    """Places, sorted by name."""
    stacks: tuple[StackCosts, ...] = ()
    """The places by the calls that led there; empty if calls were not followed."""
    calls: tuple[CallCosts, ...] = ()
    """Calls, the most expensive first."""
    result: Result
    """Result of the run."""
