"""Our organisation of the firmware and the published one, on the same NIC, next to the published figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spinach_nic.experiments._dispatch import (
    SMALLEST_FRAMES,
    dispatch_points,
    instructions,
    instructions_of,
    lowest_clock,
)
from spinach_nic.experiments._papers import hpca
from spinach_nic.experiments.hpca05_table_5 import RMW_ENHANCED, SOFTWARE_ONLY
from spinach_nic.experiments.runner import Claim, Column, Experiment, Extent, Point, Rows, near, number, only

LOCKED = "published_locked"
"""Column of the published organisation with a lock around each change of a flag."""
IMAGES = {
    "optimized": "optimized",
    "published": "published",
    LOCKED: "published-locked",
    "rmw": "rmw",
    "published_rmw": "published-rmw",
}
"""Firmware by column."""
CLOCK_MHZ = 200
"""Published clock of the firmware without `set` and `update`."""
CLOCKS_MHZ = {1: 800, 6: 200}
"""Published lowest clock that fills the link, by number of cores."""
SATURATED_MILLION_PER_S = 2.2
SAVINGS = {"send": 0.515, "receive": 0.308}
"""Published fraction of the dispatch instructions that `set` and `update` save, by direction."""


def _table(columns: Mapping[str, Mapping[str, float]]) -> list[dict[str, str | float | None]]:
    quantities = dict.fromkeys(quantity for figures in columns.values() for quantity in figures)
    return [
        {"quantity": quantity, **{name: figures.get(quantity) for name, figures in columns.items()}}
        for quantity in quantities
    ]


class Organisation(Experiment):
    """Longest frames both ways with six cores; the lowest clocks that fill the link; smallest frames."""

    name = "hpca05-organisation"
    summary = "Our firmware and one organised as published: instructions per frame, clocks, small frames"
    source = hpca("table 5 and figure 8, section 6.3; thesis, sections 4.3, 4.5.1 and 4.5.2")
    key = (Column("quantity", "quantity"),)
    measured = tuple(Column(column, f"image {firmware}", digits=1) for column, firmware in IMAGES.items())
    published = tuple(
        _table(
            {
                "published": {
                    **instructions({task: count for task, count, _ in SOFTWARE_ONLY}),
                    **{lowest_clock(cores): mhz for cores, mhz in CLOCKS_MHZ.items()},
                    SMALLEST_FRAMES: SATURATED_MILLION_PER_S,
                },
                "published_rmw": {
                    **instructions({task: count for task, count, _ in RMW_ENHANCED}),
                    SMALLEST_FRAMES: SATURATED_MILLION_PER_S,
                },
            }
        )
    )
    notes = (
        f"Instructions are those of six cores at {CLOCK_MHZ} MHz for a frame sent and a frame received, of "
        "the longest frames. Cores that find no work look for some, which is part of dispatch.",
        "`published` has the event structures, the dispatch loop and the managers of the thesis (sections "
        "4.3 and 4.5.1), `published-rmw` also the instructions `set` and `update`. The code is ours: nothing "
        "is padded, and nothing is chosen to match.",
        "`published-locked` has the bit arrays of `published-rmw` and a lock around each change in place of "
        "the instructions: the paper's software-only firmware manages its flags with locks. Its lowest "
        "clocks are not searched.",
        "The paper measured its instructions of `published-rmw`, and its smallest frames, at 166 MHz.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Any]]:
        """Two runs and two searches for each image."""
        return [point for column in IMAGES for point in _points(extent, column)]

    def finish(self, rows: Rows) -> Rows:
        """Join the figures of the images."""
        columns: dict[str, dict[str, float]] = {column: {} for column in IMAGES}
        for row in rows:
            columns[str(row["column"])][str(row["quantity"])] = number(row, "figure")
        return _table(columns)

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the published figures, decided by the images with the published organisation."""

        def figure(quantity: str, column: str = "published") -> float:
            return number(only(rows, quantity=quantity), column)

        def saved(way: str, column: str = "published") -> float:
            dispatch = instructions_of(f"{way} dispatch")
            return 1 - figure(dispatch, "published_rmw") / figure(dispatch, column)

        published = {row["quantity"]: row["published"] for row in self.published}
        return [
            *(
                near(f"{quantity}: {value:.4g}", figure(str(quantity)), value)
                for quantity, value in published.items()
                if isinstance(value, float | int)
            ),
            *(
                near(
                    f"`set` and `update` save {100 * saving:.1f} % of the instructions of {way} dispatch",
                    saved(way),
                    saving,
                )
                for way, saving in SAVINGS.items()
            ),
            *(
                near(
                    f"in place of locks on flags they save {100 * saving:.1f} % of those of {way} dispatch",
                    saved(way, LOCKED),
                    saving,
                )
                for way, saving in SAVINGS.items()
            ),
        ]


def _points(extent: Extent, column: str) -> list[Point[Any]]:
    searched = () if column == LOCKED else CLOCKS_MHZ
    return dispatch_points(extent, column, IMAGES[column], CLOCK_MHZ, searched)
