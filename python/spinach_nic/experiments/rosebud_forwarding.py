"""Rosebud: packets that the whole card forwards, by packet size and number of cores."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._papers import rosebud
from spinach_nic.experiments._rosebud import both_ports, carried_mpps, expected_mpps, line_mpps
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Row,
    Rows,
    at_least,
    figure_of,
    near,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result

SIZES = (64, 65, 128, 256, 512, 1024)
_PACKETS = 3000


class Forwarding(Experiment):
    """Both ports receive as fast as the line allows; each packet leaves by the port that it came in by."""

    name = "rosebud-forwarding"
    summary = "Packets that Rosebud forwards, by packet size and number of cores"
    source = rosebud("published RTL, commit c593d596")
    key = (Column("rpus", "cores"), Column("packet_bytes", "packet, bytes"))
    measured = (
        Column("mpps", "million packets/s", digits=1),
        Column("line_rate_fraction", "of line rate", digits=3),
    )
    published = tuple(
        {
            "rpus": rpus,
            "packet_bytes": size,
            "mpps": round(expected_mpps(rpus, size), 1),
            "line_rate_fraction": round(expected_mpps(rpus, size) / line_mpps(size), 3),
        }
        for rpus in (8, 16)
        for size in SIZES
    )
    notes = (
        "The figures next to the measured ones are not published as such: they are the least of what cores, "
        "balancer and line allow, by cycles measured on the published RTL of one core and of the balancer.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Packets at both ports, by number of cores and size."""
        sizes = extent.some(SIZES, needed=SIZES)
        return [self._point(extent, rpus, size) for rpus in (8, 16) for size in sizes]

    def _point(self, extent: Extent, rpus: int, size: int) -> Point[Result]:
        def measure(result: Result) -> Sequence[Row]:
            mpps = carried_mpps(result)
            figures = with_errors(mpps=mpps, line_rate_fraction=mpps / line_mpps(size))
            return [{"rpus": rpus, "packet_bytes": size, **figures}]

        return Point(both_ports(extent, size, _PACKETS, settings={"rpus": rpus}), measure)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Limits by the RTL, and line rate where they allow it."""
        claims = [
            near(
                f"{rpus} cores forward what their limits allow of packets of {size} bytes",
                figure_of(only(rows, rpus=rpus, packet_bytes=size), "mpps"),
                expected_mpps(rpus, size),
                within=0.02,
            )
            for rpus in (8, 16)
            for size in SIZES
        ]
        full = figure_of(only(rows, rpus=16, packet_bytes=128), "line_rate_fraction")
        return [*claims, at_least("16 cores fill both ports from 128 bytes on", full, 0.99)]
