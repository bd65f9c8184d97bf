"""Thesis, sections 2.1.2 and 3.2.3: the gain of each property of the Tigon-2 that a source states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._tigon2 import (
    FULL_PAYLOAD,
    PARALLEL,
    RELEASED_STYLE,
    UNI,
    both_ways,
)
from spinach_nic.experiments._two_cores import two_cores
from spinach_nic.experiments.runner import Claim, Column, Experiment, Extent, NicRun, Point, Rows, number
from spinach_nic.runs.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IMAGES = (UNI, PARALLEL, RELEASED_STYLE)
ONE_CORE_OFFERED_PER_S = 80_000
"""Frames that come from the wire in a second where one core handles all frames."""

WITHOUT: dict[str, dict[str, str]] = {
    "driver's coalescing (Linux)": {
        "send_ticks": "100",
        "receive_ticks": "50",
        "send_coalescing": "32",
        "receive_coalescing": "32",
    },
    "SRAM data in the second cycle": {"card.sram_registered": "true"},
    "no flip-flops between cores and SRAM": {"card.crossing_stages": "2"},
    "DMA at the speed of the bus": {"card.dma_streams": "false"},
    "sending MAC at the speed of the wire": {"card.send_streams": "false"},
    "receiving MAC at the speed of the wire": {"card.receive_streams": "false"},
}
"""Settings that take each property away, in the order in which they are added."""
NONE = "none of them"


def settings_with(added: int) -> dict[str, str]:
    """Parameters of the NIC with the first `added` properties."""
    missing = list(WITHOUT.values())[added:]
    return {name: value for settings in missing for name, value in settings.items()}


class SourcesOfTiming(Experiment):
    """One property after the other, with each image, longest frames both ways."""

    name = "thesis-tigon2-sources"
    summary = "Tigon-2: the gain of each property of the chip and its driver that a source states"
    source = thesis("sections 2.1.2 and 3.2.3")
    key = (Column("added", "added"), Column("firmware", "firmware"))
    measured = (
        Column("line_rate_fraction", "of the peak", digits=3),
        Column("gain", "gain", digits=3),
    )
    notes = ("Each line has the properties of all lines above it; the last is the card as it is.",)

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each number of properties and image."""
        numbers = extent.some(tuple(range(len(WITHOUT) + 1)), needed=(0, len(WITHOUT)))
        return [
            Point(_run(extent, firmware, added), _measure(firmware, added))
            for firmware in IMAGES
            for added in numbers
        ]

    def finish(self, rows: Rows) -> Rows:
        """Gains are over the line above, of the same image."""
        before: dict[object, float] = {}
        finished = []
        for row in rows:
            rate, firmware = number(row, "line_rate_fraction"), row["firmware"]
            gain = rate / before[firmware] - 1 if firmware in before else None
            finished.append({**row, "gain": gain})
            before[firmware] = rate
        return finished

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return no claims: the thesis states the properties, not their gains."""
        return []

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Draw the share of the peak, property by property, with a line for each image."""
        axes = figure.subplots()
        for firmware in IMAGES:
            own = [row for row in rows if row["firmware"] == firmware]
            carried = [number(row, "line_rate_fraction") for row in own]
            axes.plot([str(row["added"]) for row in own], carried, marker="o", label=firmware)
        axes.tick_params(axis="x", rotation=20)
        axes.set_ylabel("of the peak, both ways")
        axes.legend()


def _run(extent: Extent, firmware: str, added: int) -> NicRun:
    settings = settings_with(added)
    if firmware == PARALLEL:
        return two_cores(extent, FULL_PAYLOAD, settings)
    return both_ways(
        extent,
        FULL_PAYLOAD,
        firmware,
        offered_per_s=ONE_CORE_OFFERED_PER_S,
        settings=settings,
    )


def _measure(firmware: str, added: int) -> Callable[[Result], Rows]:
    name = [NONE, *WITHOUT][added]

    def measure(result: Result) -> Rows:
        carried = result.both("line_rate_fraction")
        return [
            {
                "added": name,
                "firmware": firmware,
                "line_rate_fraction": carried.value / 2,
                "line_rate_fraction_error": carried.error / 2,
                "gain": None,
            }
        ]

    return measure
