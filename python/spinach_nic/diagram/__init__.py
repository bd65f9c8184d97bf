"""Block diagrams of systems."""

from spinach_nic.arguments import checked
from spinach_nic.diagram.activity import Activity, activities
from spinach_nic.diagram.blocks import Block, BlockDiagram, Box, Link, block_diagram
from spinach_nic.diagram.drawing import draw
from spinach_nic.diagram.layout import Layout, Rectangle, lay_out
from spinach_nic.location import user_code
from spinach_nic.nics import Nic
from spinach_nic.simulation import Simulation, Statistics, simulate

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
def draw_nic(nic: Nic) -> str:
    """The block diagram of a NIC as SVG, the host at the left and the wire at the right.

    Raises:
        SpinachError: If something is wrong with the NIC.
    """
    return _draw(nic, simulate(nic), None)


def draw_run(nic: Nic, simulation: Simulation, window: Statistics) -> str:
    """The block diagram of a NIC that ran, with what its blocks did in a window."""
    return _draw(nic, simulation, window)


def _draw(nic: Nic, simulation: Simulation, window: Statistics | None) -> str:
    with user_code():
        probes = nic.probes()
    diagram = block_diagram(nic, simulation)
    host, *wire = (
        diagram.block_of[module.path] for module in (probes.tx.source, probes.tx.sink, probes.rx.source)
    )
    did = None if window is None else activities(diagram, simulation, probes, window)
    return draw(diagram, lay_out(diagram, host, wire), nic.summary or type(nic).__name__, did)
