"""Runs of hundredgig, and figures for a packet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from spinach_nic.experiments._rates import carried
from spinach_nic.experiments.runner import Column, Extent, NicRun, as_settings
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import DIRECTIONS

SMALLEST, LARGEST = 18, 1472
"""Payloads of UDP that make the shortest and the longest frames of ordinary Ethernet."""
PAYLOADS = (SMALLEST, 210, LARGEST)
"""Payloads of the tables."""
AROUND_PAYLOAD_BYTES = 46
"""Headers of Ethernet, IPv4 and UDP, and the check sequence."""
CORE_CLOCK_HZ = 1e9
MILLION = 1e6
LEAST_FRAMES = 800
"""Deliveries of a window after which the frames under way at its beginning do not matter."""
FLOWS = 16384
"""Number of flows at which their hash spreads frames evenly over 64 cores."""
PART = 16
"""A quick run of many cores has this part of the cores, of the rate of the link and of the flows."""
RATES = (
    Column("tx_mpps", "sent, million frames/s", digits=2),
    Column("rx_mpps", "received, million frames/s", digits=2),
    Column("tx_line_rate", "of line rate, sent", digits=3),
    Column("rx_line_rate", "of line rate, received", digits=3),
)


def hundredgig(traffic: str, frames: int, settings: Mapping[str, object]) -> NicRun:
    """Return a run of the card with its own firmware."""
    return NicRun("hundredgig", traffic, frames, "virtio", as_settings(settings))


def both_ways(extent: Extent, payload: int, frames: int, settings: Mapping[str, object]) -> NicRun:
    """Return a run with datagrams of a size both ways, as fast as card and host allow."""
    return hundredgig(f"udp:{payload}", extent.frames(frames, least=LEAST_FRAMES), settings)


def spread_both_ways(
    extent: Extent,
    payload: int,
    frames: int,
    settings: Mapping[str, object],
    *,
    cores: int,
    link_gbps: int,
) -> NicRun:
    """Return a run of many cores, with datagrams of many flows both ways."""
    part = part_of(extent)
    traffic = f"udp:{payload},flows={FLOWS // part},source_address_step=3,source_port_step=7"
    shape = {"cores": cores // part, "link_rate": f"{link_gbps / part:g}Gbps"}
    run = both_ways(extent, payload, frames, {**shape, **settings})
    return replace(run, traffic=traffic)


def part_of(extent: Extent) -> int:
    """Return the divisor of cores, link and flows: `PART` if the run is quick."""
    return 1 if extent.largest_selection is None else PART


def rates(result: Result) -> dict[str, Measured]:
    """Return the columns `RATES`."""
    mpps = {f"{way}_mpps": carried(result, way, "frames_per_s") / MILLION for way in DIRECTIONS}
    fractions = {f"{way}_line_rate": carried(result, way, "line_rate_fraction") for way in DIRECTIONS}
    return mpps | fractions


def both_mpps(figures: Mapping[str, Measured]) -> Measured:
    """Million frames a second of both directions together."""
    return figures["tx_mpps"] + figures["rx_mpps"]
