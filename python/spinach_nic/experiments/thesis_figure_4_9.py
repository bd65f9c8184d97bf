"""Thesis, figure 4.9: throughput by frame size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._rates import least
from spinach_nic.experiments._sizes import (
    MEASURED,
    by_size,
    draw_below_limit,
    measured_by_payload,
)
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
    figure_of,
    near,
    number,
    with_errors,
)
from spinach_nic.runs.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLOSE_TO_MAXIMUM = 0.95
SIGNIFICANTLY_BELOW = 0.5


class FrameSizes(Experiment):
    """Eight cores at 200 MHz with the optimized firmware."""

    name = "thesis-figure-4.9"
    summary = "UDP throughput by frame size, eight cores at 200 MHz"
    source = thesis("figure 4.9, section 4.5.2")
    key = (Column("udp_payload_bytes", "UDP payload"),)
    measured = (*MEASURED, Column("limit_fraction", "of the limit", digits=3))
    published = ({"udp_payload_bytes": FULL_PAYLOAD, "udp_payload_gbps": 19.0, "limit_fraction": 0.994},)

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each size."""
        payloads = extent.some(PAYLOADS, needed=(*PAYLOADS[:2], 800, FULL_PAYLOAD))
        return [self._point(extent, payload) for payload in payloads]

    def _point(self, extent: Extent, payload: int) -> Point[Result]:
        def measure(result: Result) -> Rows:
            row = by_size(result, payload)
            fraction = figure_of(row, "udp_payload_gbps") / number(row, "limit_udp_payload_gbps")
            return [{"udp_payload_bytes": payload, **row, **with_errors(limit_fraction=fraction)}]

        return Point(thesis_nic(extent, cores=8, payload=payload), measure)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 4.5.2."""
        fraction = measured_by_payload(rows, "limit_fraction")
        rate = measured_by_payload(rows, "frames_million_per_s")
        large = least(fraction[payload] for payload in fraction if payload >= 800)
        smallest = sorted(rate)[:2]
        return [
            near(
                "frames of 1518 bytes reach 99.4 % of the limit", fraction[FULL_PAYLOAD], 0.994, within=0.01
            ),
            at_least(
                "datagrams of 800 bytes and more are close to the limit",
                large,
                CLOSE_TO_MAXIMUM,
                ours="close is a twentieth",
            ),
            at_most(
                "the smallest are significantly below it",
                fraction[PAYLOADS[0]],
                SIGNIFICANTLY_BELOW,
                ours="significantly is a half",
            ),
            near(
                "throughput in frames per second saturates for small frames: it does not change",
                rate[smallest[0]] / rate[smallest[1]],
                1.0,
                within=0.15,
                ours="saturated is within 15 %",
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Below the limit of the link."""
        draw_below_limit(figure, {"measured": rows})
