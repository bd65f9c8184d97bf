"""Rosebud: packets that the whole card forwards, by packet size and number of cores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from spinach_nic.experiments._papers import rosebud
from spinach_nic.experiments._rosebud import both_ports, line_mpps, throughput
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    at_least,
    figure_of,
    near,
    one_row,
    only,
)
from spinach_nic.runs.result import Result

RTL_MPPS: Mapping[int, Mapping[int, float]] = {
    8: {
        64: 133.3,
        65: 125.0,
        80: 125.0,
        112: 107.1,
        128: 101.7,
        129: 100.0,
        192: 85.0,
        256: 72.3,
        300: 66.7,
        512: 46.3,
        1024: 23.9,
    },
    16: {
        64: 250.0,
        65: 250.0,
        80: 240.4,
        112: 183.8,
        128: 164.5,
        129: 125.0,
        192: 115.7,
        256: 89.3,
        300: 77.2,
        512: 46.7,
        1024: 23.9,
    },
}
"""Million packets a second by number of cores and packet size: measured on the published RTL, whole."""
SIZES = tuple(RTL_MPPS[8])
_PACKETS = 24_000


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
            "mpps": mpps,
            "line_rate_fraction": round(mpps / line_mpps(size), 3),
        }
        for rpus, measured in RTL_MPPS.items()
        for size, mpps in measured.items()
    )
    notes = (
        "The figures next to the measured ones are not published as such: they are those of the published "
        "RTL of the whole card but for PCI Express, simulated with the published forwarder at line rate. For "
        "8 cores and 192 bytes it is the mean of 13 runs, with 83.3 to 85.8 by the cycle of the first one.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Packets at both ports, by number of cores and size."""
        sizes = extent.some(SIZES, needed=SIZES)
        return [self._point(extent, rpus, size) for rpus in (8, 16) for size in sizes]

    def _point(self, extent: Extent, rpus: int, size: int) -> Point[Result]:
        run = both_ports(extent, size, _PACKETS, settings={"rpus": rpus})
        return one_row(run, partial(throughput, size), rpus=rpus, packet_bytes=size)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Rates of the RTL, and line rate."""
        claims = [
            near(
                f"{rpus} cores forward as many packets of {size} bytes as the RTL",
                figure_of(only(rows, rpus=rpus, packet_bytes=size), "mpps"),
                mpps,
                within=0.02,
            )
            for rpus, measured in RTL_MPPS.items()
            for size, mpps in measured.items()
        ]
        full = figure_of(only(rows, rpus=16, packet_bytes=128), "line_rate_fraction")
        return [*claims, at_least("16 cores fill both ports from 128 bytes on", full, 0.99, ours="1 %")]
