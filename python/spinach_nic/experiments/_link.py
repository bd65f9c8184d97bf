"""Capacity of an Ethernet link."""

from __future__ import annotations

from spinach_nic.traffic import FRAME_OVERHEAD_BYTES, SHORTEST_FRAME_BYTES, UDP_HEADER_BYTES


def most_frames_per_s(payload: int, link_bits_per_s: int) -> float:
    """Return the frames a second, with `payload` bytes of UDP payload, that fill a link in one direction."""
    frame = max(payload + UDP_HEADER_BYTES, SHORTEST_FRAME_BYTES) + FRAME_OVERHEAD_BYTES
    return link_bits_per_s / (8 * frame)
