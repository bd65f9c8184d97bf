"""Throughput by the number of cores and their clock: a figure of the thesis, and again of HPCA 2005."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from spinach_nic.experiments._tengig import (
    FULL_PAYLOAD,
    LINE_RATE,
    THROUGHPUT,
    line_frames_per_s,
    throughput,
)
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    NicRun,
    Point,
    Row,
    Rows,
    at_least,
    at_most,
    figure_of,
    near,
    number,
    one_row,
    only,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured
from spinach_nic.support.representations import amount

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CORES = (1, 2, 4, 6, 8)
CLOCKS_MHZ = (100, 125, 150, 175, 200, 250, 300)
SINGLE_CORE_CLOCK_MHZ = 800
TOO_SLOW_MHZ = 720
"""A tenth less: the tolerance of published figures."""


def share_of_line_rate(cores: int, fraction: float) -> Row:
    """Return a published row at 175 MHz: the text gives the fraction, and the data rate follows from it."""
    line_rate_gbps = 2 * 8 * FULL_PAYLOAD * line_frames_per_s(FULL_PAYLOAD) / 1e9
    return {
        "cores": cores,
        "core_clock_mhz": 175,
        "udp_payload_gbps": fraction * line_rate_gbps,
        "line_rate_fraction": fraction,
    }


class Scaling(Experiment):
    """Frames of 1518 bytes both ways."""

    key = (Column("cores", "cores"), Column("core_clock_mhz", "MHz"))
    measured = THROUGHPUT
    notes = ("Published data rates are computed from the published shares of line rate.",)

    @abstractmethod
    def nic(self, extent: Extent, cores: int, core_clock_mhz: int) -> NicRun:
        """Return the NIC that is measured."""

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each number of cores and clock, and two for the fast single core."""
        cores = extent.some(CORES, needed=(6, 8))
        clocks = extent.some(CLOCKS_MHZ, needed=(175, 200))
        return [
            one_row(self.nic(extent, number_of, clock), throughput, cores=number_of, core_clock_mhz=clock)
            for number_of, clock in [
                *product(cores, clocks),
                (1, TOO_SLOW_MHZ),
                (1, SINGLE_CORE_CLOCK_MHZ),
            ]
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the same words in both publications."""

        def share(cores: int, core_clock_mhz: int) -> Measured:
            return figure_of(only(rows, cores=cores, core_clock_mhz=core_clock_mhz), "line_rate_fraction")

        return [
            at_least("six cores at 200 MHz are within 1 % of line rate", share(6, 200), LINE_RATE),
            at_least("eight cores at 200 MHz are within 1 % of line rate", share(8, 200), LINE_RATE),
            near("six cores at 175 MHz reach 96.3 % of line rate", share(6, 175), 0.963, within=0.01),
            near("eight cores at 175 MHz reach 98.7 % of line rate", share(8, 175), 0.987, within=0.01),
            at_least(
                "a single core at 800 MHz reaches line rate", share(1, SINGLE_CORE_CLOCK_MHZ), LINE_RATE
            ),
            at_most(
                "a single core has to operate at 800 MHz: at 720 MHz it does not reach line rate",
                share(1, TOO_SLOW_MHZ),
                LINE_RATE,
                ours="720 MHz is a tenth less",
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """A line for each number of cores."""
        axes = figure.subplots()
        for cores in sorted({int(number(row, "cores")) for row in rows}):
            its = [
                row
                for row in rows
                if row["cores"] == cores and number(row, "core_clock_mhz") <= CLOCKS_MHZ[-1]
            ]
            clocks = [number(row, "core_clock_mhz") for row in its]
            axes.plot(
                clocks,
                [number(row, "udp_payload_gbps") for row in its],
                marker="o",
                label=amount(cores, "core"),
            )
        axes.set_xlabel("core clock, MHz")
        axes.set_ylabel("UDP payload, both ways, Gb/s")
        axes.set_ylim(bottom=0)
        axes.legend()
