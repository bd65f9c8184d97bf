"""Thesis, figure 4.8: throughput by the number of cores and their clock."""

from __future__ import annotations

from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._scaling import Scaling, share_of_line_rate
from spinach_nic.experiments._tengig import thesis_nic
from spinach_nic.experiments.runner import Extent, NicRun


class ThesisScaling(Scaling):
    """The NIC of the thesis, with the optimized firmware."""

    name = "thesis-figure-4.8"
    summary = "UDP throughput by number of cores and core clock, frames of 1518 bytes"
    source = thesis("figure 4.8, section 4.5.2")
    published = (
        share_of_line_rate(6, 0.963),
        share_of_line_rate(8, 0.987),
        {"cores": 8, "core_clock_mhz": 200, "line_rate_fraction": 0.994, "udp_payload_gbps": 19.0},
    )

    def nic(self, extent: Extent, cores: int, core_clock_mhz: int) -> NicRun:
        """Stores wait for the memory."""
        return thesis_nic(extent, cores=cores, core_clock_mhz=core_clock_mhz)
