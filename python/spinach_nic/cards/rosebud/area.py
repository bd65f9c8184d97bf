"""Cost of a card by a table of areas: bits of memory, and lookup tables of its cores.

Only published figures count: memories by the parameters of the published RTL, and the core by the synthesis
that its authors publish. Switches, packet movers, MACs and the PCI function have no published area of their
own here, and are left out. So the numbers compare cards of this design, and say nothing about others.
"""

from __future__ import annotations

from dataclasses import dataclass

from spinach_nic.cards.rosebud.map import DATA_BYTES, INSTRUCTION_BYTES, PACKET_BYTES
from spinach_nic.support.units import KiB, Size

CORE_LUTS = 816
"""Lookup tables of VexRiscv "small and productive" (RV32I, all bypasses) on Artix 7: README of
SpinalHDL/VexRiscv, commit 00534dc4. The published card is an UltraScale+."""
SWITCH_IN, SWITCH_OUT = KiB(256), KiB(64)
"""Memory of a cluster in front of its cores and behind them: published RTL, commit c593d596."""
PORT_OUT = KiB(32)
"""Memory of a port for frames to send."""


@dataclass(frozen=True)
class Area:
    """Cost of a card."""

    memory_bits: int
    luts: int
    """Lookup tables of the cores."""


def area(rpus: int, *, clusters: int, ports: int, port_fifo: Size) -> Area:
    """Return the cost of a card with `rpus` cores."""
    core = INSTRUCTION_BYTES.bytes + DATA_BYTES.bytes + PACKET_BYTES.bytes
    cluster = SWITCH_IN.bytes + SWITCH_OUT.bytes
    port = port_fifo.bytes + PORT_OUT.bytes
    return Area(8 * (rpus * core + clusters * cluster + ports * port), rpus * CORE_LUTS)
