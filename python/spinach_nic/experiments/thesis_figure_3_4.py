"""Thesis, figure 3.4: one core of the Tigon-2 does everything, by frame size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._tigon2 import (
    FULL_LINK,
    FULL_PAYLOAD,
    PAYLOADS,
    THROUGHPUT,
    both_ways,
    line_frames_per_s,
    receiving,
    sending,
    throughput,
)
from spinach_nic.reproduction import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Row,
    Rows,
    at_least,
    near,
    number,
    only,
)
from spinach_nic.reproduction.experiment import Value
from spinach_nic.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OFFERED_PER_S = (30_000, 60_000, 90_000, 120_000)
"""Frames that come from the wire in a second; the host sends as many as the card takes beside them."""
_TOGETHER_PER_S = 150_000
"""About what one core does in both directions, to let both sources run dry at about the same time."""
BOTH, RECEIVE, TRANSMIT = "both", "receive", "transmit"


class OneCore(Experiment):
    """The uniprocessor firmware, both ways (a), receiving only (b), and sending only."""

    name = "thesis-figure-3.4"
    summary = "Tigon-2 with one core: UDP throughput by payload, both ways and one way"
    source = thesis("figures 3.4 (a) and (b), section 3.4")
    key = (
        Column("traffic", "traffic"),
        Column("payload_bytes", "payload, B"),
        Column("offered_per_s", "offered, 1/s"),
    )
    measured = (*THROUGHPUT, Column("tx_per_rx_frame", "sent per received"), Column("is_best", "best"))
    notes = (
        "Both ways the thesis reports the ratio of directions with the largest sum; here frames come at "
        "several rates, and the host sends as fast as it can.",
        "Sending only has no figure; section 3.5.1 says that one core fills either direction.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """For each payload one run for each rate, and one for each direction alone."""
        payloads = extent.some(PAYLOADS, needed=(FULL_PAYLOAD,))
        points = [
            self._both(extent, payload, offered)
            for payload in payloads
            for offered in extent.some(_offered(payload), needed=_offered(payload)[-2:])
        ]
        points += [self._receiving(extent, payload) for payload in payloads]
        return [*points, self._sending(extent, FULL_PAYLOAD)]

    def _both(self, extent: Extent, payload: int, offered: int) -> Point[Result]:
        def measure(result: Result) -> Rows:
            return [_row(BOTH, payload, offered, result)]

        ratio = (_TOGETHER_PER_S - offered) / offered
        run = both_ways(extent, payload, "uni", offered_per_s=offered, sent_per_received=ratio)
        return Point(run, measure)

    def _receiving(self, extent: Extent, payload: int) -> Point[Result]:
        def measure(result: Result) -> Rows:
            return [_row(RECEIVE, payload, None, result)]

        return Point(receiving(extent, payload, "uni"), measure)

    def _sending(self, extent: Extent, payload: int) -> Point[Result]:
        def measure(result: Result) -> Rows:
            return [_row(TRANSMIT, payload, None, result)]

        return Point(sending(extent, payload, "uni"), measure)

    def finish(self, rows: Rows) -> Rows:
        """Mark the rate with the largest sum for each kind of traffic and payload."""
        best: dict[tuple[Value, Value], float] = {}
        for row in rows:
            kind = row["traffic"], row["payload_bytes"]
            best[kind] = max(best.get(kind, 0.0), number(row, "udp_payload_mbps"))
        return [
            {**row, "is_best": row["udp_payload_mbps"] == best[row["traffic"], row["payload_bytes"]]}
            for row in rows
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Sections 3.4 and 3.5.1."""
        both = only(rows, traffic=BOTH, payload_bytes=FULL_PAYLOAD, is_best=True)
        receive = only(rows, traffic=RECEIVE, payload_bytes=FULL_PAYLOAD)
        transmit = only(rows, traffic=TRANSMIT, payload_bytes=FULL_PAYLOAD)
        return [
            near(
                "one core saturates at 66 % of the peak with the longest frames both ways",
                number(both, "line_rate_fraction"),
                0.66,
            ),
            near(
                "the sum is largest at about one frame sent for two received",
                number(both, "tx_per_rx_frame"),
                0.5,
                within=0.25,
            ),
            at_least(
                "one core fills the link with received frames of the longest size",
                number(receive, "line_rate_fraction"),
                FULL_LINK,
            ),
            at_least(
                "one core fills the link with sent frames of the longest size",
                number(transmit, "line_rate_fraction"),
                FULL_LINK,
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """A part for both ways and one for receiving."""
        for axes, kind, directions in zip(figure.subplots(1, 2), (BOTH, RECEIVE), (2, 1), strict=True):
            its = [row for row in rows if row["traffic"] == kind and row["is_best"]]
            payloads = [number(row, "payload_bytes") for row in its]
            peak = [directions * 8e-6 * line_frames_per_s(int(payload)) * payload for payload in payloads]
            axes.plot(payloads, peak, label="peak of the link")
            axes.plot(
                payloads, [number(row, "udp_payload_mbps") for row in its], marker="o", label="one core"
            )
            axes.set_title(kind)
            axes.set_xlabel("UDP payload, bytes")
            axes.set_ylabel("UDP payload, Mb/s")
            axes.legend()


def _offered(payload: int) -> list[int]:
    """Rates to try: up to what the link carries, if one core may receive as many."""
    line = round(line_frames_per_s(payload))
    below = [rate for rate in OFFERED_PER_S if rate < line]
    return below if line > OFFERED_PER_S[-1] else [*below, line]


def _row(kind: str, payload: int, offered: int | None, result: Result) -> Row:
    directions = 2 if kind == BOTH else 1
    received = result.rx.frames_per_s
    return {
        "traffic": kind,
        "payload_bytes": payload,
        "offered_per_s": offered,
        **throughput(result, directions),
        "tx_per_rx_frame": result.tx.frames_per_s / received if received else None,
        "is_best": False,
    }
