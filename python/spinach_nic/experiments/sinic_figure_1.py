"""SINIC, figure 1: bandwidth of TCP streams by network interface card and where it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._papers import sinic
from spinach_nic.reproduction import (
    FULL,
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
from spinach_nic.servers import linux
from spinach_nic.servers.streams import StreamsRun

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CONVENTIONAL = "dp83820"
CARDS = (
    (CONVENTIONAL, "io"),
    (CONVENTIONAL, "memory"),
    (CONVENTIONAL, "cache"),
    ("sinic", "cache"),
    ("v-sinic", "cache"),
)
"""Each with where it is; the last is in figure 4 of the paper."""
WORKLOADS = ("stream", "maerts")
"""Sent and received."""
PUBLISHED_US = (25_000, 12_500)
"""Warm-up and measured time: cycles of table 2, at 4 GHz."""
SHORT_US = (3_000, 2_000)


class StreamBandwidth(Experiment):
    """What streams of a timed server at 4 GHz carry, with each card at each place."""

    name = "sinic-figure-1"
    summary = "SINIC: bandwidth of TCP streams by network interface card and where it is"
    source = sinic("figure 1, section 6")
    key = (Column("workload", "workload"), Column("card", "card"), Column("attachment", "attachment"))
    measured = (Column("gbps", "Gb/s"),)
    notes = (
        "Bytes of the streams; headers and the times between frames are not counted.",
        "The figure's numbers are not in the text of the paper.",
        "The variants with several streams are left out: sending over eight streams behind the bridge did "
        "not end, which is not understood.",
        "The warm-up is timed as well, in the paper it is simpler.",
        "Quick runs warm up and measure for 5 ms in all.",
    )

    def missing(self) -> str | None:
        """The kernel of the servers, which is built apart."""
        return None if linux.kept() else "there is no kernel for the server yet: `make linux` makes one"

    def points(self, extent: Extent) -> Sequence[Point[float]]:
        """A run for each workload, card and place."""
        workloads = extent.some(WORKLOADS, needed=("maerts",))
        return [_point(extent, workload, *where) for workload in workloads for where in CARDS]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """What the paper says in words."""
        workloads = list(dict.fromkeys(row["workload"] for row in rows))

        def least(over: tuple[str, str], under: tuple[str, str]) -> float:
            def gbps(workload: object, where: tuple[str, str]) -> float:
                found = only(rows, workload=str(workload), card=where[0], attachment=where[1])
                return number(found, "gbps")

            return min(gbps(workload, over) / gbps(workload, under) for workload in workloads)

        bridge, memory, cache, integrated, _ = CARDS
        return [
            at_least(
                "a conventional card on the die, at memory, carries 60 % more in all cases",
                least(memory, bridge),
                1.6,
            ),
            at_least(
                "a conventional card on the die, at the cache, carries 60 % more in all cases",
                least(cache, bridge),
                1.6,
            ),
            at_least(
                "SINIC carries more than a conventional card at the same place", least(integrated, cache), 1.0
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Bars, one for each card and place, grouped by workload."""
        axes = figure.subplots()
        workloads = list(dict.fromkeys(str(row["workload"]) for row in rows))
        width = 0.8 / len(CARDS)
        for place, (card, attachment) in enumerate(CARDS):
            own = [
                number(row, "gbps") for row in rows if (row["card"], row["attachment"]) == (card, attachment)
            ]
            at = [group + (place - (len(CARDS) - 1) / 2) * width for group in range(len(workloads))]
            axes.bar(at, own, width, label=f"{card}, {attachment}")
        axes.set_xticks(range(len(workloads)), workloads)
        axes.set_ylabel("Gb/s")
        axes.legend()


def _point(extent: Extent, workload: str, card: str, attachment: str) -> Point[float]:
    warm_up_us, measured_us = PUBLISHED_US if extent == FULL else SHORT_US
    run = StreamsRun(card, attachment, workload, 1, warm_up_us, measured_us)
    return Point(run, _measure(workload, card, attachment))


def _measure(workload: str, card: str, attachment: str) -> Callable[[float], Rows]:
    def measure(gbps: float) -> Rows:
        return [{"workload": workload, "card": card, "attachment": attachment, "gbps": gbps}]

    return measure
