"""Thesis, figure 3.6: the Tigon-2 with both cores and faster memory, by frame size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._tigon2 import (
    FULL_LINK,
    FULL_PAYLOAD,
    PAYLOADS,
    SHORTEST_PAYLOAD,
    THROUGHPUT,
    throughput,
)
from spinach_nic.experiments._two_cores import draw, draw_peak, two_cores
from spinach_nic.reproduction import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    at_least,
    number,
    only,
)
from spinach_nic.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BASE_MHZ, FAST_MHZ = 100, 250


class FasterMemory(Experiment):
    """The same cores with an SRAM of 100 and of 250 MHz."""

    name = "thesis-figure-3.6"
    summary = "Tigon-2 with two cores and 250 MHz SRAM: UDP throughput by payload, both ways"
    source = thesis("figure 3.6, section 3.5.1")
    key = (Column("sram_clock_mhz", "SRAM, MHz"), Column("payload_bytes", "payload, B"))
    measured = THROUGHPUT

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """A run for each clock and payload."""
        payloads = extent.some(PAYLOADS, needed=(SHORTEST_PAYLOAD, FULL_PAYLOAD))
        return [
            Point(
                two_cores(extent, payload, {} if clock == BASE_MHZ else {"sram_clock": f"{clock}MHz"}),
                _measure(clock, payload),
            )
            for clock in (BASE_MHZ, FAST_MHZ)
            for payload in payloads
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Sections 3.5.1 and 3.5.2."""

        def rate(clock: int, payload: int) -> float:
            return number(only(rows, sram_clock_mhz=clock, payload_bytes=payload), "udp_payload_mbps")

        full = only(rows, sram_clock_mhz=FAST_MHZ, payload_bytes=FULL_PAYLOAD)
        return [
            at_least(
                "with 250 MHz SRAM two cores fill the link both ways with the longest frames",
                number(full, "line_rate_fraction"),
                FULL_LINK,
            ),
            at_least(
                "faster memory also raises the throughput of the shortest frames",
                rate(FAST_MHZ, SHORTEST_PAYLOAD) / rate(BASE_MHZ, SHORTEST_PAYLOAD),
                1.0,
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """A line for each clock, under the peak of the link."""
        axes = figure.subplots()
        draw_peak(axes, list(PAYLOADS))
        for clock in (BASE_MHZ, FAST_MHZ):
            draw(axes, [row for row in rows if row["sram_clock_mhz"] == clock], f"SRAM of {clock} MHz")
        axes.legend()


def _measure(clock: int, payload: int) -> Callable[[Result], Rows]:
    def measure(result: Result) -> Rows:
        return [{"sram_clock_mhz": clock, "payload_bytes": payload, **throughput(result)}]

    return measure
