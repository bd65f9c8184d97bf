"""Block diagrams of systems."""

from spinach_nic.benches import Bench, shown_bench
from spinach_nic.cards import Card
from spinach_nic.model.simulation import Simulation, Statistics, simulate
from spinach_nic.report.diagram.activity import Activity, activities
from spinach_nic.report.diagram.blocks import Block, BlockDiagram, Box, Link, block_diagram
from spinach_nic.report.diagram.drawing import draw
from spinach_nic.report.diagram.layout import Layout, Rectangle, lay_out
from spinach_nic.support.arguments import checked
from spinach_nic.support.location import user_code

__all__ = [
    "Activity",
    "Block",
    "BlockDiagram",
    "Box",
    "Layout",
    "Link",
    "Rectangle",
    "activities",
    "block_diagram",
    "draw",
    "draw_nic",
    "draw_run",
    "lay_out",
]


@checked
def draw_nic(nic: Card | Bench) -> str:
    """Draw the block diagram of a NIC as SVG, the host at the left and the wire at the right.

    Raises:
        SpinachError: The NIC is invalid.
    """
    bench = shown_bench(nic)
    return _draw(bench, simulate(bench), None)


def draw_run(bench: Bench, simulation: Simulation, window: Statistics) -> str:
    """Return the block diagram of a NIC that ran, with the activity of its blocks in a window."""
    return _draw(bench, simulation, window)


def _draw(bench: Bench, simulation: Simulation, window: Statistics | None) -> str:
    with user_code():
        probes = bench.probes()
    diagram = block_diagram(bench, simulation)
    host, *wire = (
        diagram.block_of[module.path] for module in (probes.tx.source, probes.tx.sink, probes.rx.source)
    )
    did = None if window is None else activities(diagram, simulation, probes, window)
    return draw(diagram, lay_out(diagram, host, wire), bench.summary or bench.title, did)
