"""Links of PCI Express, by generation and number of lanes."""

from __future__ import annotations

from dataclasses import dataclass

from spinach_nic.support.units import Gbps, Rate


@dataclass(frozen=True)
class PcieLink:
    """Capacity of a link in each direction."""

    rate: Rate
    """Rate for packets of 256 bytes, less line code, acknowledgements, credit updates and skips."""
    overhead: int
    """Bytes of a write or read request besides its data, with an address of 64 bits."""
    completion_overhead: int
    """Bytes of a packet that brings data of a read, besides the data."""
    generation: int
    lanes: int


_UP_TO_GEN5 = (4 + 4 + 16, 4 + 4 + 12)
"""Framing and sequence number, check sequence, header: of a request, and of a completion."""
_GEN6 = (16, 12)
"""The header: framing and check sequences are those of the flits, which the rate leaves out."""

LINKS = {
    "gen3x8": PcieLink(Gbps(57.9), *_UP_TO_GEN5, 3, 8),
    "gen3x16": PcieLink(Gbps(113.7), *_UP_TO_GEN5, 3, 16),
    "gen4x8": PcieLink(Gbps(115.8), *_UP_TO_GEN5, 4, 8),
    "gen4x16": PcieLink(Gbps(227.4), *_UP_TO_GEN5, 4, 16),
    "gen5x8": PcieLink(Gbps(231.5), *_UP_TO_GEN5, 5, 8),
    "gen5x16": PcieLink(Gbps(454.8), *_UP_TO_GEN5, 5, 16),
    "gen6x8": PcieLink(Gbps(472), *_GEN6, 6, 8),
    "gen6x16": PcieLink(Gbps(944), *_GEN6, 6, 16),
}
"""Links by name.

Up to Gen5 the rates follow from the public model of pcie-bench (Neugebauer et al., SIGCOMM 2018); with
16 lanes acknowledgements and credit updates are more frequent. In Gen6, 236 of the 256 bytes of a flit are
packets.
"""
