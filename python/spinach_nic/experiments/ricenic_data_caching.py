"""RiceNIC, section 3.2.1: interconnect traffic and throughput by the content that the card keeps."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.experiments._papers import ricenic
from spinach_nic.experiments._rates import carried
from spinach_nic.experiments._ricenic import FULL, FULL_REASON, LINK_BITS_PER_S
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
    at_most,
    expectation,
    figure_of,
    number,
    one_row,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import DIRECTIONS, FRAME_OVERHEAD_BYTES

PAYLOAD, HEADER_BYTES = 1448, 54
BLOCK_BYTES = 1536
"""Memory of the card that a payload takes."""
PAYLOADS = 128
KEPT = (0, 32, 64, 96, 128)
"""Payloads for which the card has memory."""
CLOCKS = ("66.666667MHz", "16.666667MHz")
"""Clocks of the bus of 64 bits: that of the card, and one with the bandwidth of 32 bits at 33 MHz."""
_FRAMES = 2400
_LEAST_FRAMES = 1200


class DataCaching(Experiment):
    """A server whose responses have few different payloads, and that receives as much as it sends."""

    name = "ricenic-data-caching"
    summary = "RiceNIC: traffic of the interconnect and throughput by the content kept on the card"
    source = ricenic("section 3.2.1")
    key = (Column("bus", "bus"), Column("kept_payloads", f"kept, of {PAYLOADS}"))
    measured = (
        Column("hit_fraction", "hits", digits=3),
        Column("bytes_per_frame", "read from the host, B/frame", digits=0),
        Column("bus_mbytes_per_s", "interconnect, MB/s", digits=1),
        Column("sent_fraction", "sent, of the link", digits=3),
        Column("received_fraction", "received, of the link", digits=3),
    )
    notes = (
        "The paper says that the cache reduces the traffic of the interconnect, without numbers: this is "
        "the claim, the rest are our expectations. Each response has one of the payloads, chosen at "
        "random with equal probability; the driver replaces the least recently used one.",
        "The slower bus has the bandwidth of a PCI bus of 32 bits at 33 MHz, as a clock of the 64 bits. The "
        "SRAM of the card has this clock too.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each bus and size of the cache."""
        sizes = extent.some(KEPT, needed=(KEPT[0], KEPT[-1]))
        return [self._point(extent, clock, kept) for clock in CLOCKS for kept in sizes]

    def _point(self, extent: Extent, clock: str, kept: int) -> Point[Result]:
        traffic = (f"tcp:{PAYLOAD},payloads={PAYLOADS},flows=8:tx", f"tcp:{PAYLOAD},flows=8:rx")
        frames = extent.frames(_FRAMES, least=_LEAST_FRAMES)
        settings = (("content_cache", f"{kept * BLOCK_BYTES}B"), ("host_clock", clock))
        return one_row(
            NicRun("ricenic", traffic, frames, "cache", settings), _measure, bus=clock, kept_payloads=kept
        )

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the claim of the section, and our expectations of its extent and of the bus."""

        def ratio(clock: str, name: str) -> float:
            all_kept, none = (
                number(only(rows, bus=clock, kept_payloads=kept), name) for kept in (KEPT[-1], KEPT[0])
            )
            return all_kept / none

        def sent(clock: str, kept: int) -> Measured:
            return figure_of(only(rows, bus=clock, kept_payloads=kept), "sent_fraction")

        fast, slow = CLOCKS
        return [
            at_most("traffic of the interconnect falls if all is kept", ratio(fast, "bus_mbytes_per_s"), 1.0),
            *map(
                expectation,
                [
                    at_most(
                        "reads of the host fall to a fifth if all is kept",
                        ratio(fast, "bytes_per_frame"),
                        0.2,
                        ours="headers and descriptors remain",
                    ),
                    at_least(
                        "the link is full with the bus of the card and nothing kept",
                        sent(fast, 0),
                        FULL,
                        ours=FULL_REASON,
                    ),
                    at_least(
                        "on a slower bus the card sends a fifth more if all is kept",
                        sent(slow, KEPT[-1]) / sent(slow, KEPT[0]),
                        1.2,
                        ours="a fifth",
                    ),
                ],
            ),
        ]


def _measure(result: Result) -> Row:
    frame_bits = 8 * (PAYLOAD + HEADER_BYTES + FRAME_OVERHEAD_BYTES)
    posted = result.counters["frames_posted"].measured
    sent, received = (
        carried(result, way, "frames_per_s") * (frame_bits / LINK_BITS_PER_S) for way in DIRECTIONS
    )
    return {
        "hit_fraction": result.counters["content_sent"].measured / posted,
        "bytes_per_frame": result.counters["host_bytes_read"].measured / posted,
        "bus_mbytes_per_s": result.memories["pci"].gbps * 1e3 / 8,
        **with_errors(sent_fraction=sent, received_fraction=received),
    }
