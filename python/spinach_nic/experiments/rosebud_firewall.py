"""Rosebud: a firewall whose accelerator looks for the prefixes of source addresses, by packet size."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._papers import rosebud
from spinach_nic.experiments._rosebud import (
    CORE_CLOCK_HZ,
    MILLION,
    both_ports,
    carried_mpps,
    throughput,
)
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Row,
    Rows,
    at_least,
    at_most,
    figure_of,
    one_row,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured

SIZES = (64, 128, 256, 512)
RPUS = 16
_PACKETS = 3000


class Firewall(Experiment):
    """Sixteen cores with an accelerator each; no packet has a listed address, so that all are forwarded."""

    name = "rosebud-firewall"
    summary = "Firewall of Rosebud: packets checked and forwarded, by packet size"
    source = rosebud("accelerator of the firewall; our firmware")
    key = (Column("packet_bytes", "packet, bytes"),)
    measured = (
        Column("mpps", "million packets/s", digits=1),
        Column("line_rate_fraction", "of line rate", digits=3),
        Column("core_cycles", "cycles of a core for each packet", digits=1),
    )
    notes = (
        "The paper's figures were not at hand. Where line or balancer limit, cores wait in their cycles.",
    )
    is_own = True

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return both ports at each size."""
        return [self._point(extent, size) for size in extent.some(SIZES, needed=SIZES)]

    def _point(self, extent: Extent, size: int) -> Point[Result]:
        settings = {"rpus": RPUS, "prefixes": "documentation"}

        def measure(result: Result) -> Row:
            cycles = Measured(RPUS * CORE_CLOCK_HZ / MILLION) / carried_mpps(result)
            return {**throughput(size, result), **with_errors(core_cycles=cycles)}

        run = both_ports(extent, size, _PACKETS, "firewall", settings=settings)
        return one_row(run, measure, packet_bytes=size)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the claims: the core limits small packets, the line the others."""

        def share(size: int) -> Measured:
            return figure_of(only(rows, packet_bytes=size), "line_rate_fraction")

        return [
            at_most("the core limits packets of 64 bytes", share(64), 0.88),
            at_least("the firewall fills both ports from 256 bytes on", share(256), 0.99),
        ]
