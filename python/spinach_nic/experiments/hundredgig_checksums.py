"""hundredgig: the cost of a checksum in firmware."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._hundredgig import (
    AROUND_PAYLOAD_BYTES,
    CORE_CLOCK_HZ,
    LARGEST,
    MILLION,
    PAYLOADS,
    SMALLEST,
    hundredgig,
)
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

PLACES = ("hardware", "firmware")
_FRAMES = 1500


class Checksums(Experiment):
    """One core that sends datagrams whose checksums the driver leaves to the card."""

    name = "hundredgig-checksums"
    summary = "hundredgig: frames sent by one core with checksums in hardware and in firmware"
    source = virtio("VIRTIO_NET_F_CSUM; not a table of a publication")
    is_own = True
    key = (Column("checksums", "checksums in"), Column("frame_bytes", "frame, bytes"))
    measured = (
        Column("tx_mpps", "sent, million frames/s", digits=3),
        Column("core_cycles", "core cycles per frame", digits=0),
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Each place at each size."""
        return [self._point(extent, place, payload) for place in PLACES for payload in PAYLOADS]

    def _point(self, extent: Extent, place: str, payload: int) -> Point[Result]:
        def measure(result: Result) -> Row:
            mpps = carried(result, "tx", "frames_per_s") / MILLION
            return with_errors(tx_mpps=mpps, core_cycles=Measured(CORE_CLOCK_HZ / MILLION) / mpps)

        settings = {"cores": 1, "checksums": place}
        run = hundredgig(f"udp:{payload}:tx", extent.frames(_FRAMES), settings)
        return one_row(run, measure, checksums=place, frame_bytes=payload + AROUND_PAYLOAD_BYTES)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return what the loop of the firmware promises: a load and an addition with carry for 4 bytes."""

        def cycles(place: str, payload: int) -> Measured:
            return figure_of(
                only(rows, checksums=place, frame_bytes=payload + AROUND_PAYLOAD_BYTES), "core_cycles"
            )

        per_word = (cycles("firmware", LARGEST) - cycles("firmware", SMALLEST)) / ((LARGEST - SMALLEST) / 4)
        return [
            at_least(
                "in firmware a checksum of the longest frames costs more than all other work on them",
                cycles("firmware", LARGEST) / cycles("hardware", LARGEST),
                2.0,
            ),
            at_least("in firmware it takes at least four cycles per word of four bytes", per_word, 4.0),
        ]
