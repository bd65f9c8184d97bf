"""Throughput by frame size."""

from __future__ import annotations

from spinach_nic.experiments._tengig import line_frames_per_s
from spinach_nic.reproduction import Column, Row
from spinach_nic.result import Result

MEASURED = (
    Column("udp_payload_gbps", "UDP, Gb/s"),
    Column("tx_udp_payload_gbps", "tx"),
    Column("rx_udp_payload_gbps", "rx"),
    Column("limit_udp_payload_gbps", "limit of the link"),
    Column("frames_million_per_s", "million frames/s", digits=3),
    Column("tx_frames_million_per_s", "tx", digits=3),
    Column("rx_frames_million_per_s", "rx", digits=3),
)


def by_size(result: Result, payload: int) -> Row:
    """What was carried of datagrams of so many bytes, and what the link allows both ways together."""
    tx, rx = result.tx, result.rx
    return {
        "udp_payload_gbps": tx.udp_payload_gbps + rx.udp_payload_gbps,
        "tx_udp_payload_gbps": tx.udp_payload_gbps,
        "rx_udp_payload_gbps": rx.udp_payload_gbps,
        "limit_udp_payload_gbps": 2 * 8 * payload * line_frames_per_s(payload) / 1e9,
        "frames_million_per_s": (tx.frames_per_s + rx.frames_per_s) / 1e6,
        "tx_frames_million_per_s": tx.frames_per_s / 1e6,
        "rx_frames_million_per_s": rx.frames_per_s / 1e6,
    }
