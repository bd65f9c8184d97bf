"""The event queue in hardware that the thesis proposes, next to dispatch loops in software."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spinach_nic.experiments._dispatch import dispatch_points, lowest_clock
from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Rows,
    at_most,
    expectation,
    number,
    only,
)

PUBLISHED, LOOP, QUEUE = "published", "loop", "queue"
IMAGES = {PUBLISHED: "published-rmw", LOOP: "rmw", QUEUE: "event-queue"}
"""Firmware by the kind of its dispatch."""
SETTINGS: Mapping[str, tuple[tuple[str, str], ...]] = {QUEUE: (("event_queue", "true"),)}
CLOCK_MHZ = 166
SEARCHED_CORES = (1, 2, 6)
ALL = "all, instructions"
DISPATCH = ("send dispatch, instructions", "receive dispatch, instructions", "locking, instructions")
LOSS = 0.3
"""Efficiency that dispatch in software costs, as the thesis states it."""


class EventQueue(Experiment):
    """Longest frames both ways with six cores; smallest frames; the lowest clocks that fill the link."""

    name = "tengig-event-queue"
    summary = "Dispatch by loops in software, and by an event queue in hardware, as the thesis proposes"
    source = thesis("chapter 6, future work")
    key = (Column("quantity", "quantity"),)
    measured = (
        Column(PUBLISHED, "loop as published", digits=2),
        Column(LOOP, "loop of `rmw`", digits=2),
        Column(QUEUE, "event queue", digits=2),
    )
    notes = (
        f"Instructions are those of six cores at {CLOCK_MHZ} MHz for a frame sent and a frame received, of "
        "the longest frames. Dispatch includes looking for work, and loading the next event.",
        "The handlers of `rmw` and of the image for the queue are the same code. The queue replaces the loop "
        "that looks for work, claims of ranges and all locks. Flags with `set` and `update` keep the order "
        "of frames in all three.",
        "The loop of `rmw` takes up to 16 elements at once; as published, firmware takes a frame at a time.",
        "The thesis gives no figures for such a queue.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Any]]:
        """Two runs and a search for each number of cores, with each kind of dispatch."""
        return [point for kind in IMAGES for point in _points(extent, kind)]

    def finish(self, rows: Rows) -> Rows:
        """Join the figures of all kinds."""
        quantities = dict.fromkeys(str(row["quantity"]) for row in rows)
        return [
            {
                "quantity": quantity,
                **{kind: only(rows, quantity=quantity, column=kind)["figure"] for kind in IMAGES},
            }
            for quantity in quantities
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return what the thesis expects of such a queue."""

        def sum_of(kind: str, quantities: Sequence[str]) -> float:
            return sum(number(only(rows, quantity=quantity), kind) for quantity in quantities)

        def highest_ratio(other: str) -> float:
            clocks = [lowest_clock(cores) for cores in SEARCHED_CORES]
            return max(sum_of(QUEUE, [clock]) / sum_of(other, [clock]) for clock in clocks)

        def gains(other: str, loop: str) -> tuple[Claim, Claim]:
            return (
                at_most(
                    f"dispatch takes fewer instructions than with {loop}",
                    sum_of(QUEUE, DISPATCH) / sum_of(other, DISPATCH),
                    1.0,
                ),
                at_most(
                    f"no number of cores needs a faster clock than with {loop}", highest_ratio(other), 1.0
                ),
            )

        def saves(other: str, loop: str) -> Claim:
            return at_most(
                f"a frame takes {100 * LOSS:.0f} % fewer instructions than with {loop}",
                sum_of(QUEUE, [ALL]) / sum_of(other, [ALL]),
                1 - LOSS,
                ours="all that dispatch in software costs",
            )

        published, ours = (PUBLISHED, "the loop as published"), (LOOP, "the loop of `rmw`")
        return [
            *gains(*published),
            *map(expectation, (saves(*published), *gains(*ours), saves(*ours))),
        ]


def _points(extent: Extent, kind: str) -> list[Point[Any]]:
    # More of the smallest frames are under way.
    return dispatch_points(
        extent, kind, IMAGES[kind], CLOCK_MHZ, SEARCHED_CORES, SETTINGS.get(kind, ()), more_of_smallest=2
    )
