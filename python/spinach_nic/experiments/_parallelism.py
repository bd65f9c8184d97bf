"""Traces of the 10 Gb/s NIC for the studies of parallelism in its firmware."""

from __future__ import annotations

from dataclasses import replace

from spinach_nic.experiments._tengig import hpca_nic
from spinach_nic.experiments.runner import Extent, NicRun, as_settings


def uniprocessor(extent: Extent) -> NicRun:
    """One core with more frames to process than it can, so that it never waits."""
    return hpca_nic(extent, cores=1, core_clock_mhz=200, firmware="optimized")


def six_cores(extent: Extent) -> NicRun:
    """Six cores at line rate."""
    return hpca_nic(extent, core_clock_mhz=200, firmware="optimized")


def processors(extent: Extent, count: int, core_clock_mhz: int, **settings: int | str) -> NicRun:
    """Return a run of `count` cores overloaded with frames, if the clock is slow enough.

    Args:
        extent: Extent of the run.
        count: Number of cores.
        core_clock_mhz: Their clock.
        settings: Other parameters of the NIC.
    """
    request = hpca_nic(extent, cores=count, core_clock_mhz=core_clock_mhz, firmware="optimized")
    return replace(request, settings=(*request.settings, *as_settings(settings)))
