"""Throughput by frame size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from spinach_nic.experiments._rates import carried
from spinach_nic.experiments._tengig import line_frames_per_s
from spinach_nic.experiments.runner import Column, Row, Rows, figure_of, number, with_errors
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    """Return the carried datagrams of `payload` bytes, and the capacity of the link both ways together."""
    return with_errors(
        udp_payload_gbps=result.both("udp_payload_gbps"),
        tx_udp_payload_gbps=carried(result, "tx", "udp_payload_gbps"),
        rx_udp_payload_gbps=carried(result, "rx", "udp_payload_gbps"),
        limit_udp_payload_gbps=Measured(2 * 8 * payload * line_frames_per_s(payload) / 1e9),
        frames_million_per_s=result.both("frames_per_s") / 1e6,
        tx_frames_million_per_s=carried(result, "tx", "frames_per_s") / 1e6,
        rx_frames_million_per_s=carried(result, "rx", "frames_per_s") / 1e6,
    )


def column_by_payload(rows: Rows, column: str) -> dict[int, float]:
    """Return the figures of a column, by bytes of UDP payload."""
    return {int(number(row, "udp_payload_bytes")): number(row, column) for row in rows}


def measured_by_payload(rows: Rows, column: str) -> dict[int, Measured]:
    """Return the figures of a column with their errors, by bytes of UDP payload."""
    return {int(number(row, "udp_payload_bytes")): figure_of(row, column) for row in rows}


def draw_below_limit(figure: Figure, lines: Mapping[str, Rows]) -> None:
    """A line for each set of rows, by its name, below the limit of the link. All have the same sizes."""
    axes = figure.subplots()
    for name, rows in lines.items():
        carried = column_by_payload(rows, "udp_payload_gbps")
        axes.plot(list(carried), list(carried.values()), marker="o", label=name)
    limit = column_by_payload(next(iter(lines.values())), "limit_udp_payload_gbps")
    axes.plot(list(limit), list(limit.values()), ":", color="grey", label="link")
    axes.set_xlabel("UDP payload, bytes")
    axes.set_ylabel("UDP payload, both ways, Gb/s")
    axes.set_ylim(bottom=0)
    axes.legend()
