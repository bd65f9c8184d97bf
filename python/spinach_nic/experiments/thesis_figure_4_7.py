"""Thesis, figure 4.7: what the optimizations of the firmware bring, by frame size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._rates import ONE, least, most
from spinach_nic.experiments._sizes import MEASURED, by_size, measured_by_payload
from spinach_nic.experiments._tengig import FULL_PAYLOAD, PAYLOADS, thesis_nic
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    at_least,
    at_most,
    near,
    number,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIRMWARE = ("base", "optimized")
SATURATED = 0.9
"""A share of the most frames per second that is as good as all: more cannot be expected of smaller frames."""


class FirmwareOptimizations(Experiment):
    """Eight cores at 200 MHz."""

    name = "thesis-figure-4.7"
    summary = "Throughput by frame size with the base and the optimized firmware, eight cores at 200 MHz"
    source = thesis("figure 4.7, section 4.5.1")
    key = (Column("firmware", "firmware"), Column("udp_payload_bytes", "UDP payload"))
    measured = MEASURED
    notes = (
        "The text gives the rate at which the optimized firmware saturates, one that the base firmware never "
        "exceeds, and two improvements; no point of the curves.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each image and size."""
        payloads = extent.some(PAYLOADS, needed=(PAYLOADS[0], FULL_PAYLOAD))
        return [self._point(extent, firmware, payload) for firmware in FIRMWARE for payload in payloads]

    def _point(self, extent: Extent, firmware: str, payload: int) -> Point[Result]:
        def measure(result: Result) -> Rows:
            return [{"firmware": firmware, "udp_payload_bytes": payload, **by_size(result, payload)}]

        return Point(thesis_nic(extent, cores=8, payload=payload, firmware=firmware), measure)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 4.5.1."""

        def rates(firmware: str, column: str = "frames_million_per_s") -> dict[int, Measured]:
            return measured_by_payload([row for row in rows if row["firmware"] == firmware], column)

        def speedup(column: str) -> Measured:
            return rates("optimized", column)[PAYLOADS[0]] / rates("base", column)[PAYLOADS[0]]

        def imbalance(firmware: str) -> Measured:
            sent, received = (
                rates(firmware, f"{way}_frames_million_per_s")[PAYLOADS[0]] for way in ("tx", "rx")
            )
            return most((sent, received)) / least((sent, received))

        base, optimized = rates("base"), rates("optimized")
        peak = most(optimized.values())
        from_large_to_small = [optimized[payload] for payload in sorted(optimized, reverse=True)]
        growth = [
            smaller / larger
            for larger, smaller in pairwise(from_large_to_small)
            if larger.value < SATURATED * peak.value
        ]
        base_sent = rates("base", "tx_frames_million_per_s")
        least_gain = least(optimized[payload] / base[payload] for payload in base)
        return [
            at_least(
                "the optimized firmware carries no fewer frames of any size",
                least_gain,
                0.995,
                ours="both may fill the link",
            ),
            at_least(
                "it carries more frames the smaller they are, until it is saturated",
                least(growth),
                1.0,
                ours="saturated is nine tenths of the peak",
            ),
            at_least(
                "saturated, it carries more frames than the base firmware ever does",
                peak / most(base.values()),
                1,
            ),
            at_most(
                "the base firmware sends fewer of the smallest frames than of larger ones",
                base_sent[PAYLOADS[0]] / most(base_sent.values()),
                0.99,
                ours="1 %",
            ),
            near("the optimized firmware saturates at about 2.65 million frames a second", peak, 2.65),
            at_most("the base firmware never exceeds 2.0 million frames a second", most(base.values()), 2.0),
            at_least(
                "smallest frames are sent faster",
                speedup("tx_frames_million_per_s"),
                1.05,
                ours="a twentieth",
            ),
            near(
                "the optimizations send 854 % more of the smallest frames",
                speedup("tx_frames_million_per_s") - ONE,
                8.54,
            ),
            at_least(
                "smallest frames are received faster",
                speedup("rx_frames_million_per_s"),
                1.05,
                ours="a twentieth",
            ),
            near(
                "the optimizations carry 213 % more of the smallest frames both ways",
                speedup("frames_million_per_s") - ONE,
                2.13,
            ),
            at_most(
                "the optimizations lead to more balanced traffic of the smallest frames",
                imbalance("optimized") / imbalance("base"),
                1,
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Plot data throughput next to frame throughput."""
        data, frames = figure.subplots(1, 2)
        for firmware, line in zip(FIRMWARE, ("--", "-"), strict=True):
            its = [row for row in rows if row["firmware"] == firmware]
            payloads = [number(row, "udp_payload_bytes") for row in its]
            for way in ("tx", "rx"):
                label = f"{way}, {firmware}"
                color = "C0" if way == "tx" else "C1"
                for axes, column in ((data, "udp_payload_gbps"), (frames, "frames_million_per_s")):
                    values = [number(row, f"{way}_{column}") for row in its]
                    axes.plot(payloads, values, line, color=color, marker=".", label=label)
        limit = [row for row in rows if row["firmware"] == FIRMWARE[0]]
        data.plot(
            [number(row, "udp_payload_bytes") for row in limit],
            [number(row, "limit_udp_payload_gbps") / 2 for row in limit],
            ":",
            color="grey",
            label="link",
        )
        data.set_ylabel("UDP payload, Gb/s")
        frames.set_ylabel("million frames/s")
        for axes in (data, frames):
            axes.set_xlabel("UDP payload, bytes")
            axes.set_ylim(bottom=0)
        data.legend()
