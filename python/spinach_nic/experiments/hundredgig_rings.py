"""hundredgig: traffic on PCI Express for a frame, with split and packed rings."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._hundredgig import LEAST_FRAMES, SMALLEST, hundredgig
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
    at_most,
    figure_of,
    one_row,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import DIRECTIONS, Direction

RINGS = ("split", "packed")
EVENTS = ("flags", "index")
LOADS = {"alone": "@400kpps", "full": ""}
"""Traffic by load: frames that are served one by one, and as many as one core carries."""
COUNTERS = {
    "reads": "host_reads",
    "writes": "host_writes",
    "read_bytes": "host_read_bytes",
    "written_bytes": "host_written_bytes",
    "doorbells": "doorbells",
    "messages": "messages",
}
"""Counters of the card by column."""
_NS_PER_S = 1e9


class Rings(Experiment):
    """One core with frames of 64 bytes in one direction: requests, bytes, doorbells, interrupts."""

    name = "hundredgig-rings"
    summary = "hundredgig: requests and bytes on PCI Express for a frame, with split and packed rings"
    source = virtio("sections 2.7 and 2.8; not a table of a publication")
    is_own = True
    key = (
        Column("direction", "direction"),
        Column("load", "frames"),
        Column("rings", "rings"),
        Column("events", "events by"),
    )
    measured = (
        Column("reads", "reads", digits=2),
        Column("writes", "writes", digits=2),
        Column("read_bytes", "bytes read", digits=1),
        Column("written_bytes", "bytes written", digits=1),
        Column("doorbells", "doorbells", digits=2),
        Column("messages", "messages", digits=3),
    )
    notes = ("Figures are for one frame. Messages are among the writes. Bytes are data without headers.",)

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Each kind of ring and of event, at each load in each direction."""
        return [
            self._point(extent, direction, load, rings, events)
            for direction in extent.some(DIRECTIONS, needed=("tx",))
            for load in extent.some(LOADS, needed=("alone",))
            for rings in RINGS
            for events in extent.some(EVENTS, needed=("index",))
        ]

    def _point(
        self, extent: Extent, direction: Direction, load: str, rings: str, events: str
    ) -> Point[Result]:
        def measure(result: Result) -> Row:
            window = result.measured_window
            frames = carried(result, direction, "frames_per_s")
            seconds = (window.ends_ns - window.begins_ns) / _NS_PER_S
            figures = {
                column: Measured(result.counters[counter].measured / seconds) / frames
                for column, counter in COUNTERS.items()
            }
            return with_errors(**figures)

        frames = extent.frames(LEAST_FRAMES, least=LEAST_FRAMES)
        settings = {"cores": 1, "rings": rings, "event_index": str(events == "index").lower()}
        run = hundredgig(f"udp:{SMALLEST}:{direction}{LOADS[load]}", frames, settings)
        return one_row(run, measure, direction=direction, load=load, rings=rings, events=events)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return what one ring in place of three areas promises."""

        def requests(rings: str) -> Measured:
            row = only(rows, direction="tx", load="alone", rings=rings, events="index")
            return figure_of(row, "reads") + figure_of(row, "writes")

        return [
            at_most(
                "a frame that is sent alone takes fewer requests with packed rings",
                requests("packed") / requests("split"),
                0.9,
            ),
        ]
