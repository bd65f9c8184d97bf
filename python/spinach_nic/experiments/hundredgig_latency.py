"""hundredgig: time of a frame between driver and wire, by parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spinach_nic.experiments._hundredgig import AROUND_PAYLOAD_BYTES, LARGEST, SMALLEST, hundredgig
from spinach_nic.experiments._papers import virtio
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
    near,
    one_row,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import Direction

READ_NS = 550
"""Latency of a read of host memory."""
CASES: Sequence[tuple[Direction, str]] = (
    ("tx", "split"),
    ("tx", "packed"),
    ("rx", "split"),
    ("rx", "packed"),
)
"""Direction and kind of rings."""
DEPENDENT_READS = {
    "tx": {"split": ("index, head, descriptor and data", 4), "packed": ("descriptor and data", 2)},
    "rx": {"split": ("the event index, before the interrupt", 1)},
}
"""Reads that follow each other while a frame waits, and their number."""
STEPS: Mapping[str, Mapping[str, str]] = {
    "cores": {"core_clock": "16GHz"},
    "reads": {"pcie_read_latency": "0ns"},
    "driver": {"host_latency": "0ns"},
}
"""Settings that take a part of the time away, one after the other."""
BUCKET = 0.015
"""Half width of the buckets of latencies, as a fraction."""
_FRAMES = 300


class LatencyByParts(Experiment):
    """Frames so rare that each finds the card and the driver idle, as those of a ping-pong do."""

    name = "hundredgig-latency"
    summary = "hundredgig: time of a frame between driver and wire, by parts"
    source = virtio("sections 2.7 and 2.8; not a table of a publication")
    is_own = True
    key = (
        Column("direction", "direction"),
        Column("rings", "rings"),
        Column("frame_bytes", "frame, bytes"),
    )
    measured = (
        Column("whole_ns", "whole, ns", digits=0),
        Column("cores_ns", "cores, ns", digits=0),
        Column("reads_ns", "reads of host memory, ns", digits=0),
        Column("driver_ns", "driver, ns", digits=0),
        Column("rest_ns", "rest, ns", digits=0),
    )
    notes = (
        "The median is shown, with half the width of its bucket in the histogram as error. Parts are taken "
        "away one after the other: cores and their devices at 16 GHz, then reads of host memory without "
        "latency, then a driver that reacts to interrupts at once. Each part is what the time loses then. "
        "The rest is that of buses, MAC and link.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run with everything and one after each step, by direction, rings and size."""
        return [
            self._point(extent, way, rings, payload, steps)
            for way, rings in extent.some(CASES, needed=CASES[:3])
            for payload in extent.some((SMALLEST, LARGEST), needed=(SMALLEST,))
            for steps in range(len(STEPS) + 1)
        ]

    def _point(self, extent: Extent, way: Direction, rings: str, payload: int, steps: int) -> Point[Result]:
        settings = {"cores": "1", "rings": rings}
        for taken_away in list(STEPS.values())[:steps]:
            settings |= taken_away
        # Frames at 97,000 a second meet the driver's polling at every phase.
        run = hundredgig(f"udp:{payload}:{way}@97kpps", extent.frames(_FRAMES, least=100), settings)
        key = _key(way, rings, payload)
        return one_row(run, lambda result: with_errors(ns=_median_ns(result, way)), **key, steps=steps)

    def finish(self, rows: Rows) -> Rows:
        """Subtract the times after each step from those before it."""
        return [_by_parts(rows, row) for row in rows if row["steps"] == 0]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return what the rings make the card read, one after the other."""

        def of(way: str, rings: str, name: str) -> Measured:
            return figure_of(only(rows, **_key(way, rings, SMALLEST)), name)

        return [
            *(
                near(
                    f"{way} waits for reads of {subject} with {rings} rings: {count}",
                    of(way, rings, "reads_ns") / READ_NS,
                    count,
                )
                for way, by_rings in DEPENDENT_READS.items()
                for rings, (subject, count) in by_rings.items()
            ),
            at_most(
                "a frame to send leaves a packed ring sooner than a split one",
                of("tx", "packed", "whole_ns") / of("tx", "split", "whole_ns"),
                1.0,
            ),
        ]


def _key(way: str, rings: str, payload: int) -> dict[str, str | int]:
    return {"direction": way, "rings": rings, "frame_bytes": payload + AROUND_PAYLOAD_BYTES}


def _median_ns(result: Result, way: Direction) -> Measured:
    latency = (result.tx if way == "tx" else result.rx).latency_ns
    assert latency is not None
    # A bucket is named by its longest latency.
    return Measured(latency.p50 * (1 - BUCKET), latency.p50 * BUCKET)


def _by_parts(rows: Rows, whole: Row) -> Row:
    key = {name: whole[name] for name in ("direction", "rings", "frame_bytes")}
    times = [figure_of(only(rows, steps=steps, **key), "ns") for steps in range(len(STEPS) + 1)]
    parts = {f"{name}_ns": times[step] - times[step + 1] for step, name in enumerate(STEPS)}
    return {**key, **with_errors(whole_ns=times[0], **parts, rest_ns=times[-1])}
