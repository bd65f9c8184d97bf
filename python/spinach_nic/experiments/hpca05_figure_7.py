"""HPCA 2005, figure 7: throughput by the number of cores and their clock."""

from __future__ import annotations

from spinach_nic.experiments._papers import hpca
from spinach_nic.experiments._scaling import Scaling, share_of_line_rate
from spinach_nic.experiments._tengig import hpca_nic
from spinach_nic.experiments.runner import Extent, NicRun


class HpcaScaling(Scaling):
    """The NIC of HPCA 2005, with ordering in software."""

    name = "hpca05-figure-7"
    summary = "UDP throughput by number of cores and core clock, frames of 1518 bytes"
    source = hpca("figure 7, section 6.1")
    published = (
        share_of_line_rate(6, 0.963),
        share_of_line_rate(8, 0.987),
    )

    def nic(self, extent: Extent, cores: int, core_clock_mhz: int) -> NicRun:
        """Return the NIC whose cores leave a store behind."""
        return hpca_nic(extent, cores=cores, core_clock_mhz=core_clock_mhz, firmware="optimized")
