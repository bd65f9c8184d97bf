"""Where the blocks of a diagram go: a lane for each clock domain, columns from the host to the wire."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from spinach_nic.diagram.blocks import BlockDiagram

SWEEPS = 6
"""How often the order within the columns is improved."""


@dataclass(frozen=True)
class Place:
    """Column and row of a block, from 0; rows count within its lane."""

    column: int
    row: int


@dataclass(frozen=True)
class Layout:
    """Where everything goes."""

    places: Mapping[str, Place]
    lanes: Mapping[str, int]
    """The clock domains from top to bottom, and how many rows each has."""
    columns: int


def lay_out(diagram: BlockDiagram, host: str, wire: Sequence[str]) -> Layout:
    """Place the blocks of a diagram.

    Args:
        diagram: What to draw.
        host: The block at the left.
        wire: The blocks at the right.
    """
    columns = _columns(diagram, host, wire)
    lanes = _lane_order(diagram, columns)
    cells: dict[tuple[str, int], list[str]] = defaultdict(list)
    for name, block in diagram.blocks.items():
        cells[block.domain, columns[name]].append(name)
    _untangle(diagram, lanes, cells)
    heights = {
        lane: max((len(names) for (domain, _), names in cells.items() if domain == lane), default=0)
        for lane in lanes
    }
    places = {
        name: Place(column, row) for (_, column), names in cells.items() for row, name in enumerate(names)
    }
    return Layout(places, heights, 1 + max(columns.values()))


def _columns(diagram: BlockDiagram, host: str, wire: Sequence[str]) -> dict[str, int]:
    """By how far each block is on the way from the host to the wire."""
    neighbours = _neighbours(diagram)
    from_host, from_wire = _distances(neighbours, [host]), _distances(neighbours, wire)
    far = len(diagram.blocks)
    share = {}
    for name in diagram.blocks:
        left, right = from_host.get(name, far), from_wire.get(name, far)
        share[name] = Fraction(left, left + right) if left + right else Fraction(0)
    ranks = {value: rank for rank, value in enumerate(sorted(set(share.values())))}
    return {name: ranks[value] for name, value in share.items()}


def _neighbours(diagram: BlockDiagram) -> dict[str, list[str]]:
    neighbours: dict[str, list[str]] = {name: [] for name in diagram.blocks}
    for link in diagram.links:
        neighbours[link.first].append(link.second)
        neighbours[link.second].append(link.first)
    return neighbours


def _distances(neighbours: Mapping[str, Sequence[str]], starts: Sequence[str]) -> dict[str, int]:
    distances = dict.fromkeys(starts, 0)
    waiting = deque(starts)
    while waiting:
        name = waiting.popleft()
        for other in neighbours[name]:
            if other not in distances:
                distances[other] = distances[name] + 1
                waiting.append(other)
    return distances


def _lane_order(diagram: BlockDiagram, columns: Mapping[str, int]) -> list[str]:
    """Clock domains by how far to the left their blocks are on average."""
    of_domain: dict[str, list[int]] = defaultdict(list)
    for name, block in diagram.blocks.items():
        of_domain[block.domain].append(columns[name])
    return sorted(of_domain, key=lambda domain: Fraction(sum(of_domain[domain]), len(of_domain[domain])))


def _untangle(diagram: BlockDiagram, lanes: Sequence[str], cells: dict[tuple[str, int], list[str]]) -> None:
    """Order the blocks of each cell by where their neighbours are, so that edges cross less."""
    neighbours = _neighbours(diagram)
    for _ in range(SWEEPS):
        height = {
            name: Fraction(1000 * lanes.index(lane) + 10 * row)
            for (lane, _), names in cells.items()
            for row, name in enumerate(names)
        }

        def pull(name: str, height: Mapping[str, Fraction] = height) -> Fraction:
            others = neighbours[name]
            return sum((height[other] for other in others), Fraction()) / max(len(others), 1)

        for names in cells.values():
            names.sort(key=pull)
