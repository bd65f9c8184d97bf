"""Rosebud as its RTL was measured, and what follows from that for the whole card."""

from __future__ import annotations

from collections.abc import Mapping

from spinach_nic.experiments._rates import carried
from spinach_nic.experiments.runner import Extent, NicRun
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import DIRECTIONS, UDP_HEADER_BYTES

CORE_CLOCK_HZ = 250e6
PORT_BITS_PER_S = 100e9
AROUND_BYTES = 24
"""Preamble, check sequence and gap."""
WORD_BYTES = 16
SENDER_CYCLES = 12
"""Cycles of the sender for a packet, besides one for each word: measured on the published RTL."""
FIRMWARE_CYCLES = 14
"""Cycles of the published forwarder for a packet."""
BALANCER_CYCLES = 2
"""Fewest cycles between two packets of a port."""
MILLION = 1e6
_LEAST_PACKETS = 2000
"""Fewest packets of a window, once the FIFOs of the ports have filled."""


def line_mpps(packet_bytes: int) -> float:
    """Million packets a second of both ports at line rate."""
    return 2 * PORT_BITS_PER_S / (8 * (packet_bytes + AROUND_BYTES)) / MILLION


def expected_mpps(rpus: int, packet_bytes: int) -> float:
    """Million packets a second that the limits measured on the RTL allow: cores, balancer and line."""
    words = -(-packet_bytes // WORD_BYTES)
    core = rpus * CORE_CLOCK_HZ / max(FIRMWARE_CYCLES, words + SENDER_CYCLES)
    wide_words = -(-packet_bytes // 64)
    balancer = 2 * CORE_CLOCK_HZ / max(BALANCER_CYCLES, wide_words)
    return min(core / MILLION, balancer / MILLION, line_mpps(packet_bytes))


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
        settings=tuple((name, str(value)) for name, value in {"port_fifo": "16 KiB", **settings}.items()),
    )


def carried_mpps(result: Result) -> Measured:
    """Million packets a second of both directions together."""
    rates = [carried(result, way, "frames_per_s") for way in DIRECTIONS]
    return sum(rates, Measured(0.0)) / MILLION
