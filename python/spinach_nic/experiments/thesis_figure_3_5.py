"""Thesis, figure 3.5: the Tigon-2 with both cores, by frame size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._rates import ONE
from spinach_nic.experiments._tigon2 import (
    FULL_PAYLOAD,
    PARALLEL,
    PAYLOADS,
    RELEASED_STYLE,
    THROUGHPUT,
    UNI,
    both_ways,
    throughput,
)
from spinach_nic.experiments._two_cores import draw, draw_peak, two_cores
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    figure_of,
    near,
    one_row,
    only,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNIPROCESSOR_OFFERED_PER_S = 80_000
"""Frames that come from the wire in a second when one core does everything."""


class TwoCores(Experiment):
    """Sending on one core, receiving on the other, compared with other uses of two cores and of one."""

    name = "thesis-figure-3.5"
    summary = "Tigon-2 with two cores: UDP throughput by payload, both ways"
    source = thesis("figure 3.5, section 3.4")
    key = (Column("firmware", "firmware"), Column("payload_bytes", "payload, B"))
    measured = THROUGHPUT
    published = ({"firmware": PARALLEL, "payload_bytes": FULL_PAYLOAD, "line_rate_fraction": 0.81},)
    notes = (
        "The last row is the uniprocessor firmware, for comparison.",
        "The firmware that the thesis starts from uses its second core as `released-style` does.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each payload, and one of one core."""
        payloads = extent.some(PAYLOADS, needed=(FULL_PAYLOAD,))
        uniprocessor = both_ways(extent, FULL_PAYLOAD, UNI, offered_per_s=UNIPROCESSOR_OFFERED_PER_S)
        return [
            *(
                one_row(
                    two_cores(extent, payload, firmware=firmware),
                    throughput,
                    firmware=firmware,
                    payload_bytes=payload,
                )
                for firmware in (PARALLEL, RELEASED_STYLE)
                for payload in payloads
            ),
            one_row(uniprocessor, throughput, firmware=UNI, payload_bytes=FULL_PAYLOAD),
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 3.4."""
        both = only(rows, firmware=PARALLEL, payload_bytes=FULL_PAYLOAD)

        def gain_over(firmware: str) -> Measured:
            other = only(rows, firmware=firmware, payload_bytes=FULL_PAYLOAD)
            return figure_of(both, "udp_payload_mbps") / figure_of(other, "udp_payload_mbps") - ONE

        return [
            near(
                "two cores reach 81 % of the peak with the longest frames both ways",
                figure_of(both, "line_rate_fraction"),
                0.81,
            ),
            near("that is 23 % more than one core", gain_over(UNI), 0.23, within=0.25),
            near(
                "that is 23 % more than one core with an assist in software",
                gain_over(RELEASED_STYLE),
                0.23,
                within=0.25,
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Under the peak of the link."""
        axes = figure.subplots()
        draw_peak(axes, list(PAYLOADS))
        for firmware, label in ((PARALLEL, "two cores"), (RELEASED_STYLE, "one core and an assist")):
            draw(axes, [row for row in rows if row["firmware"] == firmware], label)
        axes.legend()
