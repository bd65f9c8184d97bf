"""Thesis, figure 3.4: one core of the Tigon-2 does everything, by frame size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._rates import carried
from spinach_nic.experiments._tigon2 import (
    FULL_LINK,
    FULL_LINK_REASON,
    FULL_PAYLOAD,
    PAYLOADS,
    RELEASED_STYLE,
    THROUGHPUT,
    UNI,
    both_ways,
    line_frames_per_s,
    of_image,
    receiving,
    sending,
    throughput,
)
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    NicRun,
    Point,
    Row,
    Rows,
    at_least,
    figure_of,
    near,
    number,
    one_row,
    only,
    with_errors,
)
from spinach_nic.experiments.runner.experiment import Value
from spinach_nic.runs.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OFFERED_PER_S = (30_000, 60_000, 90_000, 120_000)
"""Frames from the wire in a second; the host sends as many as the card takes at the same time."""
BOTH, RECEIVE, TRANSMIT = "both", "receive", "transmit"
IMAGES = (UNI, RELEASED_STYLE)
"""Series in which one core handles frames."""


class OneCore(Experiment):
    """One core handles all frames, both ways (a), receiving only (b), and sending only."""

    name = "thesis-figure-3.4"
    summary = "Tigon-2 with one core: UDP throughput by payload, both ways and one way"
    source = thesis("figures 3.4 (a) and (b), section 3.4")
    key = (
        Column("firmware", "firmware"),
        Column("traffic", "traffic"),
        Column("payload_bytes", "payload, B"),
        Column("offered_per_s", "offered, 1/s"),
    )
    measured = (*THROUGHPUT, Column("tx_per_rx_frame", "sent per received"), Column("is_best", "best"))
    notes = (
        "Both ways the thesis reports the ratio of directions with the largest sum; here frames come at "
        "several rates, and the host sends as fast as it can.",
        "Sending only has no figure; section 3.5.1 says that one core fills either direction.",
        "In `released-style` the other core does the DMA assist in software.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """For each payload one run for each rate, and one for each direction alone."""
        payloads = extent.some(PAYLOADS, needed=(FULL_PAYLOAD,))
        points = []
        for firmware in IMAGES:
            points += [
                _point(both_ways(extent, payload, firmware, offered_per_s=offered), BOTH, payload, offered)
                for payload in payloads
                for offered in extent.some(_offered(payload), needed=_offered(payload)[-2:])
            ]
            points += [_point(receiving(extent, payload, firmware), RECEIVE, payload) for payload in payloads]
            points.append(_point(sending(extent, FULL_PAYLOAD, firmware), TRANSMIT, FULL_PAYLOAD))
        return points

    def finish(self, rows: Rows) -> Rows:
        """Mark the rate with the largest sum for each image, kind of traffic and payload."""
        best: dict[tuple[Value, ...], float] = {}
        for row in rows:
            best[_kind(row)] = max(best.get(_kind(row), 0.0), number(row, "udp_payload_mbps"))
        return [{**row, "is_best": row["udp_payload_mbps"] == best[_kind(row)]} for row in rows]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Sections 3.4 and 3.5.1."""
        return [claim for firmware in IMAGES for claim in self._claims_of(firmware, rows)]

    @staticmethod
    def _claims_of(firmware: str, rows: Rows) -> Sequence[Claim]:
        its = [row for row in rows if row["firmware"] == firmware]
        both = only(its, traffic=BOTH, payload_bytes=FULL_PAYLOAD, is_best=True)
        receive = only(its, traffic=RECEIVE, payload_bytes=FULL_PAYLOAD)
        transmit = only(its, traffic=TRANSMIT, payload_bytes=FULL_PAYLOAD)
        who = of_image(firmware, UNI)
        return [
            near(
                f"{who}one core saturates at 66 % of the peak with the longest frames both ways",
                figure_of(both, "line_rate_fraction"),
                0.66,
            ),
            near(
                f"{who}the sum is largest at about one frame sent for two received",
                figure_of(both, "tx_per_rx_frame"),
                0.5,
                within=0.25,
            ),
            at_least(
                f"{who}one core fills the link with received frames of the longest size",
                figure_of(receive, "line_rate_fraction"),
                FULL_LINK,
                ours=FULL_LINK_REASON,
            ),
            at_least(
                f"{who}one core fills the link with sent frames of the longest size",
                figure_of(transmit, "line_rate_fraction"),
                FULL_LINK,
                ours=FULL_LINK_REASON,
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """A part for both ways and one for receiving."""
        for axes, kind, directions in zip(figure.subplots(1, 2), (BOTH, RECEIVE), (2, 1), strict=True):
            peak = [directions * 8e-6 * line_frames_per_s(payload) * payload for payload in PAYLOADS]
            axes.plot(PAYLOADS, peak, label="peak of the link")
            for firmware in IMAGES:
                its = [
                    row
                    for row in rows
                    if (row["firmware"], row["traffic"]) == (firmware, kind) and row["is_best"]
                ]
                payloads = [number(row, "payload_bytes") for row in its]
                carried = [number(row, "udp_payload_mbps") for row in its]
                axes.plot(payloads, carried, marker="o", label=f"one core, {firmware}")
            axes.set_title(kind)
            axes.set_xlabel("UDP payload, bytes")
            axes.set_ylabel("UDP payload, Mb/s")
            axes.legend()


def _offered(payload: int) -> list[int]:
    """Rates to try: up to what the link carries, if one core may receive as many."""
    line = round(line_frames_per_s(payload))
    below = [rate for rate in OFFERED_PER_S if rate < line]
    return below if line > OFFERED_PER_S[-1] else [*below, line]


def _kind(row: Row) -> tuple[Value, ...]:
    return row["firmware"], row["traffic"], row["payload_bytes"]


def _point(run: NicRun, kind: str, payload: int, offered: int | None = None) -> Point[Result]:
    def measure(result: Result) -> Row:
        return {**throughput(result, 2 if kind == BOTH else 1), **_ratio(result), "is_best": False}

    key: Row = {
        "firmware": run.firmware,
        "traffic": kind,
        "payload_bytes": payload,
        "offered_per_s": offered,
    }
    return one_row(run, measure, **key)


def _ratio(result: Result) -> Row:
    received = carried(result, "rx", "frames_per_s")
    if not received.value:
        return {"tx_per_rx_frame": None}
    return with_errors(tx_per_rx_frame=carried(result, "tx", "frames_per_s") / received)
