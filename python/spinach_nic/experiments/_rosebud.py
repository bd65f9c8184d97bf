"""Rosebud as its RTL was measured, and what follows from that for the whole card."""

from __future__ import annotations

from collections.abc import Mapping

from spinach_nic.experiments._rates import carried
from spinach_nic.experiments.runner import Extent, NicRun, Row, as_settings, with_errors
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import DIRECTIONS, UDP_HEADER_BYTES

CORE_CLOCK_HZ = 250e6
PORT_BITS_PER_S = 100e9
AROUND_BYTES = 24
"""Preamble, check sequence and gap."""
WORD_BYTES = 16
MILLION = 1e6
_LEAST_PACKETS = 2000
"""Fewest packets of a window, once the FIFOs of the ports have filled."""


def line_mpps(packet_bytes: int) -> float:
    """Million packets a second of both ports at line rate."""
    return 2 * PORT_BITS_PER_S / (8 * (packet_bytes + AROUND_BYTES)) / MILLION


def both_ports(
    extent: Extent,
    packet_bytes: int,
    frames: int,
    firmware: str = "forward",
    *,
    flows: int = 0,
    settings: Mapping[str, object],
) -> NicRun:
    """Return a run with packets of a size at both ports, as fast as the line allows.

    Ports have the smallest FIFO, which is soon full: the rate does not depend on it, and is steady sooner.
    """
    spread = f",flows={flows},source_address_step=3,source_port_step=7" if flows else ""
    return NicRun(
        nic="rosebud",
        traffic=f"udp:{packet_bytes - UDP_HEADER_BYTES}{spread}",
        frames=extent.frames(frames, least=_LEAST_PACKETS),
        firmware=firmware,
        settings=as_settings({"port_fifo": "16 KiB", **settings}),
    )


def throughput(packet_bytes: int, result: Result) -> Row:
    """Return the packets that both ports carried, and their fraction of line rate."""
    mpps = carried_mpps(result)
    return with_errors(mpps=mpps, line_rate_fraction=mpps / line_mpps(packet_bytes))


def carried_mpps(result: Result) -> Measured:
    """Million packets a second of both directions together."""
    rates = [carried(result, way, "frames_per_s") for way in DIRECTIONS]
    return sum(rates, Measured(0.0)) / MILLION
