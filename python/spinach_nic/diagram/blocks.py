"""What a block diagram shows: blocks, the clock domain of each, and what connects them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from spinach_nic.composition import Component, Module, Part
from spinach_nic.simulation import Simulation

CROSSINGS = frozenset({"asynchronous_fifo", "crossing", "synchronizer"})
"""Kinds of modules that stand between clock domains: a part made of them alone is drawn as an edge."""

MEASUREMENT = frozenset({"departure"})
"""Types of what only serves to measure, which no card has: such channels are not drawn."""

_INDEX = re.compile(r"\[\d+\]")


@dataclass
class Block:
    """A part of the system, or an array of parts of one class."""

    name: str
    kind: str
    """The class of the part."""
    domain: str
    """The clock domain of most modules in it."""
    count: int = 1
    modules: list[str] = field(default_factory=list)
    """`path (kind)` of every module inside."""


@dataclass(frozen=True)
class Link:
    """That channels connect two blocks; `first` comes first in the order of blocks."""

    first: str
    second: str
    channels: int
    is_crossing: bool
    """Whether they go through a crossing between clock domains."""


@dataclass(frozen=True)
class BlockDiagram:
    """The blocks of a system by name, in the order of its parts, and what connects them."""

    blocks: dict[str, Block]
    links: list[Link]
    domains: dict[str, str]
    """The frequency of each clock domain, as a person writes it."""
    block_of: dict[str, str]
    """The block, or the crossing, in which each module is, by its path."""


def block_diagram(system: Component, simulation: Simulation) -> BlockDiagram:
    """The diagram of a system: one block for each part or array of parts, crossings as edges."""
    domain_of = simulation.module_domains()
    blocks: dict[str, Block] = {}
    block_of: dict[str, str] = {}
    crossings: set[str] = set()
    for name, part in system.parts.items():
        block_name = _INDEX.sub("", name)
        modules = list(part.modules()) if isinstance(part, Component) else [part]
        kept = [module for module in modules if isinstance(module, Module)]
        if all(module.kind in CROSSINGS for module in kept):
            crossings.add(name)
            block_of |= dict.fromkeys((module.path for module in kept), name)
            continue
        block_of |= dict.fromkeys((module.path for module in kept), block_name)
        described = [f"{module.path} ({module.kind})" for module in kept]
        if block_name in blocks:
            blocks[block_name].count += 1
            blocks[block_name].modules += described
        else:
            domain = Counter(domain_of[module.path][0] for module in kept).most_common(1)[0][0]
            blocks[block_name] = Block(block_name, _kind(part), domain, modules=described)
    pairs = Counter(
        (block_of[source], block_of[target])
        for source, target, carried in simulation.connections()
        if block_of[source] != block_of[target] and carried not in MEASUREMENT
    )
    return BlockDiagram(blocks, _links(pairs, list(blocks), crossings), simulation.frequencies(), block_of)


def _kind(part: Part) -> str:
    return type(part).__name__


def _links(pairs: Counter[tuple[str, str]], order: list[str], crossings: set[str]) -> list[Link]:
    """Both directions as one, and each crossing as an edge between its neighbours."""
    channels: Counter[tuple[str, str, bool]] = Counter()

    def add(one: str, other: str, number: int, is_crossing: bool) -> None:
        first, second = sorted((one, other), key=order.index)
        if first != second:
            channels[first, second, is_crossing] += number

    for (source, target), number in pairs.items():
        if source not in crossings and target not in crossings:
            add(source, target, number, False)
    for crossing in crossings:
        into = {one: number for (one, other), number in pairs.items() if other == crossing}
        out = {other: number for (one, other), number in pairs.items() if one == crossing}
        for one, number in into.items():
            for other, other_number in out.items():
                add(one, other, min(number, other_number), True)
    return [
        Link(first, second, number, is_crossing) for (first, second, is_crossing), number in channels.items()
    ]
