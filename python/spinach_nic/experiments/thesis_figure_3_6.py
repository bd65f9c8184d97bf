"""Thesis, figure 3.6: the Tigon-2 with both cores and faster memory, by frame size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._rates import ONE
from spinach_nic.experiments._tigon2 import (
    FULL_LINK,
    FULL_LINK_REASON,
    FULL_PAYLOAD,
    PARALLEL,
    PAYLOADS,
    RELEASED_STYLE,
    SHORTEST_PAYLOAD,
    THROUGHPUT,
    UNI,
    of_image,
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
    at_least,
    figure_of,
    near,
    one_row,
    only,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BASE_MHZ, FAST_MHZ = 100, 250
IMAGES = (PARALLEL, RELEASED_STYLE, UNI)


class FasterMemory(Experiment):
    """The same cores with an SRAM of 100 and of 250 MHz."""

    name = "thesis-figure-3.6"
    summary = "Tigon-2 with two cores and 250 MHz SRAM: UDP throughput by payload, both ways"
    source = thesis("figure 3.6, section 3.5.1")
    key = (
        Column("firmware", "firmware"),
        Column("sram_clock_mhz", "SRAM, MHz"),
        Column("payload_bytes", "payload, B"),
    )
    measured = THROUGHPUT

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each clock and payload."""
        payloads = extent.some(PAYLOADS, needed=(SHORTEST_PAYLOAD, FULL_PAYLOAD))
        return [
            one_row(
                two_cores(
                    extent,
                    payload,
                    {} if clock == BASE_MHZ else {"sram_clock": f"{clock}MHz"},
                    firmware=firmware,
                ),
                throughput,
                firmware=firmware,
                sram_clock_mhz=clock,
                payload_bytes=payload,
            )
            for firmware in extent.some(IMAGES, needed=(PARALLEL, RELEASED_STYLE))
            for clock in (BASE_MHZ, FAST_MHZ)
            for payload in payloads
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Sections 3.5.1 and 3.5.2."""

        def rate(firmware: str, clock: int, payload: int) -> Measured:
            its = only(rows, firmware=firmware, sram_clock_mhz=clock, payload_bytes=payload)
            return figure_of(its, "udp_payload_mbps")

        full = only(rows, firmware=PARALLEL, sram_clock_mhz=FAST_MHZ, payload_bytes=FULL_PAYLOAD)
        return [
            at_least(
                "with 250 MHz SRAM two cores fill the link both ways with the longest frames",
                figure_of(full, "line_rate_fraction"),
                FULL_LINK,
                ours=FULL_LINK_REASON,
            ),
            *(
                near(
                    f"{of_image(firmware, PARALLEL)}faster memory also carries 24 % more shortest frames",
                    rate(firmware, FAST_MHZ, SHORTEST_PAYLOAD) / rate(firmware, BASE_MHZ, SHORTEST_PAYLOAD)
                    - ONE,
                    0.24,
                )
                for firmware in (PARALLEL, RELEASED_STYLE)
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """A line for each clock, under the peak of the link."""
        axes = figure.subplots()
        draw_peak(axes, list(PAYLOADS))
        for clock in (BASE_MHZ, FAST_MHZ):
            for firmware in (PARALLEL, RELEASED_STYLE):
                its = [row for row in rows if (row["firmware"], row["sram_clock_mhz"]) == (firmware, clock)]
                draw(axes, its, f"{firmware}, SRAM of {clock} MHz")
        axes.legend()
