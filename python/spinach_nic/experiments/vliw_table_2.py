"""The VLIW paper, table 2: the same firmware on several single-issue cores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from spinach_nic.experiments._papers import vliw_firmware
from spinach_nic.experiments._parallelism import processors
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    at_least,
    at_most,
    figure_of,
    near,
    number,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result

PROCESSORS = (1, 2, 4, 6)
PUBLISHED = {1: (2.64, 0.69), 2: (5.59, 1.34), 4: (10.37, 2.62), 6: (11.61, 3.87)}
"""Frames per thousand cycles and instructions per cycle."""
_CLOCK_MHZ = 100
"""Slow enough that the link is not what limits six cores."""


_NAMES = {1: "one processor", 2: "two processors", 4: "four processors", 6: "six processors"}


def throughput(count: int, result: Result) -> Rows:
    """Frames both ways, and instructions of all cores, by core cycles."""
    assert result.cores_mean is not None
    frames_per_kilocycle = result.both("frames_per_s") / (_CLOCK_MHZ * 10**3)
    return [
        {
            "processors": count,
            "issue_width": count,
            **with_errors(frames_per_kilocycle=frames_per_kilocycle),
            "ipc": result.cores_mean.ipc * count,
        }
    ]


class Processors(Experiment):
    """The 10 Gb/s NIC with enough frames that its cores never wait."""

    name = "vliw-table-2"
    summary = "Frames per thousand cycles and IPC of single-issue cores by their number"
    source = vliw_firmware("table 2, section 5")
    key = (Column("processors", "processors"), Column("issue_width", "width"))
    measured = (Column("frames_per_kilocycle", "frames per 1000 cycles"), Column("ipc", "IPC"))
    published = tuple(
        {"processors": count, "issue_width": count, "frames_per_kilocycle": frames, "ipc": ipc}
        for count, (frames, ipc) in PUBLISHED.items()
    )
    notes = (
        f"The memory is that of the NIC, not a perfect one; the cores run at {_CLOCK_MHZ} MHz, so that the "
        "link does not limit six of them.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each number of cores."""
        return [
            Point(processors(extent, count, _CLOCK_MHZ), partial(throughput, count)) for count in PROCESSORS
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 5."""
        frames = {
            count: figure_of(only(rows, processors=count), "frames_per_kilocycle") for count in PROCESSORS
        }
        ipc = {count: number(only(rows, processors=count), "ipc") for count in PROCESSORS}
        late, early = (frames[6] - frames[4]) / 2, (frames[4] - frames[1]) / 3
        return [
            *(
                near(f"{_NAMES[count]}: {wanted:.2f} frames in a thousand cycles", frames[count], wanted)
                for count, (wanted, _) in PUBLISHED.items()
            ),
            *(
                near(f"{_NAMES[count]}: {wanted:.2f} instructions per cycle", ipc[count], wanted)
                for count, (_, wanted) in PUBLISHED.items()
            ),
            at_least(
                "up to four processors instructions per cycle grow almost linearly",
                ipc[4] / ipc[1],
                3.6,
                ours="almost is a tenth",
            ),
            at_most(
                "more than four processors bring diminishing returns", late / early, 0.95, ours="a twentieth"
            ),
        ]
