"""hundredgig: the rate of frames by number of cores and size of frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.experiments._hundredgig import (
    AROUND_PAYLOAD_BYTES,
    CORE_CLOCK_HZ,
    LARGEST,
    MILLION,
    PAYLOADS,
    RATES,
    SMALLEST,
    both_mpps,
    both_ways,
    rates,
)
from spinach_nic.experiments._papers import virtio
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
    near,
    number,
    one_row,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CORES = (1, 2, 4, 8, 16)
_FRAMES_PER_CORE, _MOST_FRAMES = 1000, 8000


class Cores(Experiment):
    """Datagrams of three sizes both ways, on 1 to 16 cores at 1 GHz."""

    name = "hundredgig-cores"
    summary = "hundredgig: frames a second by number of cores and size"
    source = virtio("network device in firmware; not a table of a publication")
    is_own = True
    key = (Column("cores", "cores"), Column("frame_bytes", "frame, bytes"))
    measured = (*RATES, Column("core_cycles", "core cycles per frame", digits=0))
    notes = (
        "Core cycles per frame are the cycles of all cores, divided by the frames of both directions. They "
        "are the cost of a frame only below the line rate, where the cores limit the card.",
        "A core of PsPIN (ISCA 2021) has 56 cycles per packet of 64 bytes at 400 Gb/s with 32 cores. Its "
        "handlers serve no rings of a host.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Each number of cores at each size."""
        cores = extent.some(CORES, needed=(1, 2, 8))
        return [self._point(extent, number_of, payload) for number_of in cores for payload in PAYLOADS]

    def _point(self, extent: Extent, cores: int, payload: int) -> Point[Result]:
        def measure(result: Result) -> Row:
            figures = rates(result)
            cycles = Measured(cores * CORE_CLOCK_HZ / MILLION) / both_mpps(figures)
            return with_errors(**figures, core_cycles=cycles)

        run = both_ways(extent, payload, min(_FRAMES_PER_CORE * cores, _MOST_FRAMES), {"cores": cores})
        return one_row(run, measure, cores=cores, frame_bytes=payload + AROUND_PAYLOAD_BYTES)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return what the design promises: cores that share nothing on the path of a packet."""

        def both(cores: int) -> Measured:
            row = only(rows, cores=cores, frame_bytes=SMALLEST + AROUND_PAYLOAD_BYTES)
            return both_mpps({name: figure_of(row, name) for name in ("tx_mpps", "rx_mpps")})

        longest = only(rows, cores=8, frame_bytes=LARGEST + AROUND_PAYLOAD_BYTES)
        return [
            near("two cores carry twice the small frames of one", both(2) / both(1), 2.0, within=0.05),
            near("eight cores carry eight times those of one", both(8) / both(1), 8.0, within=0.1),
            at_least(
                "eight cores send the longest frames at line rate", figure_of(longest, "tx_line_rate"), 0.99
            ),
            at_least(
                "eight cores receive the longest frames at line rate",
                figure_of(longest, "rx_line_rate"),
                0.99,
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Draw the frames of both directions by cores, with a line for each size."""
        axes = figure.subplots()
        for payload in PAYLOADS:
            size = payload + AROUND_PAYLOAD_BYTES
            own = [row for row in rows if row["frame_bytes"] == size]
            mpps = [number(row, "tx_mpps") + number(row, "rx_mpps") for row in own]
            axes.plot([number(row, "cores") for row in own], mpps, marker="o", label=f"{size} bytes")
        axes.set_xlabel("cores at 1 GHz")
        axes.set_ylabel("million frames/s, both directions")
        axes.set_ylim(bottom=0)
        axes.legend()
