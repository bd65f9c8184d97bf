"""hundredgig: large sends of TCP, cut by the host, by firmware and by the MAC."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._hundredgig import CORE_CLOCK_HZ, MILLION, hundredgig
from spinach_nic.experiments._papers import virtio
from spinach_nic.experiments._rates import carried
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Row,
    Rows,
    at_least,
    figure_of,
    one_row,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured

PAYLOAD = 1460
SEGMENTS = 44
"""Segments of a large send: as many as a packet of IPv4 holds."""
PLACES = {"host": "none", "firmware": "firmware", "hardware": "hardware"}
"""Values of the parameter `segmentation` by the place where sends are cut."""
_FRAMES = 4000


class Segmentation(Experiment):
    """One core that sends TCP in the longest frames, 44 to a large send."""

    name = "hundredgig-segmentation"
    summary = "hundredgig: large sends of TCP cut by the host, by firmware and by the MAC, on one core"
    source = virtio("VIRTIO_NET_F_HOST_TSO4; not a table of a publication")
    is_own = True
    key = (Column("segmentation", "cut by"), Column("rings", "rings"))
    measured = (
        Column("tx_mpps", "sent, million frames/s", digits=2),
        Column("tx_line_rate", "of line rate, sent", digits=3),
        Column("core_cycles", "core cycles per frame", digits=0),
    )
    notes = (
        "The model of the driver gives each large send in one buffer. Core cycles per frame are those of the "
        "one core at 1 GHz, divided by the frames: below the line rate, the cost of a frame.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Each place with each kind of ring."""
        return [self._point(extent, place, rings) for place in PLACES for rings in ("split", "packed")]

    def _point(self, extent: Extent, place: str, rings: str) -> Point[Result]:
        def measure(result: Result) -> Row:
            mpps = carried(result, "tx", "frames_per_s") / MILLION
            return with_errors(
                tx_mpps=mpps,
                tx_line_rate=carried(result, "tx", "line_rate_fraction"),
                core_cycles=Measured(CORE_CLOCK_HZ / MILLION) / mpps,
            )

        settings = {"cores": 1, "segmentation": PLACES[place], "rings": rings}
        frames = extent.frames(_FRAMES, least=_FRAMES // 2)
        run = hundredgig(f"tcp:{PAYLOAD},push={SEGMENTS}:tx", frames, settings)
        return one_row(run, measure, segmentation=place, rings=rings)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return what segmentation on the card is for."""

        def sent(place: str, name: str = "tx_mpps") -> Measured:
            return figure_of(only(rows, segmentation=place, rings="packed"), name)

        return [
            at_least(
                "one core sends more frames if the MAC cuts than if the host does",
                sent("hardware") / sent("host"),
                1.0,
            ),
            at_least(
                "one core sends more frames if firmware cuts than if the host does",
                sent("firmware") / sent("host"),
                1.0,
            ),
            at_least(
                "one core fills the link if the MAC cuts, to 1 %", sent("hardware", "tx_line_rate"), 0.99
            ),
        ]
