"""Placement of the blocks of a diagram, and its lines, by Graphviz, from the host at the left to the wire."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from spinach_nic.report.diagram.blocks import BlockDiagram, Link
from spinach_nic.support.extras import require

BLOCK_WIDTH, BLOCK_HEIGHT = 148, 46
_POINTS_PER_INCH = 72
_ATTRIBUTES = {
    "rankdir": "LR",
    "nodesep": "0.22",
    "ranksep": "0.5",
    "splines": "true",
    "newrank": "false",
    "remincross": "true",
    "searchsize": "100",
    "mclimit": "4",
}
_BOX_ATTRIBUTES = {"margin": "21", "label": ""}
"""The name of a box is in its margin. Nothing has a label: Graphviz needs no fonts."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Rectangle:
    """A rectangle; y grows downwards."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True)
class Layout:
    """Placement of all elements, from the point 0, 0 on."""

    width: float
    height: float
    blocks: Mapping[str, Rectangle]
    boxes: Mapping[str, Rectangle]
    lines: Sequence[tuple[Link, tuple[Point, ...]]]
    """Per link: a start, and for each cubic curve that follows two points that bend it and its end."""


def lay_out(diagram: BlockDiagram, host: str, wire: Sequence[str]) -> Layout:
    """Place the blocks of a diagram so that no line crosses a box that it does not lead into.

    Args:
        diagram: Diagram to draw.
        host: The block at the left.
        wire: The blocks at the right.
    """
    require("graphs", purpose="the diagram")
    from pygraphviz import AGraph

    graph = AGraph(directed=True, strict=False)
    graph.graph_attr.update(_ATTRIBUTES)
    size = {"width": BLOCK_WIDTH / _POINTS_PER_INCH, "height": BLOCK_HEIGHT / _POINTS_PER_INCH}
    graph.node_attr.update(shape="box", fixedsize="true", label="", **size)
    graph.edge_attr.update(arrowhead="none")
    holders = {"": graph}
    for box in diagram.boxes.values():
        holders[box.path] = holders[box.outer].add_subgraph(name=f"cluster_{box.path}", **_BOX_ATTRIBUTES)
    for block in diagram.blocks.values():
        holders[block.box].add_node(block.path)
    order = _order(diagram, host, wire)
    for number, link in enumerate(diagram.links):
        ends = sorted((link.first, link.second), key=order.__getitem__)
        weight = 4 if diagram.blocks[link.first].box == diagram.blocks[link.second].box != "" else 1
        graph.add_edge(*ends, key=str(number), weight=weight)
    graph.layout("dot")
    return _read(diagram, graph)


def _read(diagram: BlockDiagram, graph: Any) -> Layout:
    from pygraphviz import Edge, Node

    *_, width, height = _numbers(graph.graph_attr["bb"])

    def centred(path: str) -> Rectangle:
        x, y = _numbers(Node(graph, path).attr["pos"])
        return Rectangle(x - BLOCK_WIDTH / 2, height - y - BLOCK_HEIGHT / 2, BLOCK_WIDTH, BLOCK_HEIGHT)

    boxes = {}
    clusters = {sub.name: sub for sub in _subgraphs(graph)}
    for path in diagram.boxes:
        left, bottom, right, top = _numbers(clusters[f"cluster_{path}"].graph_attr["bb"])
        boxes[path] = Rectangle(left, height - top, right - left, top - bottom)
    keys = {str(number): link for number, link in enumerate(diagram.links)}
    lines = []
    for one, other, key in graph.edges(keys=True):
        position = Edge(graph, one, other, key).attr["pos"]
        points = [_numbers(point) for point in position.split() if point[0] not in "es"]
        lines.append((keys[key], tuple((x, height - y) for x, y in points)))
    blocks = {path: centred(path) for path in diagram.blocks}
    return Layout(width, height, blocks, boxes, lines)


def _subgraphs(graph: Any) -> list[Any]:
    inner = graph.subgraphs()
    return [*inner, *(deeper for one in inner for deeper in _subgraphs(one))]


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",")]


def _order(diagram: BlockDiagram, host: str, wire: Sequence[str]) -> dict[str, tuple[Fraction, int]]:
    """Return the sort key of each block: its distance from the host, then the order of parts."""
    neighbours: dict[str, list[str]] = {path: [] for path in diagram.blocks}
    for link in diagram.links:
        neighbours[link.first].append(link.second)
        neighbours[link.second].append(link.first)
    from_host, from_wire = _distances(neighbours, [host]), _distances(neighbours, wire)
    far = len(diagram.blocks)
    order = {}
    for place, path in enumerate(diagram.blocks):
        left, right = from_host.get(path, far), from_wire.get(path, far)
        order[path] = (Fraction(left, left + right) if left + right else Fraction(0), place)
    return order


def _distances(neighbours: Mapping[str, Sequence[str]], starts: Sequence[str]) -> dict[str, int]:
    distances = dict.fromkeys(starts, 0)
    waiting = deque(starts)
    while waiting:
        path = waiting.popleft()
        for other in neighbours[path]:
            if other not in distances:
                distances[other] = distances[path] + 1
                waiting.append(other)
    return distances
