"""Instructions per frame, lowest clocks and smallest frames by the dispatch of the firmware of `tengig`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from spinach_nic.experiments._lowest_clock import LowestClock
from spinach_nic.experiments._ordering import instructions_by_task
from spinach_nic.experiments._tengig import FULL_PAYLOAD, PAYLOADS, hpca_nic
from spinach_nic.experiments.runner import Extent, Point, Rows
from spinach_nic.runs.result import Result

PARTS = {
    "send": ("fetch_send_bd", "send_frame"),
    "receive": ("fetch_receive_bd", "receive_frame"),
    "send dispatch": ("send_dispatch_ordering",),
    "receive dispatch": ("receive_dispatch_ordering",),
    "locking": ("send_locking", "receive_locking"),
}
"""Tasks by purpose."""
SMALLEST_FRAMES = "smallest frames, million/s"


def instructions(by_task: Mapping[str, float]) -> dict[str, float]:
    """Instructions by part for a frame sent and a frame received, and their sum."""
    parts = {instructions_of(part): sum(by_task[task] for task in tasks) for part, tasks in PARTS.items()}
    return {**parts, instructions_of("all"): sum(parts.values())}


def instructions_of(part: str) -> str:
    """Return the name of the instructions of a part."""
    return f"{part}, instructions"


def lowest_clock(cores: int) -> str:
    """Return the name of the lowest clock of a number of cores."""
    return f"lowest clock of {cores} core{'s' if cores > 1 else ''}, MHz"


def dispatch_points(
    extent: Extent,
    column: str,
    firmware: str,
    clock_mhz: int,
    searched: Iterable[int],
    settings: tuple[tuple[str, str], ...] = (),
    more_of_smallest: int = 1,
) -> list[Point[Any]]:
    """Return two runs, and a search for each number of cores.

    Rows have a `column`, a `quantity` and a `figure`.

    Args:
        extent: Extent of the experiment.
        column: Column of the figures in the table of the experiment.
        firmware: Image.
        clock_mhz: Clock of the cores in both runs, of the longest and of the smallest frames.
        searched: Numbers of cores whose lowest clock is searched.
        settings: Further parameters of the card.
        more_of_smallest: Deliveries of the smallest frames, as a multiple of those of the longest.
    """

    def rows(figures: Mapping[str, float]) -> Rows:
        return [
            {"column": column, "quantity": quantity, "figure": value} for quantity, value in figures.items()
        ]

    def profile(result: Result) -> Rows:
        return rows(instructions(instructions_by_task(result)))

    def small(result: Result) -> Rows:
        return rows({SMALLEST_FRAMES: result.both("frames_per_s").value / 1e6})

    def clock(cores: int) -> Callable[[int], Rows]:
        return lambda mhz: rows({lowest_clock(cores): mhz})

    runs = [
        hpca_nic(extent, core_clock_mhz=clock_mhz, payload=payload, firmware=firmware)
        for payload in (FULL_PAYLOAD, PAYLOADS[0])
    ]
    full, smallest = (replace(run, settings=run.settings + settings) for run in runs)
    smallest = replace(smallest, frames=more_of_smallest * smallest.frames)
    searches = (Point(LowestClock(cores, extent, firmware, settings), clock(cores)) for cores in searched)
    return [Point(full, profile), Point(smallest, small), *searches]
