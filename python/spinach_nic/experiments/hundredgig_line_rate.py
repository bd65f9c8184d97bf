"""hundredgig: sizes of frames that hold 100, 200 and 400 Gb/s both ways."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._hundredgig import (
    AROUND_PAYLOAD_BYTES,
    FLOWS,
    LARGEST,
    PART,
    RATES,
    SMALLEST,
    rates,
    spread_both_ways,
)
from spinach_nic.experiments._papers import virtio
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    at_least,
    figure_of,
    one_row,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.traffic import DIRECTIONS

CORES, CORE_CLOCK, PCIE_LINK = 64, "2.4GHz", "gen6x16"
LINE_RATE = 0.99
FROM = {100: SMALLEST, 200: 210, 400: 466}
"""Payload of UDP from which the link is filled, by its rate in Gb/s."""
BELOW = {200: 82, 400: 210}
_FRAMES = 16_000
"""With frames of 1518 bytes at 200 Gb/s windows of 6,000, 8,000 and 12,000 were not steady: the number of
frames that wait to be sent changes for longer."""


class LineRate(Experiment):
    """Datagrams both ways, of the size from which the link is full, of half that size, and of the largest."""

    name = "hundredgig-line-rate"
    summary = "hundredgig: sizes of frames that hold 100, 200 and 400 Gb/s both ways"
    source = virtio("network device in firmware; not a table of a publication")
    is_own = True
    key = (Column("link_gbps", "link, Gb/s"), Column("frame_bytes", "frame, bytes"))
    measured = RATES
    notes = (
        f"The card has {CORES} cores at {CORE_CLOCK} and PCI Express {PCIE_LINK}. Frames belong to "
        f"{FLOWS} flows.",
        f"A quick run has the {PART}th part of the link, the cores and the flows.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Each rate with its sizes."""
        return [
            self._point(extent, gbps, payload)
            for gbps in FROM
            for payload in extent.some(_payloads(gbps), needed=(FROM[gbps],))
        ]

    def _point(self, extent: Extent, gbps: int, payload: int) -> Point[Result]:
        settings = {"core_clock": CORE_CLOCK, "pcie_link": PCIE_LINK}
        run = spread_both_ways(extent, payload, _FRAMES, settings, cores=CORES, link_gbps=gbps)
        key = {"link_gbps": gbps, "frame_bytes": payload + AROUND_PAYLOAD_BYTES}
        return one_row(run, lambda result: with_errors(**rates(result)), **key)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the sizes that hold."""

        def held(gbps: int, payload: int) -> Claim:
            frame = payload + AROUND_PAYLOAD_BYTES
            row = only(rows, link_gbps=gbps, frame_bytes=frame)
            ways = (figure_of(row, f"{way}_line_rate") for way in DIRECTIONS)
            figure = min(ways, key=lambda way: way.low)
            return at_least(f"frames of {frame} bytes hold {gbps} Gb/s both ways", figure, LINE_RATE)

        return [held(gbps, payload) for gbps, payload in FROM.items()]


def _payloads(gbps: int) -> list[int]:
    return sorted({FROM[gbps], BELOW.get(gbps, FROM[gbps]), LARGEST})
