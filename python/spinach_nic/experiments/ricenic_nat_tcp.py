"""RiceNIC, section 4, with streams of TCP between two servers."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._closed_loop import NOTE, Carried, ClosedLoop, periods
from spinach_nic.experiments._ricenic import BASE, FULL, ricenic
from spinach_nic.experiments._servers import STALL, ServerExperiment, boots_of, quotable
from spinach_nic.experiments.ricenic_nat import IDLE, IDLE_REASON, LARGEST, NAT
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Extent,
    Point,
    Row,
    Rows,
    at_least,
    at_most,
    expectation,
    figure_of,
    number,
    one_row,
    only,
    with_errors,
)
from spinach_nic.traffic import DIRECTIONS

IMAGES = (BASE, NAT, "nat-split")
STREAMS = (1, 4)


class TranslatedTcp(ServerExperiment):
    """The largest packets both ways, with and without translation."""

    name = "ricenic-nat-tcp"
    summary = "RiceNIC: throughput of TCP both ways with address translation, between two servers"
    source = ricenic("section 4")
    key = (Column("firmware", "firmware"), Column("streams", "streams each way"))
    measured = (
        Column("sent_fraction", "sent, of the limit", digits=3),
        Column("received_fraction", "received, of the limit", digits=3),
        Column("idle", "idle", digits=3),
        Column("dropped", "dropped", digits=0),
        Column("dropped_before", "dropped before the windows", digits=0),
        STALL,
    )
    notes = (
        NOTE,
        "Idle is the fraction of time in which the first processor looks for work without finding any, or "
        "waits.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Carried]]:
        """Return a run for each image and number of streams."""
        images = extent.some(IMAGES, needed=(NAT,))
        streams = extent.some(STREAMS, needed=(STREAMS[-1],))
        return [
            one_row(
                boots_of(ClosedLoop(image, LARGEST, DIRECTIONS, count, *periods(extent)), extent),
                _measure,
                firmware=image,
                streams=count,
            )
            for image in images
            for count in streams
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 4."""
        row = only(rows, firmware=NAT, streams=STREAMS[-1])
        return [
            at_least("outgoing streams are within 3 % of the limit", figure_of(row, "sent_fraction"), FULL),
            at_least("incoming streams are, too", figure_of(row, "received_fraction"), FULL),
            at_least("the processor has idle cycles left", number(row, "idle"), IDLE, ours=IDLE_REASON),
            expectation(at_most("the card drops no frame", number(row, "dropped"), 0)),
        ]


def _measure(carried: Carried) -> Row:
    sent, received = (carried.line_rate_fraction[way] for way in DIRECTIONS)
    figures = {
        "idle": carried.idle,
        "dropped": carried.dropped,
        "dropped_before": carried.dropped_before,
        **with_errors(sent_fraction=sent, received_fraction=received),
    }
    return quotable(carried, figures)
