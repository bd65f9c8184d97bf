"""Block diagrams of systems."""

from spinach_nic.arguments import checked
from spinach_nic.diagram.blocks import Block, BlockDiagram, Link, block_diagram
from spinach_nic.diagram.drawing import draw
from spinach_nic.diagram.layout import Layout, Place, lay_out
from spinach_nic.location import user_code
from spinach_nic.nics import Nic
from spinach_nic.simulation import simulate

__all__ = ["Block", "BlockDiagram", "Layout", "Link", "Place", "block_diagram", "draw", "draw_nic", "lay_out"]


@checked
def draw_nic(nic: Nic) -> str:
    """The block diagram of a NIC as SVG, the host at the left and the wire at the right.

    Raises:
        SpinachError: If something is wrong with the NIC.
    """
    simulation = simulate(nic)
    with user_code():
        probes = nic.probes()
    diagram = block_diagram(nic, simulation)
    host, *wire = (
        diagram.block_of[module.path] for module in (probes.tx.source, probes.tx.sink, probes.rx.source)
    )
    return draw(diagram, lay_out(diagram, host, wire), nic.summary or type(nic).__name__)
