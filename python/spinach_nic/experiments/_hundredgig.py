"""Runs of hundredgig, and figures for a packet."""

from __future__ import annotations

from collections.abc import Mapping

from spinach_nic.experiments._rates import carried
from spinach_nic.experiments.runner import Column, Extent, NicRun
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import DIRECTIONS

SMALLEST, LARGEST = 18, 1472
"""Payloads of UDP that make the shortest and the longest frames of ordinary Ethernet."""
PAYLOADS = (SMALLEST, 210, LARGEST)
"""Payloads of the tables."""
AROUND_PAYLOAD_BYTES = 46
"""Headers of Ethernet, IPv4 and UDP, and the check sequence."""
FIRMWARE = "virtio"
CORE_CLOCK_HZ = 1e9
MILLION = 1e6
LEAST_FRAMES = 800
"""Deliveries of a window after which the frames under way at its beginning do not matter."""
RATES = (
    Column("tx_mpps", "sent, million frames/s", digits=2),
    Column("rx_mpps", "received, million frames/s", digits=2),
    Column("tx_line_rate", "of line rate, sent", digits=3),
    Column("rx_line_rate", "of line rate, received", digits=3),
)


def both_ways(extent: Extent, payload: int, frames: int, settings: Mapping[str, object]) -> NicRun:
    """A run with datagrams of a size both ways, as fast as card and host allow."""
    return NicRun(
        nic="hundredgig",
        firmware=FIRMWARE,
        traffic=f"udp:{payload}",
        frames=extent.frames(frames, least=LEAST_FRAMES),
        settings=tuple((name, str(value)) for name, value in settings.items()),
    )


def rates(result: Result) -> dict[str, Measured]:
    """Return the columns `RATES`."""
    mpps = {f"{way}_mpps": carried(result, way, "frames_per_s") / MILLION for way in DIRECTIONS}
    fractions = {f"{way}_line_rate": carried(result, way, "line_rate_fraction") for way in DIRECTIONS}
    return mpps | fractions


def both_mpps(figures: Mapping[str, Measured]) -> Measured:
    """Million frames a second of both directions together."""
    return figures["tx_mpps"] + figures["rx_mpps"]
