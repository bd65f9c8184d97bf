"""Both cores of the Tigon-2 by frame size: a figure of the thesis, and again with faster memory."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import TYPE_CHECKING

from spinach_nic.experiments._tigon2 import PARALLEL, both_ways, line_frames_per_s
from spinach_nic.experiments.runner import Extent, NicRun, Rows, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BASE_CLOCK_MHZ = 88
MEASURED_FRAMES = 800
MEASURED_SHORT_FRAMES = 3000
"""Short frames are many to an interrupt, so it takes more of them to see a rate."""
OFFERED_PER_S_AND_MHZ = 4000
"""Frames that come from the wire in a second at most, by the clock of the cores: one core receives fewer."""
_OFFERED_TO_ONE_PER_S_AND_MHZ = 900
"""The same where one core also sends: about half of what it does."""


def two_cores(
    extent: Extent,
    payload: int,
    settings: Mapping[str, str] | None = None,
    *,
    firmware: str = PARALLEL,
    core_clock_mhz: int = BASE_CLOCK_MHZ,
) -> NicRun:
    """Return a run both ways, with as many frames as the link or the cores take."""
    most = OFFERED_PER_S_AND_MHZ if firmware == PARALLEL else _OFFERED_TO_ONE_PER_S_AND_MHZ
    clock = {} if core_clock_mhz == BASE_CLOCK_MHZ else {"core_clock": f"{core_clock_mhz}MHz"}
    return both_ways(
        extent,
        payload,
        firmware,
        offered_per_s=min(most * core_clock_mhz, ceil(line_frames_per_s(payload))),
        measured_frames=MEASURED_FRAMES if payload >= 200 else MEASURED_SHORT_FRAMES,
        settings={**(settings or {}), **clock},
    )


def draw(axes: Axes, rows: Rows, label: str) -> None:
    """A line over the payload."""
    payloads = [number(row, "payload_bytes") for row in rows]
    axes.plot(payloads, [number(row, "udp_payload_mbps") for row in rows], marker="o", label=label)


def draw_peak(axes: Axes, payloads: list[int]) -> None:
    """Draw the capacity of the link both ways."""
    peak = [16e-6 * line_frames_per_s(payload) * payload for payload in payloads]
    axes.plot(payloads, peak, label="peak of the link")
    axes.set_xlabel("UDP payload, bytes")
    axes.set_ylabel("UDP payload, both ways, Mb/s")
