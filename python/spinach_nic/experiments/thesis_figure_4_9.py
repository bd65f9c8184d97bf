"""Thesis, figure 4.9: throughput by frame size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._sizes import MEASURED, by_size
from spinach_nic.experiments._tengig import FULL_PAYLOAD, PAYLOADS, thesis, thesis_nic
from spinach_nic.reproduction import (
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
from spinach_nic.result import Result

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
        """A run for each size."""
        payloads = extent.some(PAYLOADS, needed=(*PAYLOADS[:2], 800, FULL_PAYLOAD))
        return [self._point(extent, payload) for payload in payloads]

    def _point(self, extent: Extent, payload: int) -> Point[Result]:
        def measure(result: Result) -> Rows:
            row = by_size(result, payload)
            fraction = number(row, "udp_payload_gbps") / number(row, "limit_udp_payload_gbps")
            return [{"udp_payload_bytes": payload, **row, "limit_fraction": fraction}]

        return Point(thesis_nic(extent, cores=8, payload=payload), measure)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 4.5.2."""
        fraction = {int(number(row, "udp_payload_bytes")): number(row, "limit_fraction") for row in rows}
        rate = {int(number(row, "udp_payload_bytes")): number(row, "frames_million_per_s") for row in rows}
        large = min(fraction[payload] for payload in fraction if payload >= 800)
        smallest = sorted(rate)[:2]
        return [
            near(
                "frames of 1518 bytes reach 99.4 % of the limit", fraction[FULL_PAYLOAD], 0.994, within=0.01
            ),
            at_least("datagrams of 800 bytes and more are close to the limit", large, CLOSE_TO_MAXIMUM),
            at_most("the smallest are significantly below it", fraction[PAYLOADS[0]], SIGNIFICANTLY_BELOW),
            near(
                "throughput in frames per second saturates for small frames: it does not change",
                rate[smallest[0]],
                rate[smallest[1]],
                within=0.15,
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Below the limit of the link."""
        axes = figure.subplots()
        payloads = [number(row, "udp_payload_bytes") for row in rows]
        axes.plot(payloads, [number(row, "udp_payload_gbps") for row in rows], marker="o", label="measured")
        limit = [number(row, "limit_udp_payload_gbps") for row in rows]
        axes.plot(payloads, limit, ":", color="grey", label="link")
        axes.set_xlabel("UDP payload, bytes")
        axes.set_ylabel("UDP payload, both ways, Gb/s")
        axes.set_ylim(bottom=0)
        axes.legend()
