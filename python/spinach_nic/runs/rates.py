"""Rates of a result as rows of a table: without protocols that are not in the traffic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from spinach_nic.support.errors import SpinachError
from spinach_nic.support.measured import Measured, aligned_with_error
from spinach_nic.traffic import (
    FRAME_OVERHEAD_BYTES,
    SHORTEST_FRAME_BYTES,
    Capture,
    Direction,
    Mix,
    Raw,
    Tcp,
    Udp,
    parse_traffic,
)

if TYPE_CHECKING:
    from spinach_nic.runs.result import DirectionResult, RateName

RATE_TITLES: Mapping[RateName, str] = {
    "frames_per_s": "frames per second",
    "udp_payload_gbps": "UDP payload, Gb/s",
    "wire_gbps": "on the wire, Gb/s",
    "line_rate_fraction": "share of line rate",
}
"""Titles of rates in tables."""
_OTHER_PAYLOADS = {Tcp: "TCP payload, Gb/s", Raw: "payload of raw frames, Gb/s"}
"""Titles of payloads that follow from the rate on the wire."""

Part = Udp | Tcp | Raw | Capture
"""Source of frames of one kind."""


def rate_rows(ways: Mapping[Direction, DirectionResult], traffic: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a table of rates with their errors: a title, and a cell for each direction.

    A cell is a dash if the direction has no such rate: it was not measured, the direction carried no frames,
    or no payload of this kind. The payload of TCP segments and of raw frames is known in a direction
    without other frames. A kind of payload that is not in the traffic has no row.

    Args:
        ways: Results of the directions, in the order of the columns.
        traffic: Traffic of the run, as the command line takes it.
    """
    parts = _parts(traffic)
    for rate, title in RATE_TITLES.items():
        measured = [way.measured(rate) if way.frames else None for way in ways.values()]
        if rate != "udp_payload_gbps":
            yield title, *(_shown(rate, one) for one in measured)
            continue
        if not any(measured):
            # Without rates the rows are those that the traffic would have.
            kinds = {type(part) for found in parts.values() for part in found}
            named = {Udp: title, **_OTHER_PAYLOADS}
            yield from ((name, *("-" for _ in ways)) for kind, name in named.items() if kind in kinds)
            continue
        if any(one and one.value for one in measured):
            yield title, *(_shown(rate, one if one and one.value else None) for one in measured)
        for kind, name in _OTHER_PAYLOADS.items():
            payloads = [_payload(it, parts.get(way, []), kind) for way, it in ways.items()]
            if any(payloads):
                yield name, *(_shown(rate, one) for one in payloads)


def _parts(traffic: Sequence[str]) -> dict[Direction, list[Part]]:
    """Return the sources of each direction."""
    found: dict[Direction, list[Part]] = {}
    for text in traffic:
        try:
            parsed = parse_traffic(text)
        except SpinachError:  # the name of a capture may look like a setting
            continue
        source = parsed.frame_source
        parts = [part for _, part in source.parts] if isinstance(source, Mix) else [source]
        for way in parsed.directions:
            found.setdefault(way, []).extend(parts)
    return found


def _payload(way: DirectionResult, parts: Sequence[Part], kind: type[Tcp | Raw]) -> Measured | None:
    """Return the rate of payload of a direction: that on the wire without headers, in Gb/s."""
    wire, frames = way.measured("wire_gbps"), way.measured("frames_per_s")
    sizes = {size for part in parts if isinstance(part, kind) for size in part.sizes}
    is_only = all(isinstance(part, kind) for part in parts)
    if not (sizes and is_only and way.frames and wire and frames):
        return None
    if min(sizes) + kind.header_bytes < SHORTEST_FRAME_BYTES:
        return None  # padded
    headers = frames * (8 * (kind.header_bytes + FRAME_OVERHEAD_BYTES) / 1e9)
    # Frames of one size: the payload is a fraction of each. Otherwise the errors add up at most.
    error = wire.error - headers.error if len(sizes) == 1 else wire.error + headers.error
    return Measured(wire.value - headers.value, abs(error))


def _shown(rate: RateName, measured: Measured | None) -> str:
    if measured is None:
        return "-"
    value, error = measured.value, measured.error
    if rate == "line_rate_fraction":
        return aligned_with_error(100 * value, 100 * error, 1, most=1, unit="%")
    decimals = 0 if rate == "frames_per_s" else 3
    return aligned_with_error(value, error, decimals, most=decimals)
