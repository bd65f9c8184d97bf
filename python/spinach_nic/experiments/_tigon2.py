"""The Tigon-2 as chapter 3 of the thesis evaluated it."""

from __future__ import annotations

from collections.abc import Mapping

from spinach_nic.experiments._link import most_frames_per_s
from spinach_nic.experiments._rates import carried
from spinach_nic.experiments.runner import Column, Extent, NicRun, Row, with_errors
from spinach_nic.runs.result import Result

UNI, PARALLEL, RELEASED_STYLE = "uni", "parallel", "released-style"
"""Our images; the last is organised as the firmware that the thesis measured."""
FULL_PAYLOAD = 1472
SHORTEST_PAYLOAD = 18
PAYLOADS = (SHORTEST_PAYLOAD, 100, 200, 400, 600, 800, 1000, 1200, FULL_PAYLOAD)
"""Payloads from the shortest frame to the longest of standard Ethernet."""
FULL_LINK, FULL_LINK_REASON = 0.98, "a window of milliseconds is no finer"
"""Fraction of the link, in each direction, that counts as full."""

_LINK_BITS_PER_S = 10**9
_MEASURED_FRAMES = 2400
_LEAST_FRAMES = 600
"""The host is notified of frames in bursts of 32: fewer make no steady window."""


def of_image(firmware: str, usual: str) -> str:
    """Return the beginning of a claim on an image; empty if it is the usual one."""
    return "" if firmware == usual else f"with `{firmware}`: "


def line_frames_per_s(payload: int) -> float:
    """Frames a second that fill the link in one direction."""
    return most_frames_per_s(payload, _LINK_BITS_PER_S)


def receiving(extent: Extent, payload: int, firmware: str) -> NicRun:
    """Frames come from the wire only, as fast as the link allows; a slow NIC drops most of the short ones."""
    return NicRun("tigon2", f"udp:{payload}:rx", _frames(extent), firmware)


def sending(extent: Extent, payload: int, firmware: str) -> NicRun:
    """Frames go to the wire only."""
    return NicRun("tigon2", f"udp:{payload}:tx", _frames(extent), firmware)


def both_ways(
    extent: Extent,
    payload: int,
    firmware: str,
    *,
    offered_per_s: int,
    measured_frames: int = _MEASURED_FRAMES,
    settings: Mapping[str, str] | None = None,
) -> NicRun:
    """Frames come at a rate, and the host sends as many as it can.

    Args:
        extent: Extent of the experiment.
        payload: Bytes of UDP payload.
        firmware: The image.
        offered_per_s: Frames that come from the wire in a second; more than the NIC takes are dropped.
        measured_frames: Deliveries to measure in each direction.
        settings: Parameters of the NIC.
    """
    is_full = offered_per_s >= line_frames_per_s(payload)
    pace = "" if is_full else f"@{offered_per_s}pps"
    traffic = (f"udp:{payload}:tx", f"udp:{payload}:rx{pace}")
    return NicRun(
        "tigon2", traffic, _frames(extent, measured_frames), firmware, tuple((settings or {}).items())
    )


def _frames(extent: Extent, measured: int = _MEASURED_FRAMES) -> int:
    return extent.frames(measured, least=_LEAST_FRAMES)


THROUGHPUT = (
    Column("udp_payload_mbps", "UDP, Mb/s", digits=0),
    Column("tx_udp_payload_mbps", "tx", digits=0),
    Column("rx_udp_payload_mbps", "rx", digits=0),
    Column("line_rate_fraction", "of the peak", digits=3),
)
"""Columns of `throughput`."""


def throughput(result: Result, directions: int = 2) -> Row:
    """Return the traffic that the NIC carried, and its fraction of the link's in `directions` directions."""
    return with_errors(
        udp_payload_mbps=result.both("udp_payload_gbps") * 1000,
        tx_udp_payload_mbps=carried(result, "tx", "udp_payload_gbps") * 1000,
        rx_udp_payload_mbps=carried(result, "rx", "udp_payload_gbps") * 1000,
        line_rate_fraction=result.both("line_rate_fraction") / directions,
    )


def instructions_per_s(result: Result, core_clock_mhz: int) -> float:
    """Return the instruction rate of all cores."""
    assert result.cores_mean is not None
    return len(result.cores) * result.cores_mean.cycles["execution"] * core_clock_mhz * 10**6


def stalls_per_instruction(result: Result) -> float:
    """Return the cycles that cores wait for loads, refused references and instructions, per instruction."""
    assert result.cores_mean is not None
    cycles = result.cores_mean.cycles
    return (cycles["load"] + cycles["conflict"] + cycles["instruction_miss"]) / cycles["execution"]
