"""Thesis, sections 3.2.3 and 3.5.2: a descriptor memory where assists read pointers in memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._tigon2 import SHORTEST_PAYLOAD, instructions_per_s, stalls_per_instruction
from spinach_nic.experiments._two_cores import two_cores
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Row,
    Rows,
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

CLOCKS_MHZ = (88, 200)
INTERVALS = (0, 4, 6, 7, 8, 12, 16, 64)
"""Cycles between reads of a pointer; no source gives them. 0: registers hold the pointers, as on the chip."""
BASE, SEPARATE = "base", "descriptor memory"
ARCHITECTURES = {BASE: {}, SEPARATE: {"descriptor_memory": "true"}}
PUBLISHED_GAINS = {88: 1.475, 200: 1.34}
"""Frames with a descriptor memory over frames without."""
PUBLISHED_INSTRUCTIONS = 1.115
"""Instructions likewise, at 88 MHz."""


class PointersInMemory(Experiment):
    """Gain of a descriptor memory by the interval at which assists read pointers, shortest frames."""

    name = "thesis-tigon2-pointers"
    summary = "Tigon-2: gain of a descriptor memory where assists read pointers in memory"
    source = thesis("sections 3.2.3 and 3.5.2")
    key = (
        Column("interval_cycles", "interval, cycles"),
        Column("core_clock_mhz", "cores, MHz"),
        Column("architecture", "architecture"),
    )
    measured = (
        Column("frames_per_s", "frames/s", digits=0),
        Column("gain", "gain", digits=2),
        Column("instructions_per_s", "instructions/s", digits=0),
        Column("stalls_per_instruction", "memory stalls per instruction", digits=3),
    )
    notes = (
        "Gains are those of a descriptor memory.",
        "No source gives the interval. That with the gain nearest to the published one at 88 MHz is a fit;"
        " what it does at 200 MHz, and to instructions, is not.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each interval, clock and architecture."""
        intervals = extent.some(INTERVALS, needed=(0, 8))
        return [
            one_row(
                two_cores(
                    extent,
                    SHORTEST_PAYLOAD,
                    {**ARCHITECTURES[architecture], "card.poll_interval": str(interval)},
                    core_clock_mhz=clock,
                ),
                partial(_measure, clock),
                interval_cycles=interval,
                core_clock_mhz=clock,
                architecture=architecture,
            )
            for interval, clock, architecture in product(intervals, CLOCKS_MHZ, ARCHITECTURES)
        ]

    def finish(self, rows: Rows) -> Rows:
        """Gains are over the base with the same interval and clock."""
        finished: list[Row] = []
        for row in rows:
            key = {name: row[name] for name in ("interval_cycles", "core_clock_mhz")}
            base = only(rows, **key, architecture=BASE)
            finished.append({**row, "gain": number(row, "frames_per_s") / number(base, "frames_per_s")})
        return finished

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 3.5.2, at the interval that fits best at 88 MHz."""
        slow, fast = CLOCKS_MHZ
        separate = [row for row in rows if row["architecture"] == SEPARATE]
        nearest = min(
            (row for row in separate if row["core_clock_mhz"] == slow),
            key=lambda row: abs(number(row, "gain") - PUBLISHED_GAINS[slow]),
        )
        interval = nearest["interval_cycles"]

        def ratio(name: str, clock: int) -> Measured:
            key = {"interval_cycles": interval, "core_clock_mhz": clock}
            separate, base = (only(rows, **key, architecture=one) for one in (SEPARATE, BASE))
            return figure_of(separate, name) / figure_of(base, name)

        where = "with the interval that fits best at 88 MHz"
        instructions = ratio("instructions_per_s", slow)
        return [
            near(f"{where}: {what}", figure, published, within=0.05)
            for what, figure, published in (
                (
                    "a descriptor memory gains 47.5 % at 88 MHz",
                    ratio("frames_per_s", slow),
                    PUBLISHED_GAINS[slow],
                ),
                ("it gains 34 % at 200 MHz", ratio("frames_per_s", fast), PUBLISHED_GAINS[fast]),
                ("instructions grow by 11.5 % at 88 MHz", instructions, PUBLISHED_INSTRUCTIONS),
            )
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Draw the gain over the interval, with a line for each clock."""
        axes = figure.subplots()
        for clock in CLOCKS_MHZ:
            own = [row for row in rows if (row["core_clock_mhz"], row["architecture"]) == (clock, SEPARATE)]
            intervals = [str(row["interval_cycles"]) for row in own]
            axes.plot(intervals, [number(row, "gain") for row in own], marker="o", label=f"{clock} MHz")
            axes.axhline(PUBLISHED_GAINS[clock], linestyle=":")
        axes.set_xlabel("cycles between reads of a pointer (0: registers)")
        axes.set_ylabel("gain of a descriptor memory")
        axes.legend()


def _measure(clock: int, result: Result) -> Row:
    return {
        **with_errors(frames_per_s=result.both("frames_per_s")),
        "gain": None,
        "instructions_per_s": instructions_per_s(result, clock),
        "stalls_per_instruction": stalls_per_instruction(result),
    }
