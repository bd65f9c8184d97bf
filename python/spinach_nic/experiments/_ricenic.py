"""RiceNIC as section 2.2 of its paper evaluated it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinach_nic.experiments._link import most_frames_per_s
from spinach_nic.experiments._papers import ricenic
from spinach_nic.experiments._rates import carried
from spinach_nic.experiments.runner import Column, Extent, NicRun, Row, Rows, number, with_errors
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import Direction

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "BASE",
    "FULL",
    "FULL_REASON",
    "KEY",
    "LINK_BITS_PER_S",
    "MEASURED",
    "SPLIT",
    "both_ways",
    "draw",
    "of_size",
    "one_way",
    "ricenic",
]

BASE, SPLIT = "base", "split"
KEY = (Column("firmware", "firmware"), Column("direction", "direction"), Column("packet_bytes", "packet, B"))
MEASURED = (
    Column("wire_mbps", "IP packets, Mb/s", digits=0),
    Column("limit_mbps", "limit of the link", digits=0),
    Column("line_rate_fraction", "of the limit", digits=3),
)
IP_AND_UDP_BYTES = 28
FULL, FULL_REASON = 0.97, "the 3 % of section 4"
"""Fraction of the link that counts as full, and its reason: the paper has one for translation only."""

LINK_BITS_PER_S = 10**9
_MEASURED_FRAMES = 2400
_LEAST_FRAMES = 400


def one_way(extent: Extent, direction: Direction, packet: int, firmware: str) -> NicRun:
    """Return packets of `packet` bytes in one direction, as fast as the link or the host allow."""
    payload = packet - IP_AND_UDP_BYTES
    return NicRun("ricenic", f"udp:{payload}:{direction}", _frames(extent), firmware)


def both_ways(extent: Extent, packet: int, firmware: str) -> NicRun:
    """Return packets of `packet` bytes both ways, up to the card's capacity; more come from the wire."""
    payload = packet - IP_AND_UDP_BYTES
    return NicRun("ricenic", f"udp:{payload}", _frames(extent), firmware)


def _frames(extent: Extent) -> int:
    return extent.frames(_MEASURED_FRAMES, least=_LEAST_FRAMES)


def of_size(direction: Direction, packet: int, result: Result) -> Row:
    """Return the carried packets of `packet` bytes, and the capacity of the link."""
    rate = carried(result, direction, "frames_per_s")
    limit = most_frames_per_s(packet - IP_AND_UDP_BYTES, LINK_BITS_PER_S)
    return with_errors(
        wire_mbps=rate * (8e-6 * packet),
        limit_mbps=Measured(8e-6 * packet * limit),
        line_rate_fraction=rate / limit,
    )


def draw(figure: Figure, rows: Rows) -> None:
    """A line for each image and direction, below the limit of the link."""
    axes = figure.subplots()
    lines = dict.fromkeys((str(row["firmware"]), str(row["direction"])) for row in rows)
    for firmware, direction in lines:
        own = [row for row in rows if (row["firmware"], row["direction"]) == (firmware, direction)]
        sizes = [number(row, "packet_bytes") for row in own]
        label = f"{'sending' if direction == 'tx' else 'receiving'}, {firmware}"
        axes.plot(sizes, [number(row, "wire_mbps") for row in own], marker="o", label=label)
    limits = {number(row, "packet_bytes"): number(row, "limit_mbps") for row in rows}
    axes.plot(sorted(limits), [limits[size] for size in sorted(limits)], ":", color="grey", label="link")
    axes.set_xlabel("IP packet, bytes")
    axes.set_ylabel("IP packets, Mb/s")
    axes.set_ylim(bottom=0)
    axes.legend()
