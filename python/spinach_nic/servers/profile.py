"""Time of a server's processors, by function and by category.

Nothing is sampled: each cycle of each hart is spent in a function or waiting, and the sum of all is the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from spinach_nic.servers.categories import CATEGORIES, IDLE, USER, category_of
from spinach_nic.servers.counts import CountedServers
from spinach_nic.servers.symbols import NOWHERE, Function, Symbols
from spinach_nic.support.documents import Count, Document

SCHEMA_FILE = Path(__file__).with_suffix(".schema.json")
"""A JSON Schema of the document."""
_HIGHEST_USER_ADDRESS = 1 << 38
"""First address of the kernel under Sv39."""
HartProfile = tuple[int, list[tuple[bool, int, int, int]]]
"""Cycles of waiting, and each block: true for user mode, address, cycles and instructions."""


class FunctionTime(Struct, frozen=True, kw_only=True):
    """Cost of a function, without its callees."""

    function: str
    """Its name, or `?` for code in no function."""
    file: str
    """The object file that it was linked from, or `?`."""
    category: str
    """One of the categories."""
    cycles: Count
    instructions: Count


class ServerProfile(Document, frozen=True, kw_only=True, tag="spinach-server-profile/1"):
    """Time of a server's harts."""

    server: str
    core: str
    """`functional` or `timed`."""
    harts: Count
    clock_hz: Count
    cycles: Count
    """Cycles of all harts together: the sum of all functions, and of `waiting_cycles`."""
    instructions: Count
    waiting_cycles: Count
    """Cycles in which a hart waited for an interrupt; part of the category `idle`."""
    categories: Mapping[str, Count]
    """Cycles by category: idle, user, copy, buffer, stack, driver, interrupt, other."""
    functions: tuple[FunctionTime, ...]
    """Functions, the most expensive first."""

    def share(self, category: str) -> float:
        """Return the part of all cycles that went to a category."""
        return self.categories[category] / self.cycles if self.cycles else 0.0


class ProfiledServers(CountedServers, Protocol):
    """Servers with profiles, as `_native.Server` has them."""

    def set_profiled(self, is_profiled: bool, node: int = 0) -> None:
        """Begin or end the profile of a server's harts."""

    def profiles(self, node: int = 0) -> list[HartProfile]:
        """Return the profile of each hart of a server."""


def profile_of(
    server: ProfiledServers, symbols: bytes, node: int = 0, *, name: str = "rv64", is_timed: bool = False
) -> ServerProfile:
    """Return the time of a server's harts since `set_profiled`.

    Args:
        server: The server, or several.
        symbols: The functions of its kernel and programs.
        node: Number of the server.
        name: Name of the run in the document.
        is_timed: True if its cores are timed.
    """
    known = Symbols.read(symbols)
    harts = server.profiles(node)
    waiting = sum(cycles for cycles, _ in harts)
    spent: dict[tuple[Function, str], list[int]] = {}
    for _, blocks in harts:
        for is_user, address, cycles, instructions in blocks:
            function = known.find(address)
            if is_user != (function.address < _HIGHEST_USER_ADDRESS):
                function = NOWHERE
            category = USER if is_user else category_of(function)
            sums = spent.setdefault((function, category), [0, 0])
            sums[0] += cycles
            sums[1] += instructions
    categories = dict.fromkeys(CATEGORIES, 0) | {IDLE: waiting}
    for (_, category), (cycles, _) in spent.items():
        categories[category] += cycles
    functions = [
        FunctionTime(
            function=function.name,
            file=function.file,
            category=category,
            cycles=cycles,
            instructions=instructions,
        )
        for (function, category), (cycles, instructions) in spent.items()
        if cycles or instructions
    ]
    functions.sort(key=lambda it: (-it.cycles, it.function, it.file, it.category))
    return ServerProfile(
        server=name,
        core="timed" if is_timed else "functional",
        harts=len(harts),
        clock_hz=server.hertz(node),
        cycles=sum(categories.values()),
        instructions=sum(it.instructions for it in functions),
        waiting_cycles=waiting,
        categories=categories,
        functions=tuple(functions),
    )


def shown(profile: ServerProfile, of: str = "the harts") -> str:
    """Return the categories and the most expensive functions, as text."""
    shares = ", ".join(f"{name} {profile.share(name):.1%}" for name in CATEGORIES if profile.categories[name])
    lines = [f"time of {of}: {shares}; by function, in cycles"]
    for it in profile.functions[:12]:
        share = it.cycles / profile.cycles if profile.cycles else 0.0
        lines.append(f"    {share:6.1%} {it.cycles:13,}  {it.function}  ({it.category}, {it.file})")
    return "\n".join(lines)
