"""hundredgig: a stream of TCP between two servers with Linux, by the place where large sends are cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spinach_nic.cards.hundredgig import Hundredgig
from spinach_nic.experiments._hundredgig import MILLION
from spinach_nic.experiments._linux_pairs import await_streams, linux_pair
from spinach_nic.experiments._papers import virtio
from spinach_nic.experiments._servers import ServerExperiment
from spinach_nic.experiments.hundredgig_segmentation import PLACES
from spinach_nic.experiments.runner import (
    Claim,
    Column,
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
from spinach_nic.model.simulation import simulate
from spinach_nic.runs.images import choose_image, load_image
from spinach_nic.support.measured import Measured, ratio_of
from spinach_nic.support.units import GHz, ms

HART_CLOCK = GHz(16)
RECEIVER_CLOCKS_GHZ = (1, 4)
"""Clocks of the core of the receiving card; the second one does not limit."""
PORT = 5000
BEGINS_AFTER_MS = 5
"""Time for which the sender waits for its peer."""
WARM_UP_MS, SHORTEST_WARM_UP_MS = 24, 13
WINDOW_MS, WINDOWS = 1, 10


class Outcome(NamedTuple):
    """Measurements of a stream."""

    gbps: Measured
    """Frames on the wire, with their check sequence."""
    mpps: Measured
    """Million frames a second."""
    dropped: int
    """Frames for which the receiving card had no room, in all windows."""


@dataclass(frozen=True)
class Stream:
    """Request of a stream that one core of the card sends, measured in windows of equal length."""

    segmentation: str
    receiver_ghz: int
    windows: int
    warm_up_ms: int

    def carry_out(self) -> Outcome:
        """Measure the stream.

        Raises:
            SpinachError: There is no kernel, or the stream does not open.
        """
        cards = [
            Hundredgig(cores=1, segmentation=self.segmentation),
            Hundredgig(cores=1, core_clock=GHz(self.receiver_ghz)),
        ]
        commands = (f"sleep,{BEGINS_AFTER_MS};stream,10.0.0.2,{PORT},1", f"sink,{PORT},1")
        pair = linux_pair(cards, commands, HART_CLOCK)
        images = [choose_image(card, None) for card in cards]
        simulation = simulate(pair)
        for card, image in zip(cards, images, strict=True):
            assert image is not None
            load_image(simulation, image.executable, card)
        await_streams(simulation, pair, self.warm_up_ms, "stream: 1 streams are open", directions=1)
        link, receiver = cards[0].port[0].transmit_link, cards[1].engine[0].mac_receive
        counters = ((link, "bytes"), (link, "frames"), (receiver, "dropped_no_buffer"))
        counts: list[list[float]] = []
        for _ in range(self.windows):
            before = simulation.statistics()
            simulation.run(ms(WINDOW_MS))
            counted = simulation.statistics() - before
            counts.append([counted.of(module, name) for module, name in counters])
        bytes_sent, frames, dropped = zip(*counts, strict=True)
        seconds = [WINDOW_MS * 1e-3] * self.windows
        gbps = (ratio_of(bytes_sent, seconds) or Measured(0.0)) * 8e-9
        mpps = (ratio_of(frames, seconds) or Measured(0.0)) * (1 / MILLION)
        return Outcome(gbps, mpps, int(sum(dropped)))

    def __str__(self) -> str:
        """Describe the run: no single command measures windows of a stream."""
        return (
            f"two servers, one stream of TCP; hundredgig with one core and segmentation={self.segmentation}, "
            f"received with one core at {self.receiver_ghz} GHz"
        )


class StreamOfLinux(ServerExperiment):
    """Linux's own driver, which gives the card large sends if it offers to cut them."""

    name = "hundredgig-tcp"
    summary = (
        "hundredgig: a stream of TCP between two servers with Linux, large sends cut by host, firmware or MAC"
    )
    source = virtio("VIRTIO_NET_F_HOST_TSO4; not a table of a publication")
    is_own = True
    key = (Column("segmentation", "cut by"), Column("receiver_ghz", "receiving card, GHz"))
    measured = (
        Column("wire_gbps", "sent, Gb/s", digits=2),
        Column("tx_mpps", "sent, million frames/s", digits=3),
        Column("dropped", "dropped by the receiver"),
    )
    notes = (
        f"The harts of both servers execute an instruction in each cycle of {HART_CLOCK}. Each card has one "
        "core, that of the sender at 1 GHz. Bytes are those of frames with their check sequence.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Outcome]]:
        """Return a run for each place with each receiver."""
        windows = extent.frames(WINDOWS, least=2)
        warm_up_ms = extent.frames(WARM_UP_MS, least=SHORTEST_WARM_UP_MS)
        return [
            one_row(
                Stream(value, clock, windows, warm_up_ms), _measure, segmentation=place, receiver_ghz=clock
            )
            for clock in extent.some(RECEIVER_CLOCKS_GHZ, needed=RECEIVER_CLOCKS_GHZ[-1:])
            for place, value in PLACES.items()
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return what segmentation on the card is for."""

        def gbps(place: str) -> Measured:
            row = only(rows, segmentation=place, receiver_ghz=RECEIVER_CLOCKS_GHZ[-1])
            return figure_of(row, "wire_gbps")

        return [
            at_least(
                f"Linux sends more if {word} cuts than if its kernel does", gbps(place) / gbps("host"), 1.0
            )
            for place, word in (("hardware", "the MAC"), ("firmware", "firmware"))
        ]


def _measure(outcome: Outcome) -> Row:
    return {"dropped": outcome.dropped, **with_errors(wire_gbps=outcome.gbps, tx_mpps=outcome.mpps)}
