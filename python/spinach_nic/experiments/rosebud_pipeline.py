"""Rosebud: flow counters by one core for each packet, and by two in turn."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._papers import rosebud
from spinach_nic.experiments._rosebud import both_ports, carried_mpps
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
    only,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured

SIZES = (64, 256, 1024)
RPUS = 8
COMPLETE, PIPELINE = "run to completion", "pipeline"
_PACKETS = 2500


class Pipeline(Experiment):
    """The same work for each packet: a hash of its flow, and a counter.

    Either each core does all of it, or four cores compute hashes and pass the packets on to four that count.
    """

    name = "rosebud-pipeline"
    summary = "Flow counters of Rosebud: each core does all, or two cores take turns at a packet"
    source = rosebud("messages between cores; the comparison is ours")
    key = (Column("organisation", "organisation"), Column("packet_bytes", "packet, bytes"))
    measured = (Column("mpps", "million packets/s", digits=1),)
    notes = ("The images are `count` and `pipeline`. Nothing is published to compare with.",)
    is_own = True

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return both organisations at each size."""
        sizes = extent.some(SIZES, needed=SIZES)
        return [self._point(extent, how, size) for how in (COMPLETE, PIPELINE) for size in sizes]

    def _point(self, extent: Extent, organisation: str, size: int) -> Point[Result]:
        is_pipeline = organisation == PIPELINE
        firmware = "pipeline" if is_pipeline else "count"
        settings = {"rpus": RPUS, **({"receivers": (1 << RPUS // 2) - 1} if is_pipeline else {})}
        run = both_ports(extent, size, _PACKETS, firmware, flows=256, settings=settings)

        def measure(result: Result) -> Sequence[Row]:
            figures = with_errors(mpps=carried_mpps(result))
            return [{"organisation": organisation, "packet_bytes": size, **figures}]

        return Point(run, measure)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the price of the way through a second core."""

        def ratio(size: int) -> Measured:
            whole, parts = (
                figure_of(only(rows, organisation=how, packet_bytes=size), "mpps")
                for how in (COMPLETE, PIPELINE)
            )
            return parts / whole

        return [
            at_most("a pipeline carries fewer of the smallest packets", ratio(SIZES[0]), 1.0),
            at_most("it carries fewer of those of 256 bytes", ratio(SIZES[1]), 1.0),
            at_least("with little work for each packet it carries at least 40 %", ratio(SIZES[0]), 0.4),
        ]
