"""Thesis, figure 4.11: the power of the slowest cores that reach line rate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._lowest_clock import LowestClock
from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._scaling import CORES
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    at_least,
    near,
    number,
    only,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

XSCALE_MILLIWATTS = {200: 55.0, 400: 200.0, 600: 450.0, 800: 900.0}
"""Power by clock in MHz (thesis, table 4.3)."""


def core_milliwatts(core_clock_mhz: float) -> float:
    """Return the power of a core (thesis, section 4.5.4).

    Between and above the clocks of table 4.3 by a cubic spline, which through four points is one cubic. Below
    the lowest the voltage cannot fall any further, so power falls in proportion to the clock.
    """
    slowest = min(XSCALE_MILLIWATTS)
    if core_clock_mhz < slowest:
        return XSCALE_MILLIWATTS[slowest] * core_clock_mhz / slowest
    return sum(power * _weight(core_clock_mhz, clock_mhz) for clock_mhz, power in XSCALE_MILLIWATTS.items())


def _weight(at_mhz: float, clock_mhz: int) -> float:
    """Lagrange's: 1 at the clock, 0 at the others."""
    weight = 1.0
    for other in XSCALE_MILLIWATTS:
        if other != clock_mhz:
            weight *= (at_mhz - other) / (clock_mhz - other)
    return weight


class ProcessorPower(Experiment):
    """Frames of 1518 bytes both ways, with the optimized firmware."""

    name = "thesis-figure-4.11"
    summary = "Processor power of the lowest clock that reaches line rate, by number of cores"
    source = thesis("figure 4.11 and table 4.3, sections 4.1.3 and 4.5.4")
    key = (Column("cores", "cores"),)
    measured = (
        Column("core_clock_mhz", "lowest clock, MHz"),
        Column("power_milliwatts", "power, mW", digits=0),
        Column("relative_power", "of one core's", digits=3),
    )
    published = (
        {"cores": 1, "core_clock_mhz": 800, "power_milliwatts": 900.0, "relative_power": 1.0},
        {"cores": 6, "core_clock_mhz": 200, "power_milliwatts": 330.0, "relative_power": 0.37},
        {"cores": 8, "core_clock_mhz": 175},
    )
    notes = ("Power is computed from the clock with the figures of the Intel XScale, as in the publication.",)

    def points(self, extent: Extent) -> Sequence[Point[int]]:
        """Return a search for each number of cores."""
        return [self._point(extent, cores) for cores in extent.some(CORES, needed=(1, 6, 8))]

    def _point(self, extent: Extent, cores: int) -> Point[int]:
        def measure(core_clock_mhz: int) -> Rows:
            power = cores * core_milliwatts(core_clock_mhz)
            return [{"cores": cores, "core_clock_mhz": core_clock_mhz, "power_milliwatts": power}]

        return Point(LowestClock(cores, extent), measure)

    def finish(self, rows: Rows) -> Rows:
        """Relate power to that of a single core."""
        single = number(only(rows, cores=1), "power_milliwatts")
        return [{**row, "relative_power": number(row, "power_milliwatts") / single} for row in rows]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Sections 4.5.2 and 4.5.4."""
        one, six, eight = (only(rows, cores=cores) for cores in (1, 6, 8))
        saved = 1 - number(six, "relative_power")
        return [
            near("one core needs 800 MHz", number(one, "core_clock_mhz"), 800),
            near("six cores need 200 MHz", number(six, "core_clock_mhz"), 200),
            near("eight cores need 175 MHz", number(eight, "core_clock_mhz"), 175),
            near("six cores save 63 % of a single core's power", saved, 0.63),
            near(
                "six cores take a third of a single core's power",
                number(six, "relative_power"),
                330 / 900,
            ),
            at_least(
                "eight cores take more power than six",
                number(eight, "power_milliwatts") / number(six, "power_milliwatts"),
                1,
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """A bar for each number of cores."""
        axes = figure.subplots()
        names = [f"{row['cores']} at {row['core_clock_mhz']} MHz" for row in rows]
        axes.bar(names, [number(row, "relative_power") for row in rows])
        axes.set_ylabel("processor power, relative")
