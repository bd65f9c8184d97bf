"""RiceNIC, section 4: throughput with address translation, and what it leaves of the processor."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spinach_nic.experiments._rates import ONE, carried
from spinach_nic.experiments._ricenic import BASE, FULL, KEY, ricenic
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    NicRun,
    Point,
    Rows,
    at_least,
    expectation,
    figure_of,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import DIRECTIONS, Direction

NAT, NAT_SPLIT = "nat", "nat-split"
LARGEST, SMALL = 1500, 300
"""Bytes of the packets: those of the paper, and some so small that the processor binds."""
IP_AND_TCP_BYTES = 40
STREAMS = 8
SEGMENT = 1448
WITH_ACKNOWLEDGEMENTS = f"{SEGMENT},{SEGMENT},0"
"""Payloads in turn: one acknowledgement for two segments."""
AVERAGE = (2 * SEGMENT + 3 * IP_AND_TCP_BYTES) // 3
"""Bytes of their average packet."""
IDLE, IDLE_REASON = 0.01, "1 % of the time"
"""Fraction of idle cycles that counts as some left, and its reason."""
_FRAMES = 900
_LEAST_FRAMES = 700


class Translation(Experiment):
    """Streams of TCP both ways, those sent from an inner network, those received to a forwarded port."""

    name = "ricenic-nat"
    summary = "RiceNIC: throughput both ways with address translation, and idle cycles"
    source = ricenic("section 4")
    key = (*KEY, Column("acknowledges", "acknowledges"))
    measured = (
        Column("wire_mbps", "IP packets, Mb/s", digits=0),
        Column("line_rate_fraction", "of the limit", digits=3),
        Column("dropped_fraction", "dropped", digits=3),
    )
    notes = (
        "The paper gives the share of the limit that was reached; it is withheld here and nothing was fitted "
        "to it.",
        "The share of idle cycles is taken from small packets, of which the processor carries as many as it "
        "can. The streams go unacknowledged: each direction is one of full segments. In further rows, as "
        "with streams of TCP, each direction has an acknowledgement for two segments, whose average packet "
        "is shown.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each image and size."""
        sizes = ((NAT, LARGEST), (NAT, SMALL), (BASE, LARGEST), (BASE, SMALL))
        points = [
            self._point(extent, firmware, str(packet - IP_AND_TCP_BYTES), _measure(firmware, packet))
            for firmware, packet in sizes
        ]
        points += [
            self._point(
                extent, firmware, WITH_ACKNOWLEDGEMENTS, _measure(firmware, AVERAGE, acknowledges=True)
            )
            for firmware in extent.some((BASE, NAT, NAT_SPLIT), needed=(NAT,))
        ]
        return points

    def _point(
        self, extent: Extent, firmware: str, payloads: str, measure: Callable[[Result], Rows]
    ) -> Point[Result]:
        sent = extent.frames(_FRAMES, least=_LEAST_FRAMES)
        inner = "source_address=192.168.0.7,destination_address=203.0.113.9"
        traffic = (f"tcp:{payloads},flows={STREAMS},{inner}:tx", f"tcp:{payloads},flows={STREAMS}:rx")
        return Point(NicRun("ricenic", traffic, sent, firmware), measure)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 4."""

        def share(packet: int, direction: str) -> Measured:
            row = only(rows, firmware=NAT, packet_bytes=packet, direction=direction)
            return figure_of(row, "line_rate_fraction")

        def packets(firmware: str, packet: int) -> Measured:
            mbps = (
                figure_of(only(rows, firmware=firmware, packet_bytes=packet, direction=way), "wire_mbps")
                for way in DIRECTIONS
            )
            return sum(mbps, Measured(0.0)) / packet

        idle = ONE - packets(NAT, LARGEST) / packets(NAT, SMALL)
        return [
            *(
                at_least(f"{streams} streams are within 3 % of the limit, {kind}", share(packet, way), FULL)
                for packet, kind in ((LARGEST, "full segments alone"), (AVERAGE, "with acknowledgements"))
                for way, streams in zip(DIRECTIONS, ("outgoing", "incoming"), strict=True)
            ),
            at_least("the processor has idle cycles left", idle, IDLE, ours=IDLE_REASON),
            expectation(
                at_least(
                    "translation costs cycles",
                    packets(BASE, SMALL) / packets(NAT, SMALL),
                    1.05,
                    ours="a twentieth",
                )
            ),
        ]


def _measure(firmware: str, packet: int, *, acknowledges: bool = False) -> Callable[[Result], Rows]:
    def measure(result: Result) -> Rows:
        return [
            {
                "firmware": firmware,
                "direction": direction,
                "packet_bytes": packet,
                "acknowledges": "yes" if acknowledges else "no",
                "dropped_fraction": dropped_fraction(result, direction),
                **with_errors(
                    wire_mbps=rate * (8e-6 * packet),
                    line_rate_fraction=carried(result, direction, "line_rate_fraction"),
                ),
            }
            for direction in DIRECTIONS
            for rate in [carried(result, direction, "frames_per_s")]
        ]

    return measure


def dropped_fraction(result: Result, direction: Direction) -> float:
    """Return the dropped frames of a direction, in relation to those that were offered."""
    frames = result.frames
    dropped = sum(sum(reasons.values()) for reasons in frames.dropped[direction].values())
    return dropped / frames.offered[direction]
