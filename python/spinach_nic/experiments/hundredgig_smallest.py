"""hundredgig: the slowest cores that hold 100 Gb/s both ways, by size of frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spinach_nic.experiments._hundredgig import (
    AROUND_PAYLOAD_BYTES,
    FLOWS,
    LARGEST,
    PART,
    SMALLEST,
    part_of,
    spread_both_ways,
)
from spinach_nic.experiments._lowest_clock import lowest
from spinach_nic.experiments._papers import virtio
from spinach_nic.experiments._rates import carried, least
from spinach_nic.experiments.hundredgig_checksums import PLACES
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
    number,
    only,
    with_errors,
)
from spinach_nic.runs import RunError
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import DIRECTIONS, FRAME_OVERHEAD_BYTES

CORES: Mapping[int, int] = {SMALLEST: 64, 82: 48, 210: 32, LARGEST: 16}
"""Number of cores by payload of UDP."""
LINK_GBPS = 100
PCIE_LINK = "gen5x16"
LINE_RATE = 0.99
PSPIN_CYCLES = 56
"""Cycles of a core for a packet of 64 bytes: 32 cores at 1 GHz and 400 Gb/s."""
FASTEST_MHZ = 3200
_STEP_MHZ, _COARSE_STEP_MHZ = 200, 800
_FRAMES = 6000
_CHECK_SEQUENCE_BYTES = 4


class Found(NamedTuple):
    """Outcome of a search: the direction that carries less, as a fraction of the rate of the link."""

    core_clock_mhz: int | None
    """Lowest clock that holds the rate; `None` if the fastest does not."""
    held: Measured | None
    """At this clock, or the fastest; `None` without a steady window."""
    below: Measured | None
    """At the clock one step lower, if that was measured."""


@dataclass(frozen=True)
class LeastClock:
    """Request for the lowest clock of the cores at which frames of a size fill the link both ways."""

    payload: int
    checksums: str
    extent: Extent

    def carry_out(self) -> Found:
        """Search for it.

        Raises:
            SpinachError: A run fails.
        """
        measured: dict[int, Measured] = {}

        def holds(step: int) -> bool:
            try:
                result = self.run(step * self.step_mhz).carry_out()
            except RunError as error:
                if error.result.measured_window.is_steady:
                    raise
                return False
            measured[step] = least(carried(result, way, "line_rate_fraction") for way in DIRECTIONS)
            return measured[step].low >= LINE_RATE

        most = FASTEST_MHZ // self.step_mhz
        step = lowest(holds, most)
        at = step or most
        return Found(step and step * self.step_mhz, measured.get(at), measured.get(at - 1))

    def run(self, core_clock_mhz: int) -> NicRun:
        """Return the run at a clock."""
        settings = {
            "core_clock": f"{core_clock_mhz}MHz",
            "checksums": self.checksums,
            "pcie_link": PCIE_LINK,
        }
        cores = CORES[self.payload]
        return spread_both_ways(
            self.extent, self.payload, _FRAMES, settings, cores=cores, link_gbps=LINK_GBPS
        )

    @property
    def cores(self) -> int:
        """Number of cores."""
        return CORES[self.payload] // part_of(self.extent)

    @property
    def step_mhz(self) -> int:
        """Step of the search."""
        return _STEP_MHZ if part_of(self.extent) == 1 else _COARSE_STEP_MHZ

    def __str__(self) -> str:
        """Return the subject of the search."""
        example = str(self.run(FASTEST_MHZ)).replace(f"core_clock={FASTEST_MHZ}MHz", "core_clock=...")
        return f"the lowest clock (in steps of {self.step_mhz} MHz) that reaches {LINE_RATE:.0%}: {example}"


class Smallest(Experiment):
    """Datagrams of four sizes both ways, with checksums in the MACs and in firmware."""

    name = "hundredgig-smallest"
    summary = "hundredgig: the least core clock that holds 100 Gb/s both ways, by size of frames"
    source = virtio("network device in firmware; not a table of a publication")
    is_own = True
    key = (Column("frame_bytes", "frame, bytes"), Column("checksums", "checksums in"))
    measured = (
        Column("cores", "cores"),
        Column("core_clock_mhz", "lowest clock, MHz"),
        Column("line_rate", "of line rate", digits=4),
        Column("line_rate_below", "one step lower", digits=4),
        Column("core_ghz", "all cores, GHz", digits=1),
        Column("core_cycles", "core cycles per frame", digits=0),
    )
    notes = (
        f"A clock holds the rate if the direction that carries less carries {LINE_RATE} of it beyond the "
        "error, in a steady window. Received frames are counted in bursts, when the driver polls, so "
        f"that their error is larger. Clocks are multiples of {_STEP_MHZ} MHz up to {FASTEST_MHZ} MHz. PCI "
        f"Express is {PCIE_LINK}. Frames belong to {FLOWS} flows.",
        "A clock is an upper bound: if 0.99 lies within the error one step lower, a lower clock may hold it.",
        f"A quick run has the {PART}th part of the link, the cores and the flows, and steps of "
        f"{_COARSE_STEP_MHZ} MHz.",
        "Core cycles per frame are those of all cores at the lowest clock, for each frame of either "
        "direction at line rate.",
        "A core of PsPIN (ISCA 2021) has 56 cycles per packet of 64 bytes at 400 Gb/s with 32 cores. Its "
        "handlers serve no rings of a host.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Found]]:
        """Return a search for each size and each place of checksums."""
        sizes = extent.some(CORES, needed=(SMALLEST, LARGEST))
        requests = [
            LeastClock(size, place, extent)
            for size in sizes
            for place in extent.some(PLACES, needed=PLACES if size == LARGEST else PLACES[:1])
        ]
        return [Point(request, _measure(request)) for request in requests]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return what checksums in the MACs are for, and the published cost of a packet."""

        def cycles(payload: int, place: str) -> float:
            row = only(rows, frame_bytes=payload + AROUND_PAYLOAD_BYTES, checksums=place)
            return number(row, "core_cycles")

        return [
            at_least(
                "the longest frames need more than twice the core clock with checksums in firmware",
                cycles(LARGEST, "firmware") / cycles(LARGEST, "hardware"),
                2,
            ),
            at_least(
                "a frame of 64 bytes between wire and rings takes more cycles than a packet has on PsPIN",
                cycles(SMALLEST, "hardware") / PSPIN_CYCLES,
                1,
            ),
        ]


def _measure(request: LeastClock) -> Callable[[Found], Rows]:
    frame = request.payload + AROUND_PAYLOAD_BYTES
    wire_bits = 8 * (frame - _CHECK_SEQUENCE_BYTES + FRAME_OVERHEAD_BYTES)
    frames_per_s = 2 * LINK_GBPS / part_of(request.extent) * 1e9 / wire_bits

    def measure(found: Found) -> Rows:
        mhz = found.core_clock_mhz
        core_mhz = None if mhz is None else request.cores * mhz
        row: Row = {
            "frame_bytes": frame,
            "checksums": request.checksums,
            "cores": request.cores,
            "core_clock_mhz": mhz,
            "core_ghz": core_mhz and core_mhz / 1e3,
            "core_cycles": core_mhz and core_mhz * 1e6 / frames_per_s,
            **_with_error("line_rate", found.held),
            **_with_error("line_rate_below", found.below),
        }
        return [row]

    return measure


def _with_error(name: str, figure: Measured | None) -> Row:
    return {name: None} if figure is None else with_errors(**{name: figure})
