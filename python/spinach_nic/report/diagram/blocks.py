"""Content of a block diagram: blocks in the boxes of the parts that hold them, and their connections."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from spinach_nic.model import Component, Module, Part
from spinach_nic.model.simulation import Simulation

CROSSINGS = frozenset({"asynchronous_fifo", "crossing", "synchronizer"})
"""Kinds of modules that connect clock domains: a part made of them alone is drawn as an edge."""

MEASUREMENT = frozenset({"departure"})
"""Types of channels for measurement, which no card has: they are not drawn."""

_INDEX = re.compile(r"\[\d+\]")


@dataclass
class Block:
    """A module, or an array of modules, under its path without indices."""

    path: str
    kind: str
    """The class of the part."""
    domain: str
    """The clock domain of most modules in it."""
    box: str
    """The path of the innermost box around it; empty if there is none."""
    count: int = 1
    """Number of equal parts in the box."""
    modules: list[str] = field(default_factory=list)
    """Paths of all modules that it represents."""

    @property
    def name(self) -> str:
        """Its name within its box."""
        return _own_name(self.path)


@dataclass
class Box:
    """A part that holds several blocks, or an array of such parts, under its path without indices."""

    path: str
    kind: str
    outer: str
    """The path of the box around it; empty if there is none."""
    count: int = 1

    @property
    def name(self) -> str:
        """Its name within the box around it."""
        return _own_name(self.path)


@dataclass(frozen=True)
class Link:
    """Connection of two blocks by channels; `first` precedes in the order of blocks."""

    first: str
    second: str
    channels: int
    is_crossing: bool
    """True if they pass a crossing between clock domains."""


@dataclass(frozen=True)
class BlockDiagram:
    """Blocks and boxes of a system by path, in the order of its parts, and the links of the blocks."""

    blocks: dict[str, Block]
    boxes: dict[str, Box]
    """Outer ones before those inside."""
    links: list[Link]
    domains: dict[str, str]
    """Frequency of each clock domain, in its written form."""
    block_of: dict[str, str]
    """The block, or the crossing, in which each module is, by its path."""
    kind_of: dict[str, str] = field(default_factory=dict)
    """The library's name of the kind of each module, by its path."""


def block_diagram(system: Component, simulation: Simulation) -> BlockDiagram:
    """Return the diagram of a system: arrays are blocks, crossings edges, parts with several blocks boxes."""
    builder = _Builder(simulation)
    builder.add(system, "")
    return builder.diagram()


class _Builder:
    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._domain_of = simulation.module_domains()
        self._blocks: dict[str, Block] = {}
        self._boxes: dict[str, Box] = {}
        self._parts: dict[str, set[str]] = {}
        self._block_of: dict[str, str] = {}
        self._crossings: set[str] = set()
        self._kind_of: dict[str, str] = {}

    def add(self, component: Component, box: str) -> None:
        for part in component.parts.values():
            modules = _modules(part)
            self._kind_of |= {module.path: module.kind for module in modules}
            kept = [module for module in modules if module.kind not in CROSSINGS]
            if not kept:
                self._crossings |= {module.path for module in modules}
                self._block_of |= {module.path: module.path for module in modules}
            elif isinstance(part, Component) and len({_plain(module.path) for module in kept}) > 1:
                self._add_box(part, box)
                self.add(part, _plain(part.path))
            else:
                self._crossings |= {module.path for module in modules if module not in kept}
                self._block_of |= {module.path: module.path for module in modules if module not in kept}
                self._add_block(part, kept, box)

    def _add_box(self, part: Component, outer: str) -> None:
        path = _plain(part.path)
        self._boxes.setdefault(path, Box(path, type(part).__name__, outer))
        self._parts.setdefault(path, set()).add(part.path)
        self._boxes[path].count = len(self._parts[path])

    def _add_block(self, part: Part, modules: list[Module], box: str) -> None:
        path = _plain(part.path)
        domain = Counter(self._domain_of[module.path][0] for module in modules).most_common(1)[0][0]
        block = self._blocks.setdefault(path, Block(path, type(part).__name__, domain, box))
        self._parts.setdefault(path, set()).add(part.path)
        block.count = -(-len(self._parts[path]) // (self._all_in(box) or 1))
        block.modules += [module.path for module in modules]
        self._block_of |= {module.path: path for module in modules}

    def _all_in(self, box: str) -> int:
        return len(self._parts[box]) if box else 1

    def diagram(self) -> BlockDiagram:
        pairs = Counter(
            (self._block_of[source], self._block_of[target])
            for source, target, carried in self._simulation.connections()
            if self._block_of[source] != self._block_of[target] and carried not in MEASUREMENT
        )
        links = _links(pairs, list(self._blocks), self._crossings)
        frequencies = self._simulation.frequencies()
        return BlockDiagram(self._blocks, self._boxes, links, frequencies, self._block_of, self._kind_of)


def _modules(part: Part) -> list[Module]:
    modules = list(part.modules()) if isinstance(part, Component) else [part]
    return [module for module in modules if isinstance(module, Module)]


def _plain(path: str) -> str:
    return _INDEX.sub("", path)


def _own_name(path: str) -> str:
    return path.rpartition(".")[2].replace("_", " ")


def _links(pairs: Counter[tuple[str, str]], order: list[str], crossings: set[str]) -> list[Link]:
    """Return both directions as one, and each crossing as an edge between its neighbours."""
    channels: Counter[tuple[str, str, bool]] = Counter()
    places = {path: place for place, path in enumerate(order)}

    def add(one: str, other: str, number: int, *, is_crossing: bool) -> None:
        first, second = sorted((one, other), key=places.__getitem__)
        if first != second:
            channels[first, second, is_crossing] += number

    for (source, target), number in pairs.items():
        if source not in crossings and target not in crossings:
            add(source, target, number, is_crossing=False)
    for crossing in sorted(crossings):
        into = {one: number for (one, other), number in pairs.items() if other == crossing}
        out = {other: number for (one, other), number in pairs.items() if one == crossing}
        for one, number in into.items():
            for other, other_number in out.items():
                if one in places and other in places:
                    add(one, other, min(number, other_number), is_crossing=True)
    return [
        Link(first, second, number, is_crossing)
        for (first, second, is_crossing), number in sorted(channels.items())
    ]
